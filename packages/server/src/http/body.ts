import { isJsonObject, type JsonObject } from "@downbeat/engine";
import { invalidInput } from "./errors.ts";

/** Deeper JSON is refused: code that walks it by recursion must not overflow. */
const MAX_DEPTH = 1000;

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
export function parseMap(body: unknown): JsonObject {
  if (typeof body !== "string" || body.trim() === "") return {};
  const json = parseJson(body);
  if (json === null) return {};
  if (!isJsonObject(json))
    throw invalidInput(`Expected a JSON object as body, got ${Array.isArray(json) ? "a list" : typeof json}`);
  return json;
}

function assertDepth(text: string): void {
  let depth = 0;
  let isInText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isInText) {
      if (code === 92) i++;
      else if (code === 34) isInText = false;
    } else if (code === 34) isInText = true;
    else if (code === 123 || code === 91) {
      if (++depth > MAX_DEPTH) throw invalidInput(`Expected JSON of at most ${MAX_DEPTH} levels, got deeper`);
    } else if (code === 125 || code === 93) depth--;
  }
}

/** The text up to the end of its first object or list, if more follows it. */
function withoutTrailingText(text: string): string | undefined {
  let depth = 0;
  let isInText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isInText) {
      if (code === 92) i++;
      else if (code === 34) isInText = false;
    } else if (code === 34) isInText = true;
    else if (code === 123 || code === 91) depth++;
    else if ((code === 125 || code === 93) && --depth === 0) {
      const head = text.slice(0, i + 1);
      return head.length < text.trimEnd().length && isJson(head) ? head : undefined;
    }
  }
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
