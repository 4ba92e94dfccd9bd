import type { Json } from "@downbeat/engine";
import { isJsonObject } from "@downbeat/engine";

/** The `headers` of a task's input; texts only, and none that would smuggle in another. */
export function readHeaders(value: Json | undefined): Record<string, string> {
  if (!isJsonObject(value)) return {};
  const headers: Record<string, string> = {};
  for (const [name, content] of Object.entries(value)) {
    if (content === null) continue;
    const text = typeof content === "string" ? content : JSON.stringify(content);
    if (/[\r\n]/.test(name + text)) throw new Error("MCP headers must not contain CR or LF characters");
    headers[name] = text;
  }
  return headers;
}

/** A text without the values of headers that an answer may have repeated. */
export function withoutValues(text: string, headers: Readonly<Record<string, string>>): string {
  return Object.values(headers)
    .flatMap((value) => [value, value.replace(/^\S+ /, "")])
    .filter((value) => value.length >= 6)
    .reduce((masked, value) => masked.replaceAll(value, "***"), text);
}
