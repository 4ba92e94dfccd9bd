import { completed, failed } from "../decide/outcome.ts";
import { secretsUnder } from "../decide/run-input.ts";
import { startChild } from "../decide/start-child.ts";
import { parseStartRequest } from "../definition/start-request.ts";
import { isJsonObject } from "../json.ts";
import type { TaskType } from "../registry.ts";

/** START_WORKFLOW: starts another execution and does not wait for it. */
export const startWorkflow: TaskType = {
  type: "START_WORKFLOW",
  mode: "instant",
  initialStatus: "SCHEDULED",
  run(t, task) {
    t.patchTask(task.no, { pollCount: 1 });
    const input = t.input(task.no).value;
    const request = isJsonObject(input) ? input["startWorkflow"] : undefined;
    if (request === undefined || request === null) return failed("Missing 'startWorkflow' in input data.");
    const parsed = parseStartRequest(request);
    if ("error" in parsed) return failed(`Error reading StartWorkflowRequest. ${parsed.error}`);
    if (parsed.name === undefined || parsed.name === "") {
      return failed("startWorkflow validation failed. 'name' -> Workflow name cannot be null or empty. ");
    }
    const started = startChild(t, {
      name: parsed.name,
      version: parsed.version,
      definition: parsed.workflowDef,
      input: parsed.input ?? {},
      secrets: secretsUnder(task, "startWorkflow", "input"),
      correlationId:
        parsed.correlationId === undefined || parsed.correlationId === "" ? t.head.correlationId : parsed.correlationId,
      taskToDomain: parsed.taskToDomain ?? t.head.taskToDomain,
      priority: parsed.priority ?? 0,
      parentTaskNo: undefined,
    });
    if ("error" in started) return failed(started.error);
    return completed({ workflowId: started.id });
  },
};
