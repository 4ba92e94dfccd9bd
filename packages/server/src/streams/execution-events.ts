import { type Head, referenceTaskName, type Task, taskId } from "@downbeat/engine";
import type { Committed } from "../runtime/commit-feed.ts";
import { withClaim } from "../runtime/execution.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { eventText } from "./event-stream.ts";
import type { Token } from "./token-feed.ts";

/** When something last happened to a task. */
export const lastTimeOf = ({ scheduledTime, startTime, endTime, updateTime }: Task): number =>
  Math.max(scheduledTime, startTime, endTime, updateTime);

const lastTimeOfExecution = ({ createTime, updateTime, endTime }: Head): number =>
  Math.max(createTime, updateTime, endTime);

/** An execution's status, as an event. */
export function workflowEvent(head: Head): string {
  const data = {
    workflowId: head.id,
    workflowType: head.workflowName,
    version: head.workflowVersion,
    status: head.status,
    correlationId: head.correlationId,
    parentWorkflowId: head.parentWorkflowId,
    startTime: head.createTime,
    updateTime: head.updateTime,
    endTime: head.endTime,
    reasonForIncompletion: head.reasonForIncompletion,
  };
  return eventText("workflow", lastTimeOfExecution(head), JSON.stringify(data));
}

/** A task's status, as an event. */
export function taskEvent(head: Head, task: Task): string {
  const data = {
    workflowId: head.id,
    taskId: taskId(head.id, task.no),
    referenceTaskName: referenceTaskName(task),
    taskType: task.taskType,
    taskDefName: task.taskDefName,
    status: task.status,
    seq: task.seq,
    retryCount: task.retryCount,
    iteration: task.iteration,
    scheduledTime: task.scheduledTime,
    startTime: task.startTime,
    endTime: task.endTime,
    updateTime: task.updateTime,
    workerId: task.workerId,
    subWorkflowId: task.subWorkflowId,
    reasonForIncompletion: task.reasonForIncompletion,
  };
  return eventText("task", lastTimeOf(task), JSON.stringify(data));
}

/** A piece of a model's reply. It has no id: it cannot be asked for again. */
export function tokenEvent({ executionId, taskId: id, referenceTaskName: ref, kind, delta }: Token): string {
  const data = { workflowId: executionId, taskId: id, referenceTaskName: ref, kind, delta };
  return `event: token\ndata: ${JSON.stringify(data)}\n\n`;
}

type Touched = { readonly head: Head; readonly tasks: readonly Task[]; readonly hasNewStatus: boolean };

/** Gives the head and the tasks a commit touched, tasks as a claim left them. At once, unless they must be read. */
export function withTouched(runtime: Runtime, committed: Committed, use: (touched: Touched) => void): void {
  // Streams that missed something have ended.
  if (committed.kind === "gap") return;
  if (committed.kind === "elsewhere") {
    use(committed);
    return;
  }
  if (committed.kind === "claim") {
    withClaimed(runtime, committed, use);
    return;
  }
  const { head, newTasks, changedTasks, work } = committed.changes;
  // Work that was born claimed.
  const asSeen = (task: Task) => {
    const claim = work.get(task.no);
    return claim?.state === "claimed" ? withClaim(task, claim) : task;
  };
  use({
    head,
    tasks: [...changedTasks, ...newTasks].map(asSeen),
    hasNewStatus: committed.statusBefore !== head.status,
  });
}

function withClaimed(
  runtime: Runtime,
  { id, no }: Extract<Committed, { kind: "claim" }>,
  use: (touched: Touched) => void,
): void {
  const loaded = runtime.findLoaded(id);
  const task = loaded?.tasks.get(no);
  if (loaded?.head !== undefined && task !== undefined) {
    use({ head: loaded.head, tasks: [task], hasNewStatus: false });
    return;
  }
  const read = async () => {
    const [head, claimed] = [await runtime.loadHead(id), await runtime.findTask(id, no)];
    if (head !== undefined && claimed !== undefined) use({ head, tasks: [claimed], hasNewStatus: false });
  };
  read().catch((error: unknown) =>
    runtime.log.warn("A claim could not be shown to those who watch", { id, error: String(error) }),
  );
}
