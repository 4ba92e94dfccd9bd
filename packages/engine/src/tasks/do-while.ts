import { finishTask } from "../decide/finish.ts";
import { beginIteration } from "../decide/iterate.ts";
import { failedForGood } from "../decide/outcome.ts";
import { createTask, isPlainObject, resolveInput, watch } from "../decide/schedule.ts";
import { scopeOf } from "../decide/scope.ts";
import { type Resolved, toJson } from "../expression/raw-json.ts";
import { resolveTemplate } from "../expression/template.ts";
import type { TaskType } from "../registry.ts";

/** DO_WHILE: runs its body until the condition says no, or once per element in list mode; see decide/iterate.ts. */
export const doWhile: TaskType = {
  type: "DO_WHILE",
  mode: "waits",
  initialStatus: "IN_PROGRESS",
  isControl: true,
  schedule(t, entry, place) {
    const { input, secrets } = resolveInput(t, entry, place, doWhile);
    const items =
      entry.items === undefined ? undefined : toList(toJson(resolveTemplate(entry.items, scopeOf(t, t.head.nextNo))));
    const stored: Resolved = items === undefined ? input : { ...(isPlainObject(input) ? input : {}), _items: items };
    const task = createTask(t, entry, place, doWhile, { input: stored, ...(secrets === undefined ? {} : { secrets }) });
    t.patchTask(task.no, { startTime: t.now });
    const keep = entry.task.inputParameters["keepLastN"];
    if (keep !== undefined && (typeof keep !== "number" || !Number.isInteger(keep))) {
      finishTask(
        t,
        t.task(task.no),
        failedForGood(`Expected keepLastN of "${entry.ref}" to be a whole number, got ${JSON.stringify(keep)}`),
      );
      return;
    }
    t.putLoop(task.no, {
      iteration: 0,
      iter: place.iter,
      open: 0,
      ...(items === undefined ? {} : { items: items.length }),
    });
    watch(t, t.task(task.no), entry, t.now + entry.task.startDelay * 1000);
    if (entry.task.startDelay === 0) t.agenda.push({ kind: "run", no: task.no });
  },
  run(t, task, entry) {
    const loop = t.loop(task.no);
    if (loop.iteration > 0) return undefined;
    if (loop.items === 0 || (entry.body?.entries.length ?? 0) === 0) return { status: "COMPLETED" };
    beginIteration(t, task, entry, 1);
    return undefined;
  },
};

/** One iteration per element; a single value is a list of one. */
function toList(value: ReturnType<typeof toJson>): ReturnType<typeof toJson>[] {
  if (value === null) return [];
  return Array.isArray(value) ? [...value] : [value];
}
