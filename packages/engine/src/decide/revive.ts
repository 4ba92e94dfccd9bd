import { isWorkflowTerminal } from "../execution/status.ts";
import type { Event } from "./event.ts";
import { recount } from "./recount.ts";
import { reopenExecution, reopenLoopsAround, reopenOthers, resumeTask } from "./reopen.ts";
import type { Transition } from "./transition.ts";

/** Tells the parent that this execution runs again. */
export function reviveParent(t: Transition, how: "retried" | "restarted" | "reran"): void {
  tellOfRevival(t, `${t.head.id} ${how}.`);
}

function tellOfRevival(t: Transition, what: string): void {
  const { head } = t;
  if (head.parentWorkflowId === undefined || head.parentWorkflowTaskId === undefined) return;
  t.send(head.parentWorkflowId, {
    kind: "child-revived",
    no: Number.parseInt(head.parentWorkflowTaskId.slice(-6), 16),
    childId: head.id,
    log: `${LOG_START}${what}`,
  });
}

const LOG_START = "Sub workflow ";

/** A child runs again: so does this execution, from its SUB_WORKFLOW task, with everything else that went wrong. */
export function childRevived(t: Transition, event: Extract<Event, { kind: "child-revived" }>): void {
  // A jump has left the task: nothing waits for the child any more.
  if (event.no < (t.head.jumpedAt ?? 0)) return;
  const task = t.findTask(event.no);
  if (task === undefined || task.retried || task.subWorkflowId !== event.childId) return;
  if (t.entryOf(task).task.optional) return;
  const wasOver = isWorkflowTerminal(t.head.status);
  resumeTask(t, task);
  t.log(task.no, event.log);
  if (wasOver) {
    reopenExecution(t);
    reopenOthers(t, () => false);
    tellOfRevival(t, `${t.head.id} -> ${event.log.slice(LOG_START.length)}`);
  }
  reopenLoopsAround(t);
  recount(t);
}
