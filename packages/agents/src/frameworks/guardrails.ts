import type { JsonObject } from "@downbeat/engine";
import { findNumber, findObject, findText, listObjects } from "./raw.ts";

/** The guardrails of an agent, each served by a worker. */
export function readGuardrails(raw: JsonObject): readonly JsonObject[] {
  return [
    ...read(raw, "output", "guardrails"),
    ...read(raw, "input", "input_guardrails", "inputGuardrails"),
    ...read(raw, "output", "output_guardrails", "outputGuardrails"),
  ];
}

function read(raw: JsonObject, position: string, ...names: readonly string[]): readonly JsonObject[] {
  return listObjects(raw, ...names).flatMap((guardrail) => {
    const name = findText(guardrail, "name");
    const taskName = findWorker(guardrail) ?? name;
    if (taskName === undefined) return [];
    return {
      name: name ?? taskName,
      guardrailType: "custom",
      position: (findText(guardrail, "position") ?? position).toLowerCase(),
      onFail: (findText(guardrail, "onFail", "on_fail") ?? "retry").toLowerCase(),
      maxRetries: findNumber(guardrail, "maxRetries", "max_retries") ?? 3,
      taskName,
    };
  });
}

function findWorker(guardrail: JsonObject): string | undefined {
  const own = findText(guardrail, "taskName", "task_name", "_worker_ref");
  if (own !== undefined) return own;
  for (const name of ["execute", "guardrail_function", "guardrailFunction"]) {
    const worker = findText(findObject(guardrail, name) ?? {}, "_worker_ref");
    if (worker !== undefined) return worker;
  }
  return undefined;
}
