import { cancelTask } from "./cancel.ts";
import type { Event, Refusal } from "./event.ts";
import { rootPlace, scheduleEntry } from "./schedule.ts";
import type { Transition } from "./transition.ts";

/**
 * Goes on from another task of the definition's outermost sequence, before or after where the execution stands. What is
 * open is skipped; what was passed over is never scheduled.
 */
export function jump(t: Transition, { ref, taskInput }: Extract<Event, { kind: "jump" }>): Refusal | undefined {
  const { head } = t;
  if (head.status !== "RUNNING") {
    return {
      code: "conflict",
      message: `The workflow ${head.id} is not RUNNING so cannot jump. Current status is ${head.status}`,
    };
  }
  const entry = t.plan.entries.get(ref);
  if (entry === undefined) {
    const message = `The task referenced by ${ref} does not exist in the WorkflowDefinition ${head.workflowName}`;
    return { code: "invalid", message };
  }
  if (entry.list.kind !== "root") {
    const inside = entry.list.owner?.ref ?? "";
    const message = `The task referenced by ${ref} is inside ${inside}: expected a task of the outermost sequence`;
    return { code: "invalid", message };
  }
  for (const task of t.openTasks(Number.MAX_SAFE_INTEGER)) {
    cancelTask(t, task);
    // Skipped, not cancelled: a later retry must not bring it back.
    t.patchTask(task.no, { status: "SKIPPED", executed: true, reasonForIncompletion: `Jumped to ${ref}` });
  }
  for (const task of t.unfollowedTasks()) t.patchTask(task.no, { executed: true });
  supersedeFrom(t, ref);
  t.patchHead({ open: 0, loops: {}, joins: {}, trees: {}, forks: {} });
  t.agenda.length = 0;
  scheduleEntry(t, entry, taskInput === undefined ? rootPlace : { ...rootPlace, data: taskInput });
  return undefined;
}

/** Where the flow goes through tasks a second time, the first attempts count no more. */
function supersedeFrom(t: Transition, ref: string): void {
  const first = t.allTasks().find((task) => task.ref === ref && task.iter === "" && !task.retried);
  if (first === undefined) return;
  for (const task of t.allTasks()) if (task.no >= first.no && !task.retried) t.patchTask(task.no, { retried: true });
}
