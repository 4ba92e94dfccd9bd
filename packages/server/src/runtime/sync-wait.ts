import { isTerminal, isWorkflowTerminal, referenceTaskName, type Task } from "@downbeat/engine";
import { type Blocked, findBlocked, isWaitingForever } from "./blocked.ts";
import type { Committed } from "./commit-feed.ts";
import type { Runtime } from "./runtime.ts";

export type WaitOptions = {
  readonly timeoutMs: number;
  /** The wait is over as well when a task of one of these reference names has ended. */
  readonly untilRefs?: readonly string[];
  /** The caller is gone. */
  readonly signal?: AbortSignal;
};

export type Standstill = { readonly isTimeout: boolean; readonly blocked: Blocked | undefined };

/**
 * Resolves when an execution has ended, or stands at a task that only someone outside can end, there or in a descendant.
 * Woken by the commits of the executions concerned, never by a clock.
 */
export async function waitForStandstill(runtime: Runtime, id: string, options: WaitOptions): Promise<Standstill> {
  const watched = new Map<string, () => void>();
  let wake = () => {};
  let isOver = false;
  let hasEnded = false;
  const giveUp = () => {
    isOver = true;
    wake();
  };
  const timer = setTimeout(giveUp, options.timeoutMs);
  const signals = [runtime.stopping, ...(options.signal === undefined ? [] : [options.signal])];
  for (const signal of signals) signal.addEventListener("abort", giveUp);
  if (signals.some((signal) => signal.aborted)) isOver = true;
  const hear = (visited: string, committed: Committed) => {
    if (visited === id && hasNowEnded(committed)) hasEnded = true;
    if (mayStandStill(committed, options.untilRefs ?? [])) wake();
  };
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      // Watched before it is looked at: a commit in between is not missed.
      const blocked = await look(runtime, id, options, async (visited) => {
        if (!watched.has(visited))
          watched.set(visited, await runtime.feed.watch(visited, (committed) => hear(visited, committed)));
      });
      if (blocked !== "running") return { isTimeout: false, blocked: blocked === "ended" ? undefined : blocked };
      if (isOver) return { isTimeout: true, blocked: undefined };
      await changed;
      if (hasEnded) return { isTimeout: false, blocked: undefined };
    }
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener("abort", giveUp);
    for (const end of watched.values()) end();
  }
}

const hasNowEnded = (committed: Committed): boolean => {
  const head = headOf(committed);
  return head !== undefined && isWorkflowTerminal(head.status);
};

/** Most commits move an execution along, and nobody has to look. */
function mayStandStill(committed: Committed, untilRefs: readonly string[]): boolean {
  const head = headOf(committed);
  if (head === undefined) return committed.kind === "gap";
  if (isWorkflowTerminal(head.status)) return true;
  return tasksOf(committed).some(
    (task) =>
      isWaitingForever(task) ||
      task.taskType === "SUB_WORKFLOW" ||
      (isTerminal(task.status) && untilRefs.some((ref) => ref === task.ref || ref === referenceTaskName(task))),
  );
}

function headOf(committed: Committed) {
  if (committed.kind === "changes") return committed.changes.head;
  return committed.kind === "elsewhere" ? committed.head : undefined;
}

function tasksOf(committed: Committed): readonly Task[] {
  if (committed.kind === "changes") return [...committed.changes.newTasks, ...committed.changes.changedTasks];
  return committed.kind === "elsewhere" ? committed.tasks : [];
}

async function look(
  runtime: Runtime,
  id: string,
  { untilRefs = [] }: WaitOptions,
  onVisit: (id: string) => Promise<void>,
): Promise<Blocked | "ended" | "running"> {
  await onVisit(id);
  const head = await runtime.loadHead(id);
  if (head === undefined || isWorkflowTerminal(head.status)) return "ended";
  return (await findBlocked(runtime, id, { isSought: isWaitingForever, endedRefs: untilRefs, onVisit })) ?? "running";
}
