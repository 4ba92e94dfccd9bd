import type { Json } from "../json.ts";
import type { SecretPlace } from "./secret-place.ts";

/** A resolved template: JSON whose leaves may still be text. */
export type Resolved = Json | RawJson | { readonly [key: string]: Resolved } | readonly Resolved[];

const noSecrets: readonly SecretPlace[] = [];

/**
 * A JSON value held as text, parsed at most once and only when someone looks inside. The text must be valid JSON.
 * `secrets` are the places of secret references inside the value; they follow the parts an expression takes from it.
 */
export class RawJson {
  /** What is stored for the value: the text itself, unless that lies elsewhere. */
  readonly stored: string;
  readonly secrets: readonly SecretPlace[];
  #value: Json | undefined;

  constructor(text: string, secrets: readonly SecretPlace[] = noSecrets) {
    this.stored = text;
    this.secrets = secrets;
  }

  get text(): string {
    return this.stored;
  }

  get value(): Json {
    this.#value ??= JSON.parse(this.text) as Json;
    return this.#value;
  }

  /** Keeps a stray `JSON.stringify` right; inside `stringifyResolved` it leaves a placeholder instead. */
  toJSON(): Json {
    if (spliced === undefined) return this.value;
    spliced.push(this);
    return placeholder;
  }
}

/**
 * A JSON object that lies elsewhere because of its size. What is stored of it is a reference; the text is fetched when
 * someone looks inside, and that may throw `Missing`.
 */
export class ExternalJson extends RawJson {
  readonly bytes: number;
  readonly #fetch: () => string;

  constructor(reference: string, bytes: number, fetch: () => string) {
    super(reference);
    this.bytes = bytes;
    this.#fetch = fetch;
  }

  override get text(): string {
    return this.#fetch();
  }
}

const placeholder = "\u0000raw";
const placeholderText = JSON.stringify(placeholder);

/** The raw values met by the `stringifyResolved` call that is running; it never yields, so there is at most one. */
let spliced: RawJson[] | undefined;

/**
 * JSON text of a resolved value, with raw parts copied in as they are.
 *
 * One native pass writes everything but the raw parts. Splicing is sound because each raw part leaves exactly one
 * placeholder: if data contains the same text the counts differ, and the slow way is taken.
 */
export function stringifyResolved(value: Resolved): string {
  if (value instanceof RawJson) return value.text;
  const raw: RawJson[] = [];
  spliced = raw;
  let text: string;
  try {
    text = JSON.stringify(value);
  } finally {
    spliced = undefined;
  }
  if (raw.length === 0) return text;
  const between = text.split(placeholderText);
  if (between.length !== raw.length + 1) return stringifyByHand(value);
  let result = between[0] ?? "";
  for (const [index, part] of raw.entries()) result += part.text + (between[index + 1] ?? "");
  return result;
}

function stringifyByHand(value: Resolved): string {
  if (value instanceof RawJson) return value.text;
  if (isList(value)) return `[${value.map(stringifyByHand).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${stringifyByHand(member)}`);
  return `{${members.join(",")}}`;
}

/** A value that is raw or not, never in between. */
export function parsed(value: Json | RawJson): Json {
  return value instanceof RawJson ? value.value : value;
}

/** The value with every raw part parsed. Parts without any are returned as they are, not copied. */
export function toJson(value: Resolved): Json {
  if (value instanceof RawJson) return value.value;
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) {
    const items = value.map(toJson);
    return items.some((item, index) => item !== value[index]) ? items : (value as Json);
  }
  const members = Object.entries(value).map(([key, member]) => [key, toJson(member)] as const);
  return members.some(([key, member]) => member !== value[key]) ? Object.fromEntries(members) : (value as Json);
}

function isList(value: Resolved): value is readonly Resolved[] {
  return Array.isArray(value);
}
