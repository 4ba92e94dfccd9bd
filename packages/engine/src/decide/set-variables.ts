import { isWorkflowTerminal } from "../execution/status.ts";
import { RawJson } from "../expression/raw-json.ts";
import type { JsonObject } from "../json.ts";
import type { Refusal } from "./event.ts";
import type { Transition } from "./transition.ts";
import { layVariables } from "./variables.ts";

/** Someone outside changes the variables of a running execution. */
export function setVariables(t: Transition, variables: JsonObject): Refusal | undefined {
  if (isWorkflowTerminal(t.head.status)) {
    return { code: "conflict", message: `Workflow is in terminal state. Status = ${t.head.status}` };
  }
  const problem = layVariables(t, new RawJson(JSON.stringify(variables)));
  return problem === undefined ? undefined : { code: "invalid", message: problem };
}
