import { isWorkflowTerminal } from "../execution/status.ts";
import type { Refusal } from "./event.ts";
import { growLater } from "./grow-fork.ts";
import { armWorkflowTimeout, beginIfDue } from "./start.ts";
import { wake } from "./timers.ts";
import type { Transition } from "./transition.ts";

/** Open tasks go on; nothing new is scheduled until resume. */
export function pause(t: Transition): Refusal | undefined {
  const { head } = t;
  if (isWorkflowTerminal(head.status)) {
    const name = `${head.workflowName}.${head.workflowVersion}/${head.id}`;
    return { code: "conflict", message: `Workflow ${name} has ended, status cannot be updated.` };
  }
  if (head.status === "RUNNING") t.patchHead({ status: "PAUSED" });
  return undefined;
}

export function resume(t: Transition): Refusal | undefined {
  const { head } = t;
  if (head.status !== "PAUSED") {
    return {
      code: "conflict",
      message: `The workflow ${head.id} is not PAUSED so cannot resume. Current status is ${head.status}`,
    };
  }
  t.patchHead({ status: "RUNNING", lastRetriedTime: t.now });
  armWorkflowTimeout(t);
  beginIfDue(t);
  catchUp(t);
  growLater(t);
  return undefined;
}

/** Follows up what ended, and wakes what fell due, while nothing was scheduled. */
export function catchUp(t: Transition): void {
  for (const task of t.unfollowedTasks()) t.agenda.push({ kind: "follow-up", no: task.no });
  for (const task of t.openTasks(Number.MAX_SAFE_INTEGER)) {
    const work = t.findWork(task.no);
    if (work?.state === "waiting" && work.dueAt > 0 && work.dueAt <= t.now) wake(t, task, work);
  }
}
