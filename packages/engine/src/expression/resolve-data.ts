import { isJsonObject, type Json, ownMember } from "../json.ts";
import { toJson } from "./raw-json.ts";
import type { Scope } from "./scope.ts";
import { compileTemplate, resolveTemplate } from "./template.ts";

/** JSON with expressions over other JSON: `${order.id}` or `${$.order.id}` is read from `data`. What is missing is null. */
export function resolveAgainst(template: Json, data: Json): Json {
  const scope: Scope = {
    root: (name) => (name === "$" ? data : isJsonObject(data) ? ownMember(data, name) : undefined),
    constant: () => undefined,
    environment: () => undefined,
    missing: "null",
  };
  return toJson(resolveTemplate(compileTemplate(template), scope));
}
