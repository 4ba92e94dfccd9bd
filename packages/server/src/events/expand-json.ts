import { isJsonObject, type Json } from "@downbeat/engine";

/** Texts that hold JSON objects or lists become what they hold, at any depth. */
export function expandJson(value: Json): Json {
  if (typeof value === "string") return parsed(value);
  if (Array.isArray(value)) return value.map((item: Json) => expandJson(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expandJson(member)]));
}

function parsed(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return expandJson(JSON.parse(text) as Json);
  } catch {
    // It only looked like JSON.
    return text;
  }
}
