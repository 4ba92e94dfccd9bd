import { waitingWork } from "../decide/deadlines.ts";
import { PULL_WORKFLOW_MESSAGES, takeMessages, waitForMessage } from "../decide/messages.ts";
import { completed } from "../decide/outcome.ts";
import { RawJson } from "../expression/raw-json.ts";
import { isJsonObject, type Json } from "../json.ts";
import type { TaskType } from "../registry.ts";

/** PULL_WORKFLOW_MESSAGES: takes messages out of the execution's queue, and waits for one when there is none. */
export const pullWorkflowMessages: TaskType = {
  type: PULL_WORKFLOW_MESSAGES,
  mode: "waits",
  initialStatus: "SCHEDULED",
  run(t, task, entry) {
    const input = t.input(task.no).value;
    const { batchSize, blocking } = isJsonObject(input) ? input : {};
    const taken = takeMessages(t, toBatch(batchSize, t.context.settings.messages.maxBatch));
    const startTime = task.startTime === 0 ? t.now : task.startTime;
    const started = t.patchTask(task.no, { status: "IN_PROGRESS", startTime, pollCount: task.pollCount + 1 });
    if (taken.length === 0 && blocking !== false) {
      waitForMessage(t, task);
      // What clients of the reference see: there such a task looks again every second.
      t.patchTask(task.no, { callbackAfterSeconds: 1, updateTime: t.now });
      t.putWork(task.no, waitingWork(started, entry, 0));
      return undefined;
    }
    return completed({ messages: taken.map((text) => new RawJson(text)), count: taken.length });
  },
};

function toBatch(value: Json | undefined, most: number): number {
  const wanted = typeof value === "string" || typeof value === "number" ? Math.floor(Number(value)) : 1;
  return Number.isNaN(wanted) ? 1 : Math.max(1, Math.min(wanted, most));
}
