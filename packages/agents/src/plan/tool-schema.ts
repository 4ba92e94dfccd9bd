import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";

/** The keywords that the check of generated arguments knows, and those that say nothing about a value. */
const known: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "minLength",
  "maxLength",
  "pattern",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "title",
  "description",
  "examples",
  "default",
  "$schema",
  "$id",
]);

/** Keywords of JSON Schema that are known and not supported; anything else is not known at all. */
const unsupported: ReadonlySet<string> = new Set([
  "$ref",
  "$defs",
  "definitions",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "const",
  "format",
  "patternProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedProperties",
  "unevaluatedItems",
  "prefixItems",
  "additionalItems",
  "contains",
  "minContains",
  "maxContains",
  "uniqueItems",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
]);

/**
 * What a plan cannot check in a tool's schema, or undefined. A keyword that would be passed over in silence is refused,
 * since whoever wrote it counts on it.
 */
export function findSchemaProblem(schema: JsonObject, path = "$"): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    if (!known.has(keyword)) {
      const kind = unsupported.has(keyword) ? "unsupported" : "unknown";
      return `uses ${kind} JSON Schema keyword '${keyword}' at ${path}`;
    }
    const problem = findBelow(keyword, value, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findBelow(keyword: string, value: Json, path: string): string | undefined {
  if (!isJsonObject(value)) return undefined;
  if (keyword === "items" || keyword === "additionalProperties") return findSchemaProblem(value, `${path}.${keyword}`);
  if (keyword !== "properties") return undefined;
  for (const [name, schema] of Object.entries(value)) {
    const problem = isJsonObject(schema) ? findSchemaProblem(schema, `${path}.properties.${name}`) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}
