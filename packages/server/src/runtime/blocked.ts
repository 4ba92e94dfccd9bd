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
  const tasks = await readTasks(runtime, head, search.endedRefs ?? []);
  for (const task of tasks.sort((a, b) => a.seq - b.seq)) {
    if (isTerminal(task.status) || search.isSought(task)) return { head, task };
    if (task.taskType !== "SUB_WORKFLOW" || task.subWorkflowId === undefined) continue;
    const inside = await findBlocked(runtime, task.subWorkflowId, search);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** Open tasks, and the last ones of these reference names where they have ended. */
async function readTasks(runtime: Runtime, head: Head, endedRefs: readonly string[]): Promise<Task[]> {
  const { open, latest } = tasksOf(runtime, head);
  const found = [...(await open())];
  for (const ref of endedRefs) {
    // Inside a loop a task is named with its iteration, or without to mean any.
    const task = (await latest(ref)) ?? (await latest(bareReference(ref)));
    if (task === undefined || !isTerminal(task.status)) continue;
    if (task.ref === ref || referenceTaskName(task) === ref) found.push(task);
  }
  return found;
}

type Tasks = {
  readonly open: () => Promise<readonly Task[]> | readonly Task[];
  readonly latest: (ref: string) => Promise<Task | undefined> | Task | undefined;
};

/** From memory where it holds all of them, else from the store. */
function tasksOf(runtime: Runtime, head: Head): Tasks {
  const loaded = runtime.findLoaded(head.id);
  if (loaded?.isWhole === true) {
    return {
      open: () => [...loaded.tasks.values()].filter(({ status }) => !isTerminal(status)),
      latest: (ref) => loaded.tasks.get(loaded.latest.get(ref) ?? 0),
    };
  }
  const { executions } = runtime.store;
  return {
    open: () => executions.open(head, Number.MAX_SAFE_INTEGER),
    latest: (ref) => executions.latest(head, ref),
  };
}
