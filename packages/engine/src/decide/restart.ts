import { type Head, nothingYet } from "../execution/head.ts";
import { isWorkflowTerminal } from "../execution/status.ts";
import type { Event, Refusal } from "./event.ts";
import { reviveParent } from "./revive.ts";
import { begin } from "./start.ts";
import type { Transition } from "./transition.ts";

/** Same id, same input, everything else from the beginning. Constant time: old rows carry an older epoch. */
export function restart(t: Transition, event: Extract<Event, { kind: "restart" }>): Refusal | undefined {
  const { head } = t;
  const name = `${head.workflowName}.${head.workflowVersion}/${head.id}.${head.status}`;
  if (!isWorkflowTerminal(head.status)) {
    return { code: "conflict", message: `Workflow: ${name} is not in terminal state, unable to restart.` };
  }
  if (head.status === "COMPLETED" && !t.plan.def.restartable) {
    return { code: "not-found", message: `Workflow: ${name} is non-restartable` };
  }
  startOver(t, {
    ...(event.defHash === undefined ? {} : { defHash: event.defHash }),
    ...(event.workflowVersion === undefined ? {} : { workflowVersion: event.workflowVersion }),
  });
  reviveParent(t, "restarted");
  return undefined;
}

/** Wipes what happened and begins again; also a rerun that names no task. */
export function startOver(t: Transition, patch: Partial<Head>): void {
  t.wipeTasks();
  const {
    reasonForIncompletion: _reason,
    failedTaskNo: _task,
    variableSecrets: _secrets,
    jumpedAt: _jump,
    ...kept
  } = t.head;
  t.createHead({
    ...kept,
    epoch: kept.epoch + 1,
    status: "RUNNING",
    createTime: t.now,
    endTime: 0,
    lastRetriedTime: 0,
    ...nothingYet,
    ...patch,
  });
  t.forgetPlan();
  t.setWorkflow("output", {});
  t.setWorkflow("variables", t.plan.def.variables);
  begin(t);
}
