import { Link } from "@tanstack/react-router";
import { ArrowUpRight, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Action, TaskSubject } from "../../actions/action.ts";
import { ActionDialog } from "../../actions/action-dialog.tsx";
import { rerun } from "../../actions/task/rerun.ts";
import { update } from "../../actions/task/update.ts";
import { path } from "../../api/client.ts";
import { useTask, useTaskLogs } from "../../api/tasks.ts";
import type { Execution, Task, TaskState } from "../../api/types.ts";
import { Button, IconButton } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { ErrorBoundary, Problem } from "../../components/error-boundary.tsx";
import { IdText } from "../../components/id-text.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StatusBadge, StatusDot } from "../../components/status-badge.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Duration, Time } from "../../components/time.tsx";
import { isTaskOpen, toneOf } from "../../lib/status.ts";
import { AttemptDiff } from "./attempt-diff.tsx";
import { WaitsFor } from "./waits-for.tsx";

type Props = {
  readonly execution: Execution;
  readonly task: TaskState;
  readonly tasks: readonly TaskState[];
  readonly onOpen: (taskId: string | undefined) => void;
  readonly onChanged: () => void;
};

const tabNames = ["input", "output", "logs", "definition", "json"] as const;
type TabName = (typeof tabNames)[number];
const tabLabels: Record<TabName, string> = {
  input: "Input",
  output: "Output",
  logs: "Logs",
  definition: "Definition",
  json: "JSON",
};

const taskActions: readonly Action<TaskSubject>[] = [update, rerun];

/** Everything about one task, beside the view it was chosen in. */
export function TaskPanel({ execution, task, tasks, onOpen, onChanged }: Props) {
  const version = `${task.status} ${task.updateTime} ${task.startTime} ${task.endTime}`;
  const { data, error, refetch } = useTask(task.taskId, version);
  const attempts = useMemo(
    () => tasks.filter((one) => one.referenceTaskName === task.referenceTaskName),
    [tasks, task.referenceTaskName],
  );
  return (
    <aside
      aria-label={`Task ${task.referenceTaskName}`}
      className="flex w-[30rem] max-w-[50vw] shrink-0 flex-col border-l border-line bg-surface"
    >
      <header className="border-b border-line px-3 pt-2.5 pb-2">
        <div className="flex items-center gap-2">
          <h2 className="truncate text-sm font-semibold" title={task.referenceTaskName}>
            {task.referenceTaskName}
          </h2>
          <StatusBadge status={task.status} />
          <IconButton label="Close the task" className="ml-auto" onClick={() => onOpen(undefined)}>
            <X />
          </IconButton>
        </div>
        <div className="flex items-center gap-2 text-xs text-faint">
          <span className="mono">{task.taskType}</span>
          {task.taskDefName !== task.taskType && <span className="truncate">{task.taskDefName}</span>}
          <IdText id={task.taskId} />
        </div>
        {attempts.length > 1 && <Attempts attempts={attempts} open={task} onOpen={onOpen} />}
      </header>
      <ErrorBoundary resetKey={task.taskId}>
        {error !== null ? (
          <Problem error={error} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Skeleton />
        ) : (
          <Details
            execution={execution}
            state={task}
            task={data}
            tasks={tasks}
            attempts={attempts}
            onChanged={onChanged}
          />
        )}
      </ErrorBoundary>
    </aside>
  );
}

type AttemptsProps = {
  readonly attempts: readonly TaskState[];
  readonly open: TaskState;
  readonly onOpen: (taskId: string) => void;
};

function Attempts({ attempts, open, onOpen }: AttemptsProps) {
  return (
    <fieldset className="mt-1.5 flex flex-wrap gap-1">
      <legend className="sr-only">Attempts</legend>
      {attempts.map((attempt, i) => (
        <Button
          key={attempt.taskId}
          isSmall
          aria-pressed={attempt.taskId === open.taskId}
          className={attempt.taskId === open.taskId ? "!border-accent" : ""}
          onClick={() => onOpen(attempt.taskId)}
        >
          <StatusDot status={attempt.status} /> Attempt {i + 1}
        </Button>
      ))}
    </fieldset>
  );
}

type DetailsProps = {
  readonly execution: Execution;
  readonly state: TaskState;
  readonly task: Task;
  readonly tasks: readonly TaskState[];
  readonly attempts: readonly TaskState[];
  readonly onChanged: () => void;
};

function Details({ execution, state, task, tasks, attempts, onChanged }: DetailsProps) {
  const [tab, setTab] = useState<TabName>(isTaskOpen(task.status) ? "input" : "output");
  const [chosen, setChosen] = useState<Action<TaskSubject>>();
  const subject: TaskSubject = { execution, tasks, task: state, input: task.inputData };
  return (
    <>
      <div className="flex items-center gap-1.5 border-b border-line px-3 py-1.5">
        {taskActions
          .filter((action) => action.obstacle(subject) === undefined)
          .map((action) => (
            <Button key={action.id} isSmall onClick={() => setChosen(action)}>
              <action.icon /> {action.label}
            </Button>
          ))}
        {task.subWorkflowId && (
          <Link
            to="/executions/$id"
            params={{ id: task.subWorkflowId }}
            className="inline-flex h-6 items-center gap-1 rounded-md border border-line-strong px-2 text-xs font-medium hover:bg-hover"
          >
            Open sub-workflow <ArrowUpRight className="size-3.5" />
          </Link>
        )}
        <span className="ml-auto">
          <CopyAs request={{ method: "GET", path: path`/tasks/${task.taskId}` }} />
        </span>
      </div>
      <Times task={task} />
      <Reason task={task} />
      <WaitsFor task={task} tasks={tasks} />
      <Tabs
        label="Task"
        className="mt-2 flex-1"
        value={tab}
        onChange={setTab}
        tabs={tabNames.map((name) => ({ name, label: tabLabels[name] }))}
      >
        <div className="min-h-0 flex-1 overflow-auto">
          <TabContent tab={tab} task={task} attempts={attempts} />
        </div>
      </Tabs>
      {chosen !== undefined && (
        <ActionDialog action={chosen} subject={subject} onClose={() => setChosen(undefined)} onDone={onChanged} />
      )}
    </>
  );
}

type TabProps = { readonly tab: TabName; readonly task: Task; readonly attempts: readonly TaskState[] };

function TabContent({ tab, task, attempts }: TabProps) {
  switch (tab) {
    case "input":
      return <JsonView value={task.inputData} label="input" fileName={`${task.referenceTaskName}-input.json`} />;
    case "output":
      return (
        <>
          <JsonView value={task.outputData} label="output" fileName={`${task.referenceTaskName}-output.json`} />
          {attempts.length > 1 && <AttemptDiff task={task} attempts={attempts} />}
        </>
      );
    case "logs":
      return <Logs taskId={task.taskId} told={attempts.find(({ taskId }) => taskId === task.taskId)} />;
    case "definition":
      return (
        <>
          <JsonView value={task.workflowTask as never} label="entry of the definition" />
          {task.taskDefinition && (
            <>
              <h3 className="border-t border-line px-3 pt-3 text-xs font-semibold text-faint">Task definition</h3>
              <JsonView value={task.taskDefinition} label="task definition" />
            </>
          )}
        </>
      );
    case "json":
      return <JsonView value={task as never} label="task" fileName={`${task.taskId}.json`} />;
  }
}

/** A later attempt carries the reason of the one before: when it went well, that is history. */
function Reason({ task: { status, reasonForIncompletion: reason } }: { readonly task: Task }) {
  if (!reason) return null;
  const isPast = toneOf(status) === "good" || isTaskOpen(status);
  return (
    <p
      className={`mx-3 mt-3 max-h-32 shrink-0 overflow-auto rounded-md px-3 py-2 text-sm break-words ${isPast ? "bg-quiet-soft text-soft" : "bg-bad-soft text-bad"}`}
    >
      {isPast && "Before: "}
      {reason}
    </p>
  );
}

function Times({ task }: { readonly task: Task }) {
  const { scheduledTime, startTime, endTime, status } = task;
  return (
    <dl className="grid grid-cols-[auto_1fr_auto_1fr] gap-x-2 gap-y-1 px-3 pt-2.5 text-xs [&_dd]:truncate [&_dt]:text-faint">
      <dt>Scheduled</dt>
      <dd>
        <Time at={scheduledTime} withMs withDate={false} />
      </dd>
      <dt>Waited</dt>
      <dd>
        <Duration from={scheduledTime} to={startTime || endTime} />
      </dd>
      <dt>Started</dt>
      <dd>
        <Time at={startTime} withMs withDate={false} />
      </dd>
      <dt>Ran</dt>
      <dd>
        <Duration from={startTime} to={isTaskOpen(status) ? 0 : endTime || startTime} />
      </dd>
      <dt>Worker</dt>
      <dd title={task.workerId}>{task.workerId ?? "–"}</dd>
      <dt>Polls</dt>
      <dd>{task.pollCount}</dd>
      {task.domain && (
        <>
          <dt>Domain</dt>
          <dd>{task.domain}</dd>
        </>
      )}
      {task.iteration > 0 && (
        <>
          <dt>Iteration</dt>
          <dd>{task.iteration}</dd>
        </>
      )}
    </dl>
  );
}

type LogsProps = { readonly taskId: string; readonly told: TaskState | undefined };

/** Newest at the end, and the end in sight. The stream tells of the task again when a line was added. */
function Logs({ taskId, told }: LogsProps) {
  const { data } = useTaskLogs(taskId, told);
  const end = useRef<HTMLDivElement>(null);
  const count = data?.length ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line is the reason to scroll
  useEffect(() => {
    // Newer browsers answer with a promise, which is no way to clean up.
    end.current?.scrollIntoView({ block: "nearest" });
  }, [count]);
  if (data === undefined) return <Skeleton />;
  if (data.length === 0) {
    return (
      <p className="p-3 text-sm text-faint">
        No logs. A worker adds them with its result, or by POST /api/tasks/{"{id}"}/log.
      </p>
    );
  }
  return (
    <>
      <ol aria-label="Logs" className="mono p-3 leading-relaxed">
        {data.map(({ log, createdTime }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are only ever added at the end
          <li key={i} className="flex gap-3">
            <span className="shrink-0 text-faint">
              <Time at={createdTime} withDate={false} withMs />
            </span>
            <span className="break-words whitespace-pre-wrap">{log}</span>
          </li>
        ))}
      </ol>
      <div ref={end} />
    </>
  );
}
