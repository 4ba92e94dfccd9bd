import { settleExclusiveJoin } from "../decide/exclusive-joining.ts";
import { createTask, watch } from "../decide/schedule.ts";
import { referenceTaskName } from "../execution/task.ts";
import type { TaskType } from "../registry.ts";

/** EXCLUSIVE_JOIN: done with the first joined task that ended well. */
export const exclusiveJoin: TaskType = {
  type: "EXCLUSIVE_JOIN",
  mode: "waits",
  initialStatus: "IN_PROGRESS",
  defName: "EXCLUSIVE_JOIN",
  isControl: true,
  schedule(t, entry, place) {
    const named = (refs: readonly string[]) => refs.map((ref) => referenceTaskName({ ref, iter: place.iter }));
    const { joinOn, defaultExclusiveJoinTask } = entry.task;
    const input = { joinOn: named(joinOn), defaultExclusiveJoinTask: named(defaultExclusiveJoinTask) };
    const task = createTask(t, entry, place, exclusiveJoin, { input });
    watch(t, t.patchTask(task.no, { startTime: t.now }), entry, t.now);
    t.putJoin(task.no, { ref: entry.ref, iter: place.iter, open: joinOn.length, troubled: 0 });
    t.agenda.push({ kind: "run", no: task.no });
  },
  run(t, task, entry) {
    settleExclusiveJoin(t, task, entry);
    return undefined;
  },
};
