import type { Task } from "../execution/task.ts";
import type { JsonObject } from "../json.ts";
import type { Entry } from "../plan/plan.ts";
import type { Transition } from "./transition.ts";

type PassedOptions = { readonly iter: string; readonly input: JsonObject; readonly output: JsonObject };

/** Writes down a task that is never going to run, with what it is to show: SKIPPED, and out of the order of the others. */
export function createPassedTask(t: Transition, entry: Entry, { iter, input, output }: PassedOptions): Task {
  const task = t.createEndedTask({
    seq: 0,
    ref: entry.ref,
    iter,
    scope: 0,
    tree: 0,
    join: 0,
    taskType: entry.task.name,
    taskDefName: entry.task.name,
    status: "SKIPPED",
    retryCount: 0,
    retried: false,
    executed: true,
    scheduledTime: t.now,
    firstScheduledTime: t.now,
    startTime: 0,
    endTime: t.now,
    updateTime: 0,
    startDelayInSeconds: 0,
    callbackAfterSeconds: 0,
    pollCount: 0,
    iteration: 0,
    priority: t.head.priority,
  });
  t.setInput(task.no, input);
  t.setOutput(task.no, output);
  return task;
}
