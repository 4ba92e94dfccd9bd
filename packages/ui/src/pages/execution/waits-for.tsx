import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useQueueOf } from "../../api/tasks.ts";
import type { Task, TaskState } from "../../api/types.ts";
import { Ago, Time } from "../../components/time.tsx";
import { formatCount, formatDuration } from "../../lib/format.ts";
import { isTaskOpen } from "../../lib/status.ts";

type Props = { readonly task: Task; readonly tasks: readonly TaskState[] };

/** What an open task waits for, in words; nothing for one that has ended. */
export function WaitsFor({ task, tasks }: Props) {
  if (!isTaskOpen(task.status)) return null;
  return (
    <div className="mx-3 mt-3 rounded-md bg-running-soft px-3 py-2 text-sm">
      <p className="text-xs font-semibold text-running">What it waits for</p>
      <div className="mt-0.5">{describe(task, tasks)}</div>
    </div>
  );
}

function describe(task: Task, tasks: readonly TaskState[]): ReactNode {
  switch (task.taskType) {
    case "WAIT":
      return <WaitEnd task={task} />;
    case "HUMAN":
      return "A person: someone has to complete it, with Update above or by a signal.";
    case "JOIN":
    case "EXCLUSIVE_JOIN":
      return <JoinRest task={task} tasks={tasks} />;
    case "SUB_WORKFLOW":
      return task.subWorkflowId === undefined ? (
        "Its sub-workflow, which is about to start."
      ) : (
        <>
          Its sub-workflow:{" "}
          <Link to="/executions/$id" params={{ id: task.subWorkflowId }} className="text-accent-ink underline">
            {task.subWorkflowId}
          </Link>
        </>
      );
    case "DO_WHILE":
      return `Iteration ${task.iteration} to end.`;
    default:
      return <Worker task={task} />;
  }
}

function WaitEnd({ task }: { readonly task: Task }) {
  const { duration, until } = task.inputData;
  if (typeof until === "string" || typeof until === "number") return `A time: ${until}.`;
  if (typeof duration === "string") return `${duration} after it started.`;
  return "A signal: complete it with Update above, or signal the execution.";
}

const MOST_NAMED = 12;

function JoinRest({ task, tasks }: Props) {
  const joinOn = task.inputData["joinOn"];
  const names = Array.isArray(joinOn) ? joinOn.map(String) : [];
  const latest = new Map(tasks.map((one) => [one.referenceTaskName, one.status]));
  const open = names.filter((name) => {
    const status = latest.get(name);
    return status === undefined || isTaskOpen(status);
  });
  if (open.length === 0) return "Nothing any more: it is about to end.";
  return (
    <>
      {formatCount(open.length)} of {formatCount(names.length)} tasks: {open.slice(0, MOST_NAMED).join(", ")}
      {open.length > MOST_NAMED && " …"}
    </>
  );
}

const IDLE_MS = 60_000;

function Worker({ task }: { readonly task: Task }) {
  const type = task.taskDefName || task.taskType;
  const isWorkers = task.taskType === type || task.workflowTask?.type === "SIMPLE";
  const { data } = useQueueOf(type, isWorkers);
  if (task.status === "IN_PROGRESS") {
    return (
      <>
        {task.workerId ? (
          <>
            <b>{task.workerId}</b> to report
          </>
        ) : (
          "Its work to end"
        )}
        , since <Ago at={task.startTime} />
        {task.responseTimeoutSeconds > 0 && (
          <> (offered again after {formatDuration(task.responseTimeoutSeconds * 1000)} of silence)</>
        )}
        .
      </>
    );
  }
  if (task.callbackAfterSeconds > 0) {
    return (
      <>
        A delay of {formatDuration(task.callbackAfterSeconds * 1000)}, until{" "}
        <Time at={task.updateTime + task.callbackAfterSeconds * 1000} />.
      </>
    );
  }
  if (data === undefined) return "A worker to take it.";
  const last = Math.max(0, ...data.polls.map(({ lastPollTime }) => lastPollTime));
  return (
    <>
      A worker to take it. {formatCount(data.size)} of <b>{type}</b> wait;{" "}
      {last === 0 ? (
        <b className="text-bad">no worker has ever asked for this type</b>
      ) : (
        <>
          last asked for <Ago at={last} /> by {data.polls.find((poll) => poll.lastPollTime === last)?.workerId}
          {Date.now() - last > IDLE_MS && <b className="text-bad"> (no worker seems to run)</b>}
        </>
      )}
      .
    </>
  );
}
