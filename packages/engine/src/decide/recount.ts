import type { Join, Loop } from "../execution/head.ts";
import { isSuccessful, isTerminal } from "../execution/status.ts";
import { innermostIteration, type Task } from "../execution/task.ts";
import { isDynamicJoin } from "./join-output.ts";
import { countJoined } from "./joined-tasks.ts";
import { loopItems } from "./loop-output.ts";
import type { Transition } from "./transition.ts";

/**
 * Makes every counter of the head right again from the tasks themselves, and puts on the agenda what is ready to go on.
 * Linear in the number of tasks; for operations that reopen an execution, never for a step.
 */
export function recount(t: Transition): void {
  const tasks = t.allTasks().filter((task) => !task.retried && task.status !== "SKIPPED");
  const trees = recountTrees(tasks);
  t.patchHead({
    open: tasks.filter((task) => task.scope === 0 && !task.executed).length,
    loops: recountLoops(t, tasks),
    trees,
    hasFailures: t.head.hasFailures || tasks.some((task) => isTerminal(task.status) && !isSuccessful(task.status)),
  });
  t.patchHead({ joins: recountJoins(t, tasks) });
  for (const task of tasks) {
    if (isTerminal(task.status) && isSuccessful(task.status) && !task.executed)
      t.agenda.push({ kind: "follow-up", no: task.no });
  }
  for (const no of Object.keys(t.head.joins)) t.agenda.push({ kind: "run", no: Number(no) });
  for (const [no, loop] of Object.entries(t.head.loops)) {
    if (loop.iteration === 0) t.agenda.push({ kind: "run", no: Number(no) });
    else if (loop.open === 0) t.agenda.push({ kind: "iteration-done", no: Number(no) });
  }
}

function recountLoops(t: Transition, tasks: readonly Task[]): Record<number, Loop> {
  const loops: Record<number, Loop> = {};
  for (const task of tasks) {
    if (task.taskType !== "DO_WHILE" || isTerminal(task.status)) continue;
    const inside = tasks.filter((other) => other.scope === task.no);
    const iteration = inside.reduce((highest, other) => Math.max(highest, innermostIteration(other.iter)), 0);
    const items = t.entryOf(task).items === undefined ? {} : { items: loopItems(t, task).length };
    loops[task.no] = {
      iteration,
      iter: task.iter,
      open: inside.filter((other) => !other.executed).length,
      ...items,
    };
  }
  return loops;
}

function recountJoins(t: Transition, tasks: readonly Task[]): Record<number, Join> {
  const joins: Record<number, Join> = {};
  for (const task of tasks) {
    if ((task.taskType !== "JOIN" && task.taskType !== "EXCLUSIVE_JOIN") || isTerminal(task.status)) continue;
    const count =
      task.taskType === "JOIN" && isDynamicJoin(t, task)
        ? countBranches(t, task, tasks)
        : countJoined(t, t.entryOf(task).task.joinOn, task.iter);
    joins[task.no] = { ref: task.ref, iter: task.iter, ...count };
  }
  return joins;
}

/** Branches that a growing fork has not created yet are open too. */
function countBranches(t: Transition, join: Task, tasks: readonly Task[]): { open: number; troubled: number } {
  const branches = tasks.filter((other) => other.join === join.no);
  const growing = Object.values(t.head.forks).find((fork) => fork.join === join.no);
  const toCome = growing === undefined ? 0 : growing.total - growing.next;
  const isOpen = (task: Task) => !task.executed || (t.head.trees[task.no] ?? 0) > 0;
  const ended = branches.filter((task) => !isOpen(task));
  return {
    open: toCome + branches.length - ended.length,
    troubled: ended.filter((task) => task.status !== "COMPLETED").length,
  };
}

function recountTrees(tasks: readonly Task[]): Record<number, number> {
  const trees: Record<number, number> = {};
  for (const task of tasks) {
    if (task.tree === 0 || task.executed) continue;
    const root = tasks.find((other) => other.no === task.tree);
    if (root === undefined || !containers.has(root.taskType)) continue;
    trees[task.tree] = (trees[task.tree] ?? 0) + 1;
  }
  return trees;
}

const containers = new Set(["SWITCH", "DECISION", "FORK"]);
