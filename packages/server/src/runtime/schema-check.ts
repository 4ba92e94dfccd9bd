import type { Json, JsonObject } from "@downbeat/engine";
import { Ajv, type ValidateFunction } from "ajv";

/** The first violation, in words; undefined when the value fits the JSON schema. */
export type SchemaCheck = (schema: JsonObject, value: Json) => string | undefined;

const CACHE = 500;

export function createSchemaCheck(): SchemaCheck {
  const compiled = new Map<string, ValidateFunction | string>();
  return (schema, value) => {
    const key = JSON.stringify(schema);
    let check = compiled.get(key);
    if (check === undefined) {
      try {
        // One compiler each: two schemas may carry the same $id.
        check = new Ajv({ strict: false, validateFormats: false }).compile(schema);
      } catch (error) {
        check = `Expected a JSON schema, got one that cannot be used: ${error instanceof Error ? error.message : String(error)}`;
      }
      if (compiled.size >= CACHE) compiled.clear();
      compiled.set(key, check);
    }
    if (typeof check === "string") return check;
    if (check(value)) return undefined;
    const [error] = check.errors ?? [];
    return `${error?.instancePath === "" ? "value" : (error?.instancePath ?? "value")} ${error?.message ?? "does not fit the schema"}`;
  };
}
