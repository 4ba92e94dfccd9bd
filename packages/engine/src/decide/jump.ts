import { isUnsuccessful } from "../execution/status.ts";
import type { Task } from "../execution/task.ts";
import type { Entry } from "../plan/plan.ts";
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
  if (head.rateLimited === true) {
    return {
      code: "conflict",
      message: `The workflow ${head.id} waits for a slot of its rateLimitConfig, it cannot jump`,
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
  if (entry.task.type === "JOIN" || entry.task.type === "EXCLUSIVE_JOIN") {
    const message = `The task referenced by ${ref} is a ${entry.task.type}: jump to the fork before it, or past it`;
    return { code: "invalid", message };
  }
  for (const task of t.openTasks(Number.MAX_SAFE_INTEGER)) {
    cancelTask(t, task);
    // Skipped, not cancelled: a later retry must not bring it back.
    t.patchTask(task.no, { status: "SKIPPED", executed: true, reasonForIncompletion: `Jumped to ${ref}` });
  }
  for (const task of t.unfollowedTasks()) t.patchTask(task.no, { executed: true });
  supersedeFrom(t, entry);
  t.patchHead({ open: 0, loops: {}, joins: {}, trees: {}, forks: {}, jumpedAt: head.nextNo });
  t.agenda.length = 0;
  scheduleEntry(t, entry, taskInput === undefined ? rootPlace : { ...rootPlace, data: taskInput });
  return undefined;
}

/** Where the flow goes through tasks a second time, the first attempts count no more. Nor does what went wrong before. */
function supersedeFrom(t: Transition, target: Entry): void {
  for (const task of t.allTasks()) {
    // What was skipped ahead of time stays skipped.
    const isPassed = task.status === "SKIPPED" && task.seq === 0;
    const isOver = isUnsuccessful(task.status) || rootIndex(t, task) >= target.index;
    if (!task.retried && !isPassed && isOver) t.patchTask(task.no, { retried: true });
  }
}

/** Where in the outermost sequence the task belongs. Branches of a dynamic fork stand where their JOIN does. */
function rootIndex(t: Transition, task: Task): number {
  if (task.tree !== 0) {
    const { join } = t.task(task.tree);
    return join === 0 ? Number.POSITIVE_INFINITY : rootIndex(t, t.task(join));
  }
  let entry = t.entryOf(task);
  while (entry.list.owner !== undefined) entry = entry.list.owner;
  return entry.index;
}
