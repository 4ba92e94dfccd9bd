import {
  type Changes,
  type Event,
  type Head,
  isTerminal,
  isWorkflowTerminal,
  type Task,
  type WorkflowStatus,
} from "@downbeat/engine";

/** What listeners of workflows are told, in the interface's own words. */
export type WorkflowEventName =
  | "started"
  | "reran"
  | "retried"
  | "paused"
  | "resumed"
  | "restarted"
  | "completed"
  | "terminated"
  | "finalized";

/** Something happened to an execution or to one of its tasks. Payloads are read when it is told. */
export type Notice =
  | { readonly kind: "workflow"; readonly event: WorkflowEventName; readonly head: Head }
  | { readonly kind: "task"; readonly head: Head; readonly task: Task };

/** What happened to the execution itself in one transition, in order. */
export function workflowEvents(
  { head }: Pick<Changes, "head">,
  statusBefore: WorkflowStatus | undefined,
  applied: readonly Event[],
): readonly WorkflowEventName[] {
  const events: WorkflowEventName[] = [];
  if (statusBefore === undefined) events.push("started");
  for (const event of applied) {
    if (event.kind === "restart") events.push("restarted");
    if (event.kind === "retry") events.push("retried");
    if (event.kind === "rerun") events.push(event.fromNo === undefined ? "reran" : "retried");
  }
  const { status } = head;
  if (statusBefore === "RUNNING" && status === "PAUSED") events.push("paused");
  if (statusBefore === "PAUSED" && status !== "PAUSED" && applied.some(({ kind }) => kind === "resume"))
    events.push("resumed");
  const hasEnded = isWorkflowTerminal(status) && (statusBefore !== status || events.length > 0);
  if (hasEnded) events.push(...(status === "COMPLETED" ? successful : unsuccessful));
  return events;
}

const successful = ["completed", "finalized"] as const;
const unsuccessful = ["finalized", "terminated"] as const;

/** Tasks whose status is another after the transition. */
export function changedTasks(
  changes: Changes,
  statusBefore: (no: number) => Task["status"] | undefined,
): readonly Task[] {
  const moved = changes.changedTasks.filter(
    ({ no, status, endTime }) =>
      // Of an ended task nothing is in memory: it is news when it ended in this very transition.
      (statusBefore(no) ?? (isTerminal(status) && endTime !== changes.head.updateTime ? status : undefined)) !== status,
  );
  const created = new Map(changes.newTasks.map((task) => [task.no, task]));
  const claimed = [...changes.work].flatMap(([no, work]) => {
    const task = created.get(no);
    return work?.state === "claimed" && task?.status === "SCHEDULED" ? [inHand(task, work.startedAt)] : [];
  });
  return [...moved, ...changes.newTasks, ...claimed];
}

/** A task as it is when a worker has taken it. */
export const inHand = (task: Task, startTime: number): Task => ({ ...task, status: "IN_PROGRESS", startTime });
