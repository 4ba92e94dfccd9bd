import { isJsonObject, type Json } from "@downbeat/engine";

const MASK = "***";

/** JSON text with the values of these keys hidden, at any depth. Text without them is passed on as it is. */
export function maskText(text: string, fields: readonly string[]): string {
  if (fields.length === 0 || !fields.some((field) => text.includes(JSON.stringify(field)))) return text;
  return JSON.stringify(mask(JSON.parse(text) as Json, new Set(fields)));
}

function mask(value: Json, fields: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.map((item: Json) => mask(item, fields));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fields.has(key) ? MASK : mask(member, fields)]),
  );
}
