import { isWorkflowTerminal } from "../execution/status.ts";
import { RawJson } from "../expression/raw-json.ts";
import type { JsonObject } from "../json.ts";
import type { Refusal } from "./event.ts";
import type { Transition } from "./transition.ts";

/** Lays the given variables over those of a running execution. */
export function setVariables(t: Transition, variables: JsonObject): Refusal | undefined {
  if (isWorkflowTerminal(t.head.status)) {
    return { code: "conflict", message: `Workflow is in terminal state. Status = ${t.head.status}` };
  }
  const text = JSON.stringify({ ...(t.workflow("variables").value as JsonObject), ...variables });
  const limit = t.context.settings.maxVariablesBytes;
  if (text.length > limit) {
    return {
      code: "invalid",
      message: `The variables payload size: ${text.length} of workflow: ${t.head.id} is greater than the permissible limit: ${Math.floor(limit / 1024)} kilobytes`,
    };
  }
  t.setWorkflow("variables", new RawJson(text));
  return undefined;
}
