import { taskId } from "../execution/ids.ts";
import { isWorkflowTerminal } from "../execution/status.ts";
import { referenceTaskName, type Task } from "../execution/task.ts";
import type { RawJson } from "../expression/raw-json.ts";
import { findDownstream, isSameTask } from "./downstream.ts";
import type { Refusal, RerunEvent } from "./event.ts";
import { recount } from "./recount.ts";
import { beginAgain, isContainer, reopenExecution, reopenOthers, resumeTask } from "./reopen.ts";
import { startOver } from "./restart.ts";
import { reviveParent } from "./revive.ts";
import { placeOf, scheduleEntry } from "./schedule.ts";
import type { Transition } from "./transition.ts";

/** Types that are scheduled anew, because what they created goes away with them. */
const containers = new Set(["FORK", "SWITCH", "DECISION", "DO_WHILE"]);

/** Runs an ended execution again from one of its tasks: what follows the task goes, finished branches beside it stay. */
export function rerun(t: Transition, event: RerunEvent): Refusal | undefined {
  const { head } = t;
  const name = `${head.workflowName}.${head.workflowVersion}/${head.id}.${head.status}`;
  if (!isWorkflowTerminal(head.status)) {
    return { code: "conflict", message: `Workflow: ${name} is not in terminal state, unable to rerun.` };
  }
  const correlation = event.correlationId === undefined ? {} : { correlationId: event.correlationId };
  if (event.fromNo === undefined) {
    if (event.workflowInput !== undefined) replaceInput(t, event.workflowInput);
    startOver(t, { ...correlation, lastRetriedTime: head.lastRetriedTime === 0 ? 0 : t.now });
    reviveParent(t, "reran");
    return undefined;
  }
  const target = t.findTask(event.fromNo);
  if (target === undefined) return { code: "invalid", message: `Task ${taskId(head.id, event.fromNo)} not found` };
  if (target.status === "SKIPPED") {
    return { code: "conflict", message: `Task ${taskId(head.id, event.fromNo)} was skipped and cannot be rerun` };
  }
  if (target.no < (head.jumpedAt ?? 0)) {
    return {
      code: "conflict",
      message: `Task ${taskId(head.id, event.fromNo)} was left by a jump and cannot be rerun`,
    };
  }
  if (event.workflowInput !== undefined) replaceInput(t, event.workflowInput);
  const downstream = findDownstream(t, target);
  reopenExecution(t, correlation);
  t.setWorkflow("output", {});
  for (const task of downstream.removed) t.removeTask(task.no);
  resetSequence(t);
  for (const task of downstream.reopened) resumeTask(t, task);
  reopenOthers(t, (task) => isSameTask(task, target));
  const remaining = new Set(t.allTasks().map(referenceTaskName));
  t.patchHead({ skipped: head.skipped.filter((ref) => remaining.has(ref)) });
  resetTarget(t, target, event);
  recount(t);
  reviveParent(t, "reran");
  return undefined;
}

function resetTarget(t: Transition, target: Task, event: RerunEvent): void {
  if (containers.has(target.taskType)) {
    const entry = t.entryOf(target);
    const place =
      target.entry === undefined ? placeOf(target) : { ...placeOf(target), join: target.join, root: target.entry };
    t.removeTask(target.no);
    resetSequence(t);
    // A container runs at once and reports to JOINs: they must count right by then.
    recount(t);
    scheduleEntry(t, entry, place);
    return;
  }
  if (isContainer(target)) {
    resumeTask(t, target);
    return;
  }
  beginAgain(t, target, {
    retryCount: target.retryCount,
    ...(event.taskInput === undefined ? {} : { input: event.taskInput }),
  });
}

/** The caller's own words: no part of them is a reference to a secret. */
function replaceInput(t: Transition, input: RawJson): void {
  const { inputSecrets: _marks, ...kept } = t.head;
  t.createHead(kept);
  t.setWorkflow("input", input);
}

function resetSequence(t: Transition): void {
  const highest = t.allTasks().reduce((seq, task) => Math.max(seq, task.seq), 0);
  t.patchHead({ nextSeq: highest + 1 });
}
