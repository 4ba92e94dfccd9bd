import { isJsonObject, type Json } from "../json.ts";
import type { Path, Step } from "./path.ts";
import { isFloatingFunction } from "./path-functions.ts";
import { parsed, RawJson } from "./raw-json.ts";
import { isLazy, type Node, type Scope, wholeOf } from "./scope.ts";
import type { SecretPlace } from "./secret-place.ts";
import { childOf, maxVisits, select } from "./select.ts";

/** The value of a path that starts at a root of the scope. Anything missing is null, or an empty list. */
export function readPath(path: Path, scope: Scope): Json | RawJson {
  const [root] = path.plain;
  const node = typeof root === "string" ? scope.root(root) : undefined;
  return node === undefined ? nothing(path) : readFrom(node, path, 1, scope);
}

/**
 * Follows a path from a node its first `start` keys have led to. Only what the keys name is touched: a task is asked
 * member by member, a payload is parsed when a key enters it, and a payload asked for as a whole stays text.
 */
export function readFrom(node: Node, path: Path, start: number, scope: Scope): Json | RawJson {
  const { plain } = path;
  let current = node;
  let secrets: readonly SecretPlace[] = [];
  for (let at = start; at < plain.length; at += 1) {
    if (current instanceof RawJson) {
      secrets = current.secrets;
      current = current.value;
    }
    const key = plain[at] ?? 0;
    const next = memberOf(current, key);
    if (next === undefined) {
      return givesParent(path, at, scope) && canHold(current, key) ? marked(current, secrets) : nothing(path);
    }
    if (secrets.length > 0) secrets = below(secrets, current, key);
    current = next;
  }
  return path.rest.length === 0 ? marked(current, secrets) : selectRest(current, path, scope);
}

/**
 * A secret or an environment value: the text itself when the path ends at its name (`workflow.secrets.NAME`), otherwise
 * what the rest of the path finds in it, read as JSON. Null when it is not JSON.
 */
export function readJsonText(text: string, path: Path): Json | RawJson {
  if (path.plain.length === 3 && path.rest.length === 0) return text;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    // Plain text has no members: the same answer as for any path into a scalar.
    return nothing(path);
  }
  return readFrom(value, path, 3, emptyScope);
}

const emptyScope: Scope = {
  root: () => undefined,
  constant: () => undefined,
  environment: () => undefined,
  missing: "null",
};

function memberOf(node: Exclude<Node, RawJson>, key: string | number): Node | undefined {
  if (!isLazy(node)) return childOf(node, key);
  return typeof key === "string" ? node.get(key) : undefined;
}

/** The law's rule: crossing a missing field of an input, an output or the variables gives the object that lacks it. */
function givesParent(path: Path, at: number, scope: Scope): boolean {
  if (scope.missing !== "parent" || path.rest.length > 0) return false;
  if (at < 2 || at === path.plain.length - 1) return false;
  const [root, section] = path.plain;
  return section === "input" || section === "output" || (section === "variables" && root === "workflow");
}

function canHold(node: Exclude<Node, RawJson>, key: string | number): boolean {
  return typeof key === "string" && (isLazy(node) || isJsonObject(node));
}

function nothing(path: Path): Json {
  return path.many ? [] : null;
}

/** A part taken from a payload with secret references keeps the places that are inside the part. */
function marked(node: Node, secrets: readonly SecretPlace[]): Json | RawJson {
  const value = wholeOf(node);
  return secrets.length === 0 || value instanceof RawJson ? value : new RawJson(JSON.stringify(value), secrets);
}

function below(secrets: readonly SecretPlace[], parent: Node, key: string | number): readonly SecretPlace[] {
  const step = typeof key === "number" && key < 0 && Array.isArray(parent) ? parent.length + key : key;
  return secrets.filter(({ path }) => path[0] === step).map((place) => ({ ...place, path: place.path.slice(1) }));
}

function selectRest(node: Node, path: Path, scope: Scope): Json | RawJson {
  const value = parsed(wholeOf(node));
  const readRoot = (inner: Path): Json => parsed(readPath(inner, scope));
  const found = select(value, path, { readRoot, visitsLeft: maxVisits });
  if (found === undefined) return nothing(path);
  return typeof found === "number" && isFloating(path.rest.at(-1)) ? floating(found) : found;
}

function isFloating(last: Step | undefined): boolean {
  return last?.kind === "function" && isFloatingFunction(last.name);
}

function floating(value: number): RawJson {
  const text = JSON.stringify(value);
  return new RawJson(/[.e]/.test(text) ? text : `${text}.0`);
}
