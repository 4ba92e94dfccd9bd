import { bareReference, type Head, isTerminal, referenceTaskName, type Task } from "@downbeat/engine";
import type { Runtime } from "./runtime.ts";

/** A task at which an execution stands, and the execution it belongs to: the one asked about, or a descendant. */
export type Blocked = { readonly head: Head; readonly task: Task };

type Search = {
  readonly isSought: (task: Task) => boolean;
  /** Ended tasks of these reference names count too. */
  readonly endedRefs?: readonly string[];
  /** Called with every execution that was looked at, before it is. */
  readonly onVisit?: (id: string) => Promise<void>;
};

/** Only a signal, an update or a person ends it. */
export const isWaitingForever = (task: Task): boolean =>
  task.taskType === "HUMAN" ||
  task.taskType === "YIELD" ||
  (task.taskType === "WAIT" && task.waitTimeout === undefined);

/** What a signal may end. */
export const isSignalable = ({ taskType }: Task): boolean => ["WAIT", "HUMAN", "YIELD"].includes(taskType);

/** The first such open task, in the order of the tasks, depth first through open sub-workflows. */
export async function findBlocked(runtime: Runtime, id: string, search: Search): Promise<Blocked | undefined> {
  await search.onVisit?.(id);
  const head = await runtime.loadHead(id);
  if (head === undefined) return undefined;
  const { executions } = runtime.store;
  const open = await executions.open(head, Number.MAX_SAFE_INTEGER);
  const ended: Task[] = [];
  for (const ref of search.endedRefs ?? []) {
    // Inside a loop a task is named with its iteration, or without to mean any.
    const task = (await executions.latest(head, ref)) ?? (await executions.latest(head, bareReference(ref)));
    if (task === undefined || !isTerminal(task.status)) continue;
    if (task.ref === ref || referenceTaskName(task) === ref) ended.push(task);
  }
  for (const task of [...open, ...ended].sort((a, b) => a.seq - b.seq)) {
    if (isTerminal(task.status) || search.isSought(task)) return { head, task };
    if (task.taskType !== "SUB_WORKFLOW" || task.subWorkflowId === undefined) continue;
    const inside = await findBlocked(runtime, task.subWorkflowId, search);
    if (inside !== undefined) return inside;
  }
  return undefined;
}
