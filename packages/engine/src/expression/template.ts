import { isJsonObject, type Json } from "../json.ts";
import {
  compileText,
  type Expression,
  expressionRoots,
  resolveExpression,
  resolveText,
  type Text,
} from "./expression.ts";
import { isList } from "./is-list.ts";
import { RawJson, type Resolved } from "./raw-json.ts";
import type { Scope } from "./scope.ts";
import type { SecretPlace } from "./secret-place.ts";
import { unescapeText } from "./split-text.ts";

/**
 * JSON with expressions in its strings (task inputs, workflow outputs, event actions), compiled once per definition and
 * resolved many times. Expressions stand in values, never in keys, and what they give is not looked at again.
 *
 * Secrets are not resolved here: `${workflow.secrets.X}` stays in the result as it was written, and its place in the
 * result is reported, so that only references written in a definition are ever replaced (`substituteSecrets`). Places
 * are found while resolving, because text in front of a reference has a length only then. Values a payload has marked
 * (`RawJson.secrets`) carry their places along plain paths; wildcards, filters and rendered objects drop them.
 */
export type Template = { readonly compiled: Compiled; readonly roots: ReadonlySet<string> };

type Compiled =
  | { readonly kind: "constant"; readonly value: Json }
  | { readonly kind: "object"; readonly members: readonly (readonly [key: string, value: Compiled])[] }
  | { readonly kind: "list"; readonly items: readonly Compiled[] }
  | { readonly kind: "expression"; readonly expression: Expression; readonly path: PlacePath }
  | { readonly kind: "text"; readonly text: Text; readonly path: PlacePath };

type PlacePath = SecretPlace["path"];

export function compileTemplate(value: Json): Template {
  const roots = new Set<string>();
  return { compiled: compile(value, [], roots), roots };
}

/** Never fails: what cannot be found or understood is null. For templates made of caller data, whose secrets stay text. */
export function resolveTemplate(template: Template, scope: Scope): Resolved {
  return resolve(template.compiled, scope, undefined);
}

/** For templates written in a definition: the value, and where secret references stand in it. */
export function resolveTemplateWithSecrets(
  template: Template,
  scope: Scope,
): { readonly value: Resolved; readonly places: readonly SecretPlace[] } {
  const places: SecretPlace[] = [];
  return { value: resolve(template.compiled, scope, places), places };
}

/** Root names (`workflow`, references) the expressions name; those that only data decides are not among them. */
export function templateRoots(template: Template): ReadonlySet<string> {
  return template.roots;
}

function compile(value: Json, path: PlacePath, roots: Set<string>): Compiled {
  if (typeof value === "string") return compileString(value, path, roots);
  if (isList(value)) {
    const items = value.map((item, index) => compile(item, [...path, index], roots));
    return items.every(isConstant)
      ? { kind: "constant", value: items.map((item) => item.value) }
      : { kind: "list", items };
  }
  if (!isJsonObject(value)) return { kind: "constant", value };
  const members = Object.entries(value).map(([key, member]) => [key, compile(member, [...path, key], roots)] as const);
  const constants: [string, Json][] = [];
  for (const [key, member] of members) if (isConstant(member)) constants.push([key, member.value]);
  return constants.length === members.length
    ? { kind: "constant", value: Object.fromEntries(constants) }
    : { kind: "object", members };
}

function compileString(value: string, path: PlacePath, roots: Set<string>): Compiled {
  if (!value.includes("${")) return { kind: "constant", value };
  const text = compileText(value);
  if (text.every((part) => typeof part === "string")) return { kind: "constant", value: unescapeText(value) };
  for (const part of text) {
    if (typeof part !== "string") for (const root of expressionRoots(part)) roots.add(root);
  }
  const [only] = text;
  const isWhole = text.length === 1 && only !== undefined && typeof only !== "string";
  return isWhole ? { kind: "expression", expression: only, path } : { kind: "text", text, path };
}

function resolve(compiled: Compiled, scope: Scope, places: SecretPlace[] | undefined): Resolved {
  switch (compiled.kind) {
    case "constant":
      return compiled.value;
    case "object": {
      const object: { [key: string]: Resolved } = {};
      for (const [key, member] of compiled.members) setMember(object, key, resolve(member, scope, places));
      return object;
    }
    case "list":
      return compiled.items.map((item) => resolve(item, scope, places));
    case "expression":
      return placed(resolveExpression(compiled.expression, scope), compiled.path, places);
    case "text": {
      const { path } = compiled;
      return resolveText(compiled.text, scope, places && ((text, at) => places.push({ path, text, at })));
    }
  }
}

/** Reports the places inside a value and takes the marks off it: in the result, only `places` say what is a secret. */
function placed(value: Json | RawJson, path: PlacePath, places: SecretPlace[] | undefined): Json | RawJson {
  if (!(value instanceof RawJson) || value.secrets.length === 0) return value;
  for (const secret of value.secrets) places?.push({ ...secret, path: [...path, ...secret.path] });
  return new RawJson(value.text);
}

/** Assigning to `__proto__` would set the prototype instead of a member. */
function setMember(object: { [key: string]: Resolved }, key: string, value: Resolved): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

function isConstant(compiled: Compiled): compiled is Extract<Compiled, { kind: "constant" }> {
  return compiled.kind === "constant";
}
