import type { FullDefinition } from "../../api/definitions.ts";
import type { Json, JsonObject } from "../../api/types.ts";

/** One input of a workflow, as its form asks for it. */
export type RunField = {
  readonly name: string;
  readonly kind: "text" | "number" | "flag" | "json" | "any" | { readonly options: readonly string[] };
  readonly isRequired: boolean;
  readonly hint?: string;
};

/** What a workflow asks for: by its input schema, or else by what it names and reads. */
export function runFields(definition: FullDefinition): readonly RunField[] {
  const schema = definition.inputSchema?.data;
  const properties = isObject(schema?.["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema?.["required"]) ? schema["required"] : [];
  const bySchema = Object.entries(properties).map(([name, given]) =>
    fieldBySchema(name, given, required.includes(name)),
  );
  const known = new Set(Object.keys(properties));
  const others = namesOf(definition).filter((name) => !known.has(name));
  return [...bySchema, ...others.map((name): RunField => ({ name, kind: "any", isRequired: false }))];
}

function fieldBySchema(name: string, given: Json, isRequired: boolean): RunField {
  const schema = isObject(given) ? given : {};
  const { type, description, enum: options } = schema;
  const hint = typeof description === "string" ? { hint: description } : {};
  if (Array.isArray(options) && options.every((one) => typeof one === "string")) {
    return { name, kind: { options }, isRequired, ...hint };
  }
  const kind = typeof type === "string" && Object.hasOwn(kinds, type) ? (kinds[type] ?? "json") : "any";
  return { name, kind, isRequired, ...hint };
}

const kinds: Readonly<Record<string, RunField["kind"]>> = {
  string: "text",
  integer: "number",
  number: "number",
  boolean: "flag",
  object: "json",
  array: "json",
};

/** Inputs that the definition names, has values for, or reads in an expression. */
function namesOf({ inputParameters = [], inputTemplate = {}, tasks, outputParameters = {} }: FullDefinition) {
  const text = JSON.stringify([tasks, outputParameters]);
  const read = [...text.matchAll(/\$\{workflow\.input\.([A-Za-z_][\w-]*)/g)].map(([, name]) => name ?? "");
  return [...new Set([...inputParameters, ...Object.keys(inputTemplate), ...read])];
}

/** What a field's text is sent as; undefined leaves the input out. Throws when it cannot be read. */
export function readInput({ name, kind }: RunField, typed: string): Json | undefined {
  if (typed === "") return undefined;
  if (kind === "text" || typeof kind === "object") return typed;
  if (kind === "flag") return typed === "true";
  if (kind === "number") {
    if (!Number.isFinite(Number(typed))) throw new Error(`Expected ${name} to be a number, got "${typed}"`);
    return Number(typed);
  }
  try {
    return JSON.parse(typed) as Json;
  } catch (error) {
    if (kind === "json") throw new Error(`Expected ${name} to be JSON`, { cause: error });
    return typed;
  }
}

/** A value as the text of its field. */
export function showInput({ kind }: RunField, value: Json | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value, null, kind === "json" ? 2 : undefined);
  // Text that would be read as something else keeps its quotes.
  return kind === "any" && isJson(value) ? JSON.stringify(value) : value;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
