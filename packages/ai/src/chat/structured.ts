import { isJsonObject, type Json } from "@downbeat/engine";

/** The reply as the output shows it: parsed where that is wanted, or where the whole of it is an object. */
export function toResult(text: string, jsonOutput: boolean | undefined): Json {
  const trimmed = text.trim();
  if (jsonOutput === false || trimmed === "") return text;
  const value = parse(trimmed);
  if (isJsonObject(value)) return value;
  if (jsonOutput !== true) return text;
  throw new Error(JSON.stringify({ error: "Expected the reply to be a JSON object", response: text }));
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Not JSON: the caller knows whether that matters.
    return undefined;
  }
}
