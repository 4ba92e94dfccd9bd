import { type ForkedEntry, forkedEntries } from "../decide/forked-entries.ts";
import { createBranch, FORK_BATCH, growFork } from "../decide/grow-fork.ts";
import { MappingFailure } from "../decide/outcome.ts";
import {
  begin,
  closeControlTask,
  completeControlTask,
  createTask,
  isSkipped,
  placeOf,
  resolveInput,
  scheduleEntry,
} from "../decide/schedule.ts";
import type { Transition } from "../decide/transition.ts";
import { referenceTaskName, type Task } from "../execution/task.ts";
import { toJson } from "../expression/raw-json.ts";
import type { Json, JsonObject } from "../json.ts";
import { type Entry, findJoinOf } from "../plan/plan.ts";
import type { TaskType } from "../registry.ts";
import { openJoin } from "./join.ts";

/** FORK_JOIN_DYNAMIC: as many branches as its input says, and the JOIN that waits for them. */
export const forkJoinDynamic: TaskType = {
  type: "FORK_JOIN_DYNAMIC",
  mode: "instant",
  initialStatus: "IN_PROGRESS",
  defName: "FORK",
  wireType: "FORK",
  isControl: true,
  schedule(t, entry, place) {
    if (findJoinOf(entry) === undefined) {
      throw new MappingFailure(
        "Dynamic join definition is not followed by a join task.  Check the workflow definition.",
      );
    }
    const { input, secrets } = resolveInput(t, entry, place, forkJoinDynamic);
    const options = { input, ...(secrets === undefined ? {} : { secrets }) };
    if (entry.task.startDelay > 0) {
      begin(t, createTask(t, entry, place, forkJoinDynamic, options), entry, forkJoinDynamic);
      return;
    }
    // Before the fork is written down: an input that asks for nothing sensible leaves no task behind.
    const forked = branchesOf(t, entry, toJson(input));
    expand(t, createTask(t, entry, place, forkJoinDynamic, options), entry, forked);
  },
  run(t, task, entry) {
    expand(t, task, entry, branchesOf(t, entry, t.input(task.no).value));
    return undefined;
  },
};

const branchesOf = (t: Transition, entry: Entry, input: Json): readonly ForkedEntry[] =>
  forkedEntries(entry.task, input as JsonObject, {
    workflowName: t.head.workflowName,
    hasOtherForks: t.head.dynamicForks > 0,
  });

function expand(t: Transition, task: Task, entry: Entry, forked: readonly ForkedEntry[]): void {
  const fork = completeControlTask(t, task);
  const hasOtherForks = t.head.dynamicForks > 0;
  t.patchHead({ dynamicForks: t.head.dynamicForks + 1 });
  const joinEntry = findJoinOf(entry);
  const inside = placeOf(fork);
  if (joinEntry === undefined || isSkipped(t, joinEntry, inside)) {
    branchOut(t, fork, forked, () => 0);
    if (joinEntry !== undefined) scheduleEntry(t, joinEntry, inside);
  } else if (forked.length > FORK_BATCH) {
    const firstSeq = t.head.nextSeq;
    const join = openJoin(t, joinEntry, { ...inside, seq: firstSeq + forked.length }, joined(fork, forked));
    t.putFork(fork.no, { next: 0, total: forked.length, firstSeq, join: join.no, hasOtherForks });
    growFork(t, fork.no);
  } else {
    branchOut(t, fork, forked, () => t.head.nextNo);
    const join = openJoin(t, joinEntry, inside, joined(fork, forked));
    if (forked.length === 0) t.agenda.push({ kind: "run", no: join.no });
  }
  closeControlTask(t, fork);
}

const joined = (fork: Task, forked: readonly ForkedEntry[]) => ({
  names: forked.map(({ task }) => referenceTaskName({ ref: task.taskReferenceName, iter: fork.iter })),
  open: forked.length,
  troubled: 0,
});

/**
 * Every forked task is the root of a tree of its own, so that a container among them finds what follows inside it. The
 * JOIN comes after its branches, so its number is known only when they are there.
 */
function branchOut(t: Transition, fork: Task, forked: readonly ForkedEntry[], joinNo: () => number): void {
  const roots = forked.map((branch) => createBranch(t, fork, branch, {}));
  const join = joinNo();
  if (join !== 0) for (const root of roots) t.patchTask(root, { join });
}
