import type { Task } from "../execution/task.ts";
import type { JsonObject } from "../json.ts";
import { compileTree } from "../plan/compile.ts";
import { type ForkedEntry, forkedEntries } from "./forked-entries.ts";
import { type Place, scheduleEntry } from "./schedule.ts";
import type { Transition } from "./transition.ts";

/** Branches of a dynamic fork per transition: a larger fork must not hold up everyone else while it is created. */
export const FORK_BATCH = 1000;

/** Creates the next batch of every fork that is still growing. */
export function growForks(t: Transition): void {
  for (const no of Object.keys(t.head.forks)) growFork(t, Number(no));
}

/** Forks that had not all their branches when the execution was paused or ended go on after this transition. */
export function growLater(t: Transition): void {
  if (Object.keys(t.head.forks).length > 0) t.continueLater();
}

export function growFork(t: Transition, no: number): void {
  const growing = t.head.forks[no];
  if (growing === undefined) return;
  const fork = t.task(no);
  const { next, total, firstSeq, join, hasOtherForks } = growing;
  const forked = forkedEntries(t.entryOf(fork).task, t.input(no).value as JsonObject, {
    workflowName: t.head.workflowName,
    hasOtherForks,
  });
  const end = Math.min(total, next + FORK_BATCH);
  for (let index = next; index < end; index++) {
    const branch = forked[index];
    if (branch !== undefined) createBranch(t, fork, branch, { join, seq: firstSeq + index });
  }
  if (end === total) {
    t.closeContainer(no);
    return;
  }
  t.putFork(no, { ...growing, next: end });
  t.continueLater();
}

/** Creates one branch, as the root of a tree of its own; answers its number. */
export function createBranch(
  t: Transition,
  fork: Task,
  { task, source, data }: ForkedEntry,
  place: Partial<Pick<Place, "join" | "seq">>,
): number {
  const root = t.head.nextNo;
  const tree = compileTree(t.withTaskDefs(task));
  t.putTree(root, tree);
  const entry = tree.root.entries[0];
  if (entry !== undefined) {
    scheduleEntry(t, entry, {
      iter: fork.iter,
      scope: fork.scope,
      tree: root,
      join: 0,
      root: JSON.stringify(source),
      data,
      ...place,
    });
  }
  return root;
}
