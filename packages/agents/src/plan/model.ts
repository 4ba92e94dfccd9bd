import type { JsonObject } from "@downbeat/engine";
import { escapeExpressions } from "../scripts/script-of.ts";
import { InvalidPlan } from "./plan.ts";

/** `provider/model` as the input of an LLM task. Throws InvalidPlan. */
export function modelInput(model: string): JsonObject {
  const slash = model.indexOf("/");
  if (slash <= 0 || slash === model.length - 1) {
    throw new InvalidPlan(`Invalid model format: '${model}'. Expected provider/model`);
  }
  return { llmProvider: escapeExpressions(model.slice(0, slash)), model: escapeExpressions(model.slice(slash + 1)) };
}
