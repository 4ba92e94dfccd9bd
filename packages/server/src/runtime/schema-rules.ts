import type { Json, JsonObject } from "@downbeat/engine";
import { Ajv, type ValidateFunction } from "ajv";

const CACHE = 500;

/** The first violation, in words; undefined when the value fits the JSON schema. Compiles each schema once. */
export function createSchemaRules(): (schema: JsonObject, value: Json) => string | undefined {
  const compiled = new Map<string, ValidateFunction | string>();
  return (schema, value) => {
    const key = JSON.stringify(schema);
    let check = compiled.get(key);
    if (check === undefined) {
      check = compile(schema);
      if (compiled.size >= CACHE) compiled.clear();
      compiled.set(key, check);
    }
    if (typeof check === "string") return check;
    try {
      if (check(value)) return undefined;
    } catch (error) {
      // A schema that leads to itself, say, runs out of stack.
      return `could not be checked: ${error instanceof Error ? error.message : String(error)}`;
    }
    const [error] = check.errors ?? [];
    return `${error?.instancePath === "" ? "value" : (error?.instancePath ?? "value")} ${error?.message ?? "does not fit the schema"}`;
  };
}

function compile(schema: JsonObject): ValidateFunction | string {
  try {
    // One compiler each: two schemas may carry the same $id.
    return new Ajv({ strict: false, validateFormats: false }).compile(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `Expected a JSON schema, got one that cannot be used: ${why}`;
  }
}
