import { isJsonObject, RawJson, type StartEvent } from "@downbeat/engine";
import { readWorkflow } from "./read-execution.ts";
import type { Runtime } from "./runtime.ts";

/** The input of a failure workflow: that of the failed execution, what went wrong, and the failed execution itself. */
export async function addFailedWorkflow(runtime: Runtime, event: StartEvent): Promise<StartEvent> {
  const { failureOf, ...rest } = event;
  if (failureOf === undefined) return event;
  const failed = await readWorkflow(runtime, failureOf.workflowId, { includeTasks: true });
  const given = isJsonObject(event.input.value) ? event.input.value : {};
  const fields = JSON.stringify({ ...given, ...failureOf }).slice(0, -1);
  return { ...rest, input: new RawJson(`${fields},"failedWorkflow":${failed ?? "null"}}`, event.input.secrets) };
}
