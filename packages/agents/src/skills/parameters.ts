import type { Json, JsonObject } from "@downbeat/engine";

const HEADING = "[Skill Parameters]";

/** The text with its block of parameters, which takes the place of an earlier one. */
export function withParameters(text: string, params: JsonObject): string {
  const lines = Object.keys(params)
    .sort()
    .map((name) => `${name}: ${valueText(params[name] ?? null)}`);
  if (lines.length === 0) return text;
  return `${withoutParameters(text)}\n\n${[HEADING, ...lines].join("\n")}`;
}

/** The block goes from its heading to the next blank line. */
export function withoutParameters(text: string): string {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.trim() === HEADING);
  if (start === -1) return text.trimEnd();
  const length = lines.slice(start).findIndex((line) => line.trim() === "");
  const after = length === -1 ? [] : lines.slice(start + length);
  return [...lines.slice(0, start), ...after].join("\n").trimEnd();
}

/** On one line, so that a value can neither end the block nor look like a parameter of its own. */
function valueText(value: Json): string {
  if (value === null) return "";
  if (typeof value === "string") return /[\r\n]/.test(value) ? JSON.stringify(value) : value;
  return JSON.stringify(value);
}
