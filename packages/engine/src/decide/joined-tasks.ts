import type { Task } from "../execution/task.ts";
import { isDynamicJoin } from "./join-output.ts";
import type { Transition } from "./transition.ts";

/** The youngest attempts of all joined tasks; linear in the number of branches, so only asked once something went wrong. */
export function joinedTasks(t: Transition, join: Task): Task[] {
  if (isDynamicJoin(t, join)) return t.allTasks().filter((task) => task.join === join.no && !task.retried);
  const joinOn = t.entryOf(join).task.joinOn;
  return joinOn
    .map((ref) => t.findInIteration(ref, join.iter))
    .filter((task) => task !== undefined)
    .filter((task) => !task.retried);
}

/** How many of the named tasks are still to come, and how many went wrong, when a JOIN is created late. */
export function countJoined(
  t: Transition,
  joinOn: readonly string[],
  iter: string,
): { open: number; troubled: number } {
  let open = 0;
  let troubled = 0;
  for (const ref of new Set(joinOn)) {
    const task = t.findInIteration(ref, iter);
    // A superseded task without a newer attempt was left by a jump: it is still to come.
    if (task === undefined || task.retried || !task.executed) open++;
    else if (task.status !== "COMPLETED" && task.status !== "SKIPPED") troubled++;
  }
  return { open, troubled };
}
