import { isWorkflowTerminal } from "../execution/status.ts";
import { cancelOpenTasks } from "./cancel.ts";
import { endExecution } from "./end.ts";
import type { Refusal, TerminateEvent } from "./event.ts";
import type { Transition } from "./transition.ts";

/** A user, or the parent, ends the execution. A failed one becomes TERMINATED too; its first reason goes to a log line. */
export function terminate(t: Transition, event: TerminateEvent): Refusal | undefined {
  const { head } = t;
  if (event.byParent === true && isWorkflowTerminal(head.status)) return undefined;
  if (head.status === "COMPLETED") return { code: "conflict", message: "Cannot terminate a COMPLETED workflow." };
  if (head.status === "TERMINATED") return undefined;
  if (isWorkflowTerminal(head.status)) {
    t.log(head.failedTaskNo ?? 0, `Terminated after ${head.status}: ${head.reasonForIncompletion ?? ""}`);
  }
  endExecution(t, {
    status: "TERMINATED",
    ...(event.reason === undefined ? {} : { reason: event.reason }),
    runsFailureWorkflow: event.triggerFailureWorkflow === true,
    isSilent: event.byParent === true && !wasReopened(t),
  });
  return undefined;
}

/**
 * A parent that ends its child need not hear that it ended. But the child may have told the parent in between that it
 * runs again, and then the parent waits for it.
 */
const wasReopened = ({ head }: Transition): boolean => head.lastRetriedTime > 0 || head.epoch > 0;

/** The rest of a termination that was too large for one transition. */
export function continueTermination(t: Transition): void {
  if (isWorkflowTerminal(t.head.status)) cancelOpenTasks(t);
}
