import { isTerminal } from "../execution/status.ts";
import { referenceTaskName } from "../execution/task.ts";
import { bareReference } from "../expression/reference-name.ts";
import type { Event, Refusal } from "./event.ts";
import { reportToJoins } from "./joining.ts";
import { createPassedTask } from "./passed-task.ts";
import { findByReference } from "./scope.ts";
import type { Transition } from "./transition.ts";

/** Marks a task that has not been reached as skipped; the flow will jump over it. */
export function skip(t: Transition, event: Extract<Event, { kind: "skip" }>): Refusal | undefined {
  const { head } = t;
  if (head.status !== "RUNNING") {
    return {
      code: "conflict",
      message: `The workflow ${head.id} is not running so the task referenced by ${event.ref} cannot be skipped`,
    };
  }
  const bare = t.plan.entries.has(event.ref) ? event.ref : bareReference(event.ref);
  const entry = t.plan.entries.get(bare);
  if (entry === undefined) {
    return {
      code: "invalid",
      message: `The task referenced by ${event.ref} does not exist in the WorkflowDefinition ${head.workflowName}`,
    };
  }
  const iter = event.ref === bare ? "" : event.ref.slice(bare.length + 2);
  const existing = findByReference(t, event.ref);
  if (
    head.skipped.includes(event.ref) ||
    (existing !== undefined && (existing.iter === iter || !isTerminal(existing.status)))
  ) {
    return {
      code: "conflict",
      message: `The task referenced ${event.ref} has already been processed, cannot be skipped`,
    };
  }
  const task = createPassedTask(t, entry, {
    iter,
    input: event.taskInput ?? {},
    output: event.taskOutput ?? {},
  });
  t.patchHead({ skipped: [...head.skipped, referenceTaskName(task)] });
  reportToJoins(t, task, entry);
  return undefined;
}
