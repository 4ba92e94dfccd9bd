import type { JsonObject } from "@downbeat/engine";
import { literal } from "./embed.ts";
import { InvalidPlan } from "./plan.ts";

/** `provider/model` as the input of an LLM task. Throws InvalidPlan. */
export function modelInput(model: string): JsonObject {
  const slash = model.indexOf("/");
  if (slash <= 0 || slash === model.length - 1) {
    throw new InvalidPlan(`Invalid model format: '${model}'. Expected provider/model`);
  }
  return { llmProvider: literal(model.slice(0, slash)), model: literal(model.slice(slash + 1)) };
}
