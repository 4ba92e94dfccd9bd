import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import { escapeExpressions } from "../scripts/script-of.ts";

/** `${ref.output.path}` */
export const outputOf = (ref: string, path: string): string => `\${${ref}.output.${path}}`;
export const variable = (name: string): string => `\${workflow.variables.${name}}`;
export const workflowInput = (name: string): string => `\${workflow.input.${name}}`;

/** Data that others wrote (a remembered conversation, a tool's schema): what looks like an expression in it is text. */
export function literal(value: Json): Json {
  if (typeof value === "string") return escapeExpressions(value);
  if (Array.isArray(value)) return value.map(literal);
  if (!isJsonObject(value)) return value;
  return literalObject(value);
}

export const literalObject = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [key, literal(member)]));

/**
 * Text an agent's author wrote: `${workflow...}` is an expression of theirs, any other `${` (a shell variable in an
 * example, say) is text.
 */
export const authored = (text: string): string => text.replace(/\$\{(?!workflow\.)/g, "$$$${");

export function authoredValue(value: Json): Json {
  if (typeof value === "string") return authored(value);
  if (Array.isArray(value)) return value.map(authoredValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, authoredValue(member)]));
}

/** `${workflow...}` is an expression already. */
const secretName = /\$\{(?!workflow\.)([A-Za-z_][A-Za-z0-9_.]*)\}/g;

/** Headers of a task in the definition: `${NAME}` is the secret of that name, filled in when the task runs. */
export const secretHeaders = (headers: JsonObject): JsonObject =>
  mapTexts(headers, (text) => text.replace(secretName, "${workflow.secrets.$1}"));

/** The same inside a script, where an expression would be resolved too early. The dispatch script turns them back. */
export const markedHeaders = (headers: JsonObject): JsonObject =>
  mapTexts(headers, (text) => text.replace(secretName, "#{$1}"));

const mapTexts = (map: JsonObject, change: (text: string) => string): JsonObject =>
  Object.fromEntries(
    Object.entries(map).map(([key, value]) => [key, typeof value === "string" ? change(value) : value]),
  );
