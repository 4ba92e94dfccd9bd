import { isWorkflowTerminal } from "../execution/status.ts";
import { readyWork } from "./deadlines.ts";
import type { Refusal } from "./event.ts";
import { typeOfTask } from "./schedule.ts";
import type { Transition } from "./transition.ts";

/** Offers every open worker task at once, whatever delay it was given. */
export function resetCallbacks(t: Transition): Refusal | undefined {
  if (isWorkflowTerminal(t.head.status)) {
    return { code: "conflict", message: `Workflow is in terminal state. Status = ${t.head.status}` };
  }
  for (const task of t.openTasks(Number.MAX_SAFE_INTEGER)) {
    const work = t.findWork(task.no);
    if (work?.state !== "delayed" || typeOfTask(t, task, t.entryOf(task)).mode !== "worker") continue;
    t.patchTask(task.no, { callbackAfterSeconds: 0 });
    t.putWork(task.no, readyWork(work, t.now));
  }
  return undefined;
}
