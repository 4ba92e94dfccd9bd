import { MappingFailure } from "../decide/outcome.ts";
import { closeControlTask, completeControlTask, placeOf, scheduleAtOnce, scheduleEntry } from "../decide/schedule.ts";
import { findJoinOf } from "../plan/plan.ts";
import type { TaskType } from "../registry.ts";

/** FORK_JOIN: the first task of every branch and the JOIN, all in one step. */
export const forkJoin: TaskType = {
  type: "FORK_JOIN",
  mode: "instant",
  initialStatus: "IN_PROGRESS",
  defName: "FORK",
  wireType: "FORK",
  isControl: true,
  schedule(t, entry, place) {
    if (findJoinOf(entry) === undefined && place.root === undefined) {
      throw new MappingFailure("Fork task definition is not followed by a join task.  Check the blueprint");
    }
    scheduleAtOnce(t, entry, place, forkJoin);
  },
  run(t, task, entry) {
    const fork = completeControlTask(t, task);
    const inside = placeOf(fork);
    for (const branch of entry.branches) {
      const first = branch.entries[0];
      if (first !== undefined) scheduleEntry(t, first, inside);
    }
    const join = findJoinOf(entry);
    if (join !== undefined) scheduleEntry(t, join, inside);
    closeControlTask(t, fork);
    return undefined;
  },
};
