import { isTerminal } from "../execution/status.ts";
import { ExpressionFailure } from "../expression/expression-failure.ts";
import { Missing } from "./context.ts";
import { waitingWork } from "./deadlines.ts";
import { completeExecution, orFail } from "./end.ts";
import { finishTask } from "./finish.ts";
import { followUp, treeDone } from "./follow-up.ts";
import { iterationDone } from "./iterate.ts";
import { failedForGood } from "./outcome.ts";
import { typeOfTask } from "./schedule.ts";
import { publishStateChange } from "./state-events.ts";
import type { AgendaItem, Transition } from "./transition.ts";

/**
 * Instant tasks run per transition, by their cost. A longer chain (an endless loop of instant tasks, say) goes on in the next one, so
 * that it never holds up other executions or the execution's own pause and terminate.
 */
const INSTANT_BUDGET = 500;

/** Works the agenda until nothing is left to do now. */
export function settle(t: Transition): void {
  let budget = INSTANT_BUDGET;
  for (let item = t.agenda.shift(); item !== undefined; item = t.agenda.shift()) {
    if (t.head.status !== "RUNNING") break;
    if (isPostponable(item)) budget -= costOf(t, item);
    if (budget < 0 && isPostponable(item)) postpone(t, item);
    else orFail(t, () => perform(t, item));
  }
  if (t.head.status !== "RUNNING") t.agenda.length = 0;
  else if (t.head.open === 0 && t.head.rateLimited !== true) orFail(t, () => completeExecution(t));
}

function costOf(t: Transition, { kind, no }: AgendaItem): number {
  if (kind !== "run") return 1;
  const task = t.task(no);
  return typeOfTask(t, task, t.entryOf(task)).cost?.(t, task) ?? 1;
}

function perform(t: Transition, item: AgendaItem): void {
  switch (item.kind) {
    case "run":
      runTask(t, item.no);
      return;
    case "follow-up":
      followUp(t, item.no);
      return;
    case "iteration-done":
      iterationDone(t, item.no);
      return;
    case "tree-done":
      treeDone(t, item.no);
      return;
  }
}

/** Work left for the next transition: a timer that is due at once. */
function postpone(t: Transition, item: AgendaItem): void {
  const task = t.task(item.no);
  t.putWork(task.no, waitingWork(task, t.entryOf(task), t.now));
}

const isPostponable = ({ kind }: AgendaItem): boolean => kind === "run" || kind === "iteration-done";

/** Runs an instant task, or the first step of one that waits. */
function runTask(t: Transition, no: number): void {
  const task = t.task(no);
  if (isTerminal(task.status)) return;
  const entry = t.entryOf(task);
  const type = typeOfTask(t, task, entry);
  if (task.startTime === 0) publishStateChange(t, task, entry, "onStart");
  if (type.run === undefined) {
    t.patchTask(no, { status: "IN_PROGRESS", startTime: task.startTime === 0 ? t.now : task.startTime });
    t.putWork(no, waitingWork(t.task(no), entry, 0));
    return;
  }
  try {
    const outcome = type.run(t, task, entry);
    if (outcome !== undefined) finishTask(t, t.task(no), outcome);
  } catch (error) {
    if (error instanceof Missing || error instanceof ExpressionFailure) throw error;
    // A definition that a type cannot work with must not leave the execution stuck.
    finishTask(t, t.task(no), failedForGood(error instanceof Error ? error.message : String(error)));
  }
}
