import type { JsonObject } from "@downbeat/engine";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";

/** The model a task names; one that names none would only be refused by the provider. */
export function modelOf(from: JsonObject): string {
  const model = input.word(from, "model");
  if (model === undefined) throw new TerminalError("model not specified: null");
  return model;
}
