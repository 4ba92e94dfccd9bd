import { isWorkflowTerminal } from "../execution/status.ts";
import { RawJson } from "../expression/raw-json.ts";
import { isJsonObject, type Json, type JsonObject, ownMember } from "../json.ts";
import type { Event, Refusal } from "./event.ts";
import type { Transition } from "./transition.ts";
import { layVariables } from "./variables.ts";

/** Someone outside changes the variables of a running execution. */
export function setVariables(
  t: Transition,
  { variables, appendArray = false }: Extract<Event, { kind: "set-variables" }>,
): Refusal | undefined {
  if (isWorkflowTerminal(t.head.status)) {
    return { code: "conflict", message: `Workflow is in terminal state. Status = ${t.head.status}` };
  }
  const laid = appendArray ? appended(t.workflow("variables").value, variables) : variables;
  const problem = layVariables(t, new RawJson(JSON.stringify(laid)));
  return problem === undefined ? undefined : { code: "invalid", message: problem };
}

function appended(before: Json, variables: JsonObject): JsonObject {
  if (!isJsonObject(before)) return variables;
  const entries = Object.entries(variables).map(([name, value]): [string, Json] => {
    const old = ownMember(before, name);
    return [name, Array.isArray(old) && Array.isArray(value) ? [...old, ...value] : value];
  });
  return Object.fromEntries(entries);
}
