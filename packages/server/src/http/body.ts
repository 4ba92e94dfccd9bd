import { isJsonObject, type JsonObject, type Schema } from "@downbeat/engine";
import type { Body } from "./api.ts";
import { invalidInput } from "./errors.ts";

/** JSON of this shape. The handler reads it by the model, because what was left out matters to it too. */
export const jsonBody = (schema: Schema, description: string): Body<unknown> => ({
  schema,
  description,
  required: true,
  read: parseJson,
});

/** A map of anything; none at all is the empty map. */
export const mapBody = (description: string): Body<JsonObject> => ({
  schema: { type: "object", additionalProperties: true },
  description,
  required: false,
  read: parseMap,
});

/** A map of these properties, all of them optional; none at all is the empty map. */
export const optionsBody = (schema: Schema, description: string): Body<JsonObject> => ({
  schema,
  description,
  required: false,
  read: parseMap,
});

/** A list of texts. */
export const textsBody = (description: string): Body<readonly string[]> => ({
  schema: { type: "array", items: { type: "string" } },
  description,
  required: true,
  read(body) {
    const json = parseJson(body);
    if (!Array.isArray(json)) throw invalidInput(`Expected a list of texts as body, got ${kindOf(json)}`);
    return json.map((item: unknown, index) => {
      if (typeof item === "string") return item;
      if (typeof item === "number" || typeof item === "boolean") return String(item);
      throw invalidInput(`Expected entry ${index} of the body to be a text, got ${kindOf(item)}`);
    });
  },
});

/** Deeper JSON is refused: code that walks it by recursion must not overflow. */
export const MAX_DEPTH = 1000;

/** The JSON of a body, whatever its content type says. Text after the value is ignored. */
export function parseJson(body: unknown): unknown {
  if (typeof body !== "string" || body.trim() === "") throw invalidInput("Expected a JSON body, got none");
  if (body.length > MAX_DEPTH) assertDepth(body);
  try {
    return JSON.parse(body);
  } catch (error) {
    const shorter = withoutTrailingText(body);
    if (shorter !== undefined) return JSON.parse(shorter);
    throw invalidInput(`Expected a JSON body, got text that cannot be read: ${(error as Error).message}`);
  }
}

/** A body that is a map of anything; none at all counts as the empty map. */
function parseMap(body: unknown): JsonObject {
  if (typeof body !== "string" || body.trim() === "") return {};
  const json = parseJson(body);
  if (json === null) return {};
  if (!isJsonObject(json)) throw invalidInput(`Expected a JSON object as body, got ${kindOf(json)}`);
  return json;
}

export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value === null) return "null";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function assertDepth(text: string): void {
  walkBrackets(text, (depth) => {
    if (depth > MAX_DEPTH) throw invalidInput(`Expected JSON of at most ${MAX_DEPTH} levels, got deeper`);
    return false;
  });
}

/** The text up to the end of its first object or list, if more follows it. */
function withoutTrailingText(text: string): string | undefined {
  const end = walkBrackets(text, (depth) => depth === 0);
  if (end === undefined) return undefined;
  const head = text.slice(0, end + 1);
  return head.length < text.trimEnd().length && isJson(head) ? head : undefined;
}

/** Visits every bracket outside strings with the depth after it, until a visit says that it is enough; answers where. */
function walkBrackets(text: string, isEnough: (depth: number) => boolean): number | undefined {
  let depth = 0;
  let isInText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isInText) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) isInText = false;
    } else if (code === QUOTE) {
      isInText = true;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (isEnough(++depth)) return i;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (isEnough(--depth)) return i;
    }
  }
  return undefined;
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [34, 92, 123, 125, 91, 93];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
