import { taskId } from "../execution/ids.ts";
import { isUnsuccessful, isWorkflowTerminal, type WorkflowStatus } from "../execution/status.ts";
import type { Task } from "../execution/task.ts";
import { ExpressionFailure } from "../expression/expression-failure.ts";
import { RawJson, type Resolved } from "../expression/raw-json.ts";
import { wholeOf } from "../expression/scope.ts";
import { resolveTemplate } from "../expression/template.ts";
import { cancelOpenTasks } from "./cancel.ts";
import { startFailureWorkflow } from "./failure-workflow.ts";
import { asPayload, sizeWithin } from "./finish.ts";
import { dropQueue } from "./messages.ts";
import { outputNode, scopeOf } from "./scope.ts";
import type { Transition } from "./transition.ts";

export type Ending = {
  readonly status: Exclude<WorkflowStatus, "RUNNING" | "PAUSED">;
  readonly reason?: string;
  readonly failedTask?: Task;
  /** A TERMINATE task's own output; otherwise the output is computed from the definition. */
  readonly output?: RawJson;
  readonly runsFailureWorkflow?: boolean;
  /** The parent ended this execution and does not want to hear of it. */
  readonly isSilent?: boolean;
};

/** Ends the execution: output, cancelled leftovers, failure workflow, word to the parent. */
export function endExecution(t: Transition, ending: Ending): void {
  const { status } = ending;
  // Expressions of a completed execution's output see it as still running.
  const output = ending.output ?? (status === "COMPLETED" ? computeOutput(t) : undefined);
  t.patchHead({
    status,
    endTime: t.now,
    ...(t.head.rateLimited === true ? { rateLimited: false } : {}),
    ...(ending.reason === undefined ? {} : { reasonForIncompletion: ending.reason }),
    ...(ending.failedTask === undefined || t.head.failedTaskNo !== undefined
      ? {}
      : { failedTaskNo: ending.failedTask.no }),
  });
  t.agenda.length = 0;
  noteFailures(t);
  setOutput(t, output ?? computeOutputOrNone(t));
  t.removeWork(0);
  dropQueue(t);
  if (status !== "COMPLETED" || t.head.open > 0) cancelOpenTasks(t);
  if (ending.runsFailureWorkflow === true) startFailureWorkflow(t, ending);
  if (ending.isSilent !== true) tellParent(t);
}

/** Runs a part of a transition; a definition that cannot be mapped to tasks ends the execution. */
export function orFail<T>(t: Transition, part: () => T): T | undefined {
  try {
    return part();
  } catch (error) {
    if (!(error instanceof ExpressionFailure)) throw error;
    endExecution(t, { status: "FAILED", reason: error.message, runsFailureWorkflow: true });
    return undefined;
  }
}

/** Everything is done: complete, unless a permissive task failed on the way. */
export function completeExecution(t: Transition): void {
  if (t.head.hasPermissiveFailure) {
    const failures = t
      .allTasks()
      .filter(
        (task) =>
          !task.retried &&
          isUnsuccessful(task.status) &&
          t.entryOf(task).task.permissive &&
          !t.entryOf(task).task.optional,
      );
    const first = failures[0];
    if (first !== undefined) {
      const reason = failures
        .map(
          (task) =>
            `Task ${taskId(t.head.id, task.no)} failed with status: ${task.status} and reason: '${task.reasonForIncompletion ?? "null"}'`,
        )
        .join(". ");
      endExecution(t, { status: "FAILED", reason, failedTask: first, runsFailureWorkflow: true });
      return;
    }
  }
  for (const no of t.followed) t.patchTask(no, { isLast: true });
  const isEmpty = t.head.nextNo === 1;
  endExecution(t, { status: "COMPLETED", ...(isEmpty ? { reason: "No tasks found to be executed" } : {}) });
}

/** Linear in the number of tasks, so only where something failed at all. */
function noteFailures(t: Transition): void {
  if (!t.head.hasFailures) return;
  const failed = t
    .allTasks()
    .filter((task) => task.status === "FAILED" || task.status === "FAILED_WITH_TERMINAL_ERROR");
  t.patchHead({
    failedReferenceTaskNames: [
      ...new Set(failed.map((task) => (task.iter === "" ? task.ref : `${task.ref}__${task.iter}`))),
    ],
    failedTaskNames: [...new Set(failed.map((task) => task.taskDefName))],
  });
}

function setOutput(t: Transition, output: Resolved): void {
  const raw = asPayload(output);
  const limit = t.context.settings.maxWorkflowOutputBytes;
  const size = sizeWithin(raw, limit);
  if (size <= limit) {
    t.setWorkflow("output", raw);
    return;
  }
  t.setWorkflow("output", {});
  t.patchHead({
    status: "FAILED",
    reasonForIncompletion: `The payload size: ${size} of workflow: ${t.head.id} is greater than the permissible limit: ${limit} bytes`,
  });
}

/** An execution that ends badly ends, whatever its outputParameters say. */
function computeOutputOrNone(t: Transition): Resolved {
  try {
    return computeOutput(t);
  } catch (error) {
    if (!(error instanceof ExpressionFailure)) throw error;
    return {};
  }
}

function computeOutput(t: Transition): Resolved {
  if (t.plan.output !== undefined) return resolveTemplate(t.plan.output, scopeOf(t, t.head.nextNo));
  const last = findLast(t);
  return last === undefined ? {} : wholeOf(outputNode(t, last));
}

/** The task with the highest seq: the youngest, unless a rerun made room; skipped ones have none. */
function findLast(t: Transition): Task | undefined {
  for (let no = t.head.nextNo - 1; no > 0; no--) {
    const task = t.findTask(no);
    if (task === undefined || task.seq === 0) continue;
    // The JOIN of a large fork has a lower number than its branches and stands behind them all the same.
    const root = task.tree === 0 ? task : t.findTask(task.tree);
    const join = root === undefined || root.join === 0 ? undefined : t.findTask(root.join);
    return join !== undefined && join.seq > task.seq ? join : task;
  }
  return undefined;
}

export function tellParent(t: Transition): void {
  const { head } = t;
  if (!isWorkflowTerminal(head.status)) return;
  if (head.parentWorkflowId === undefined || head.parentWorkflowTaskId === undefined) return;
  t.send(head.parentWorkflowId, {
    kind: "child-ended",
    no: Number.parseInt(head.parentWorkflowTaskId.slice(-6), 16),
    childId: head.id,
    childName: head.workflowName,
    childVersion: head.workflowVersion,
    status: head.status,
    // By value: what lies elsewhere goes with this execution, and the parent may outlive it.
    output: new RawJson(t.workflow("output").text),
    ...(head.reasonForIncompletion === undefined ? {} : { reason: head.reasonForIncompletion }),
  });
}
