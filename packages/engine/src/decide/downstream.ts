import { innermostIteration, type Task } from "../execution/task.ts";
import type { Entry, EntryList } from "../plan/plan.ts";
import { findJoinOf } from "../plan/plan.ts";
import type { Transition } from "./transition.ts";

export type Downstream = {
  /** Tasks that only exist because the target ended. */
  readonly removed: readonly Task[];
  /** Containers around the target, and JOINs that wait for it: they go on. */
  readonly reopened: readonly Task[];
};

/** What depends on a task, by the graph of the definition rather than by time. */
export function findDownstream(t: Transition, target: Task): Downstream {
  const tasks = t.allTasks();
  const removed = new Set<Task>();
  const reopened = new Set<Task>();
  const remove = (refs: ReadonlySet<string>, at: Task) => {
    for (const task of tasks) {
      if (task.tree === at.tree && refs.has(task.ref) && isWithin(task.iter, at.iter)) removed.add(task);
    }
  };
  for (const task of tasks) if (isSameTask(task, target) && task.no > target.no) removed.add(task);
  remove(refsInside(t.entryOf(target)), target);
  climb(target);
  if (target.taskType !== "JOIN") removed.add(target);
  removeContents(removed, tasks);
  removed.delete(target);
  for (const task of removed) reopened.delete(task);
  return { removed: [...removed], reopened: [...reopened] };

  function climb(from: Task): void {
    let at = from;
    let entry = t.entryOf(at);
    for (;;) {
      remove(refsAfter(entry), at);
      const { kind, owner } = entry.list;
      if (kind === "branch" && owner === undefined) {
        // The root of a forked tree: its JOIN goes on, and everything after the JOIN goes.
        const root = t.findTask(at.tree);
        const join = root === undefined ? undefined : t.findTask(root.join);
        if (join === undefined) return;
        reopened.add(join);
        at = join;
        entry = t.entryOf(join);
        continue;
      }
      if (owner === undefined) return;
      if (kind === "branch") {
        const joinEntry = findJoinOf(owner);
        const join = joinEntry === undefined ? undefined : t.findInIteration(joinEntry.ref, at.iter);
        if (joinEntry === undefined || join === undefined) return;
        reopened.add(join);
        at = join;
        entry = joinEntry;
        continue;
      }
      if (kind === "body") {
        const loop = t.findTask(at.scope);
        if (loop === undefined) return;
        removeLaterIterations(tasks, loop, innermostIteration(at.iter), removed);
        reopened.add(loop);
        at = loop;
      }
      entry = owner;
    }
  }
}

/** Attempts at the same thing. Every attempt at a forked task is the root of a tree of its own. */
export function isSameTask(one: Task, other: Task): boolean {
  if (one.ref !== other.ref || one.iter !== other.iter) return false;
  const areRoots = one.tree === one.no && other.tree === other.no;
  return areRoots ? one.join === other.join : one.tree === other.tree;
}

/** The body of a loop, the branches of a dynamic fork and the tree of a forked task go with what holds them. */
function removeContents(removed: Set<Task>, tasks: readonly Task[]): void {
  const gone = new Set([...removed].map((task) => task.no));
  for (let before = -1; before !== gone.size; ) {
    before = gone.size;
    for (const task of tasks) {
      if (!gone.has(task.scope) && !gone.has(task.tree) && !gone.has(task.join)) continue;
      gone.add(task.no);
      removed.add(task);
    }
  }
}

function removeLaterIterations(tasks: readonly Task[], loop: Task, iteration: number, removed: Set<Task>): void {
  const depth = loop.iter === "" ? 0 : loop.iter.split("__").length;
  for (const task of tasks) {
    if (!isWithin(task.iter, loop.iter) || task.iter === loop.iter) continue;
    const own = Number(task.iter.split("__")[depth]);
    if (own > iteration && isInScope(tasks, task, loop.no)) removed.add(task);
  }
}

function isInScope(tasks: readonly Task[], task: Task, loopNo: number): boolean {
  for (let scope = task.scope; scope !== 0; ) {
    if (scope === loopNo) return true;
    const outer = tasks.find((other) => other.no === scope);
    if (outer === undefined) return false;
    scope = outer.scope;
  }
  return false;
}

const isWithin = (iter: string, outer: string): boolean =>
  outer === "" || iter === outer || iter.startsWith(`${outer}__`);

/** Reference names that come after an entry in its own list, with all they hold. */
function refsAfter(entry: Entry): Set<string> {
  const refs = new Set<string>();
  for (const later of entry.list.entries.slice(entry.index + 1)) collect(later, refs);
  const join = entry.task.type === "FORK_JOIN" || entry.task.type === "FORK_JOIN_DYNAMIC" ? undefined : entry;
  if (join !== undefined) refs.delete(join.ref);
  return refs;
}

function refsInside(entry: Entry): Set<string> {
  const refs = new Set<string>();
  collect(entry, refs);
  refs.delete(entry.ref);
  return refs;
}

function collect(entry: Entry, refs: Set<string>): void {
  refs.add(entry.ref);
  const lists: (EntryList | undefined)[] = [...entry.cases.values(), entry.defaultCase, ...entry.branches, entry.body];
  for (const list of lists) for (const inner of list?.entries ?? []) collect(inner, refs);
}
