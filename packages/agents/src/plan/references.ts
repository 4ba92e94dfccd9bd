import { isJsonObject, type Json, type JsonObject, ownMember } from "@downbeat/engine";
import { escapeExpressions } from "../scripts/script-of.ts";

/** The step a `{"$ref": "<step id>"}` stands for. */
export function referenceIn(value: Json): string | undefined {
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return undefined;
  const step = ownMember(value, "$ref");
  return typeof step === "string" || typeof step === "number" ? String(step) : undefined;
}

/** The steps whose output a value uses, at any depth, each once. */
export function referencesIn(value: Json | undefined, found = new Set<string>()): ReadonlySet<string> {
  if (value === undefined) return found;
  const step = referenceIn(value);
  if (step !== undefined) found.add(step);
  else if (Array.isArray(value)) for (const item of value) referencesIn(item, found);
  else if (isJsonObject(value)) for (const member of Object.values(value)) referencesIn(member, found);
  return found;
}

/**
 * The value as a task's input: references are expressions for the output of their step, and every other text means
 * itself. A plan is written by a model, so an expression in it must not reach for secrets or for other tasks.
 */
export function asInput(value: Json, outputOf: (step: string) => string): Json {
  const step = referenceIn(value);
  if (step !== undefined) return outputOf(step);
  if (typeof value === "string") return escapeExpressions(value);
  if (Array.isArray(value)) return value.map((item) => asInput(item, outputOf));
  return isJsonObject(value) ? asInputs(value, outputOf) : value;
}

export const asInputs = (value: JsonObject, outputOf: (step: string) => string): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asInput(member, outputOf)]));

/** An input as one text: a text as it is, anything else as JSON in which names mean themselves too. */
export const inputText = (input: Json): string => (typeof input === "string" ? input : inputJson(input));

function inputJson(input: Json): string {
  if (Array.isArray(input)) return `[${input.map(inputJson).join(",")}]`;
  if (!isJsonObject(input)) return JSON.stringify(input);
  const members = Object.entries(input).map(
    ([name, value]) => `${escapeExpressions(JSON.stringify(name))}:${inputJson(value)}`,
  );
  return `{${members.join(",")}}`;
}
