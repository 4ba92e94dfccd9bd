import { countJoined } from "../decide/joined-tasks.ts";
import { settleJoin } from "../decide/joining.ts";
import { createTask, type Place, watch } from "../decide/schedule.ts";
import type { Transition } from "../decide/transition.ts";
import { referenceTaskName, type Task } from "../execution/task.ts";
import type { Entry } from "../plan/plan.ts";
import type { TaskType } from "../registry.ts";

/** JOIN: counts its joined tasks down to none; see decide/joining.ts. */
export const join: TaskType = {
  type: "JOIN",
  mode: "waits",
  initialStatus: "IN_PROGRESS",
  defName: "JOIN",
  isControl: true,
  schedule(t, entry, place) {
    const { joinOn } = entry.task;
    const task = openJoin(t, entry, place, {
      names: joinOn.map((ref) => referenceTaskName({ ref, iter: place.iter })),
      ...countJoined(t, joinOn, place.iter),
    });
    t.agenda.push({ kind: "run", no: task.no });
  },
  run(t, task) {
    settleJoin(t, task);
    return undefined;
  },
};

type Joined = { readonly names: readonly string[]; readonly open: number; readonly troubled: number };

/** Creates the JOIN's task with its counter. */
export function openJoin(t: Transition, entry: Entry, place: Place, { names, open, troubled }: Joined): Task {
  const task = createTask(t, entry, place, join, { input: { joinOn: names } });
  watch(t, t.patchTask(task.no, { startTime: t.now }), entry, t.now + task.startDelayInSeconds * 1000);
  t.putJoin(task.no, { ref: entry.ref, iter: place.iter, open, troubled });
  return task;
}
