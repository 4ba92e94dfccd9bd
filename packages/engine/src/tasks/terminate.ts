import { endExecution } from "../decide/end.ts";
import { failed } from "../decide/outcome.ts";
import { runInput } from "../decide/run-input.ts";
import { completeControlTask } from "../decide/schedule.ts";
import { taskId } from "../execution/ids.ts";
import { RawJson } from "../expression/raw-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { TaskType } from "../registry.ts";

/** TERMINATE: ends the execution with a status, a reason and an output of its own. */
export const terminate: TaskType = {
  type: "TERMINATE",
  mode: "instant",
  initialStatus: "IN_PROGRESS",
  run(t, task) {
    const { terminationStatus, terminationReason, workflowOutput } = runInput(t, task);
    if (terminationStatus !== "COMPLETED" && terminationStatus !== "FAILED" && terminationStatus !== "TERMINATED") {
      return failed("given termination status is not valid");
    }
    const output = new RawJson(JSON.stringify(outputOf(workflowOutput)));
    t.setOutput(task.no, output);
    completeControlTask(t, task);
    t.patchTask(task.no, { executed: true, ...(terminationStatus === "COMPLETED" ? { isLast: true } : {}) });
    endExecution(t, {
      status: terminationStatus,
      reason:
        typeof terminationReason === "string" && terminationReason !== ""
          ? terminationReason
          : `Workflow is ${terminationStatus} by TERMINATE task: ${taskId(t.head.id, task.no)}`,
      output,
      runsFailureWorkflow: terminationStatus !== "COMPLETED",
    });
    return undefined;
  },
};

function outputOf(workflowOutput: Json | undefined): JsonObject {
  if (workflowOutput === undefined || workflowOutput === null) return {};
  return isJsonObject(workflowOutput) ? workflowOutput : { output: workflowOutput };
}
