import { isJsonObject, type Json } from "../json.ts";
import { isList } from "./is-list.ts";
import { parsePath } from "./parse-path.ts";
import { parsed } from "./raw-json.ts";
import { readJsonText } from "./read-path.ts";
import { renderText } from "./render-text.ts";
import type { SecretPlace } from "./secret-place.ts";

/** The text of a secret by name; undefined when there is none. */
export type SecretLookup = (name: string) => string | undefined;

/**
 * The value as it is handed over, with the secret references at these places replaced: a whole value by the secret (null
 * when missing), one inside text by its text (nothing when missing). `NAME.path` reads the secret as JSON.
 *
 * A place whose literal is no longer there is left alone. The value itself is not changed; untouched parts are shared.
 */
export function substituteSecrets(value: Json, places: readonly SecretPlace[], lookup: SecretLookup): Json {
  const copies = new Set<object>();
  let result = value;
  // From the end of each string to its start, so that earlier positions stay true.
  for (const place of places.toSorted((one, other) => (other.at ?? 0) - (one.at ?? 0))) {
    result = substituteAt(result, place, 0, { lookup, copies });
  }
  return result;
}

type Substitution = { readonly lookup: SecretLookup; readonly copies: Set<object> };

function substituteAt(value: Json, place: SecretPlace, depth: number, substitution: Substitution): Json {
  const key = place.path[depth];
  if (key === undefined) return typeof value === "string" ? substituteIn(value, place, substitution.lookup) : value;
  if (isList(value) && typeof key === "number") {
    const member = value[key];
    if (member === undefined) return value;
    const list = ownCopy(value, substitution, (items) => [...items]) as Json[];
    list[key] = substituteAt(member, place, depth + 1, substitution);
    return list;
  }
  if (!isJsonObject(value) || typeof key !== "string" || !Object.hasOwn(value, key)) return value;
  // The key is an own member of the copy as well, so this assigns even to `__proto__`.
  const object = ownCopy(value, substitution, (members) => ({ ...members })) as { [key: string]: Json };
  object[key] = substituteAt(object[key] ?? null, place, depth + 1, substitution);
  return object;
}

function ownCopy<Container extends object>(
  value: Container,
  { copies }: Substitution,
  copy: (value: Container) => Container,
): Container {
  if (copies.has(value)) return value;
  const made = copy(value);
  copies.add(made);
  return made;
}

function substituteIn(value: string, place: SecretPlace, lookup: SecretLookup): Json {
  if (place.at === undefined) return value === place.text ? readSecret(place.text, lookup) : value;
  if (!value.startsWith(place.text, place.at)) return value;
  const secret = readSecret(place.text, lookup);
  const text = secret === null ? "" : renderText(secret);
  return value.slice(0, place.at) + text + value.slice(place.at + place.text.length);
}

function readSecret(literal: string, lookup: SecretLookup): Json {
  const path = parsePath(literal.slice(2, -1));
  const name = path?.plain[2];
  const secret = typeof name === "string" ? lookup(name) : undefined;
  return path === undefined || secret === undefined ? null : parsed(readJsonText(secret, path));
}
