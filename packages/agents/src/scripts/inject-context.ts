import type { Json, JsonObject } from "@downbeat/engine";
import type { Maybe } from "./values.ts";

type Input = {
  readonly state: Maybe<JsonObject>;
  readonly signals: Maybe<Json>;
  readonly required?: Maybe<string>;
  readonly maxSize: number;
  readonly maxValueSize: number;
};

/**
 * What stands in front of the user's prompt: signals, and the state of the run. Tool results do not: the conversation
 * has them, and they would make every turn dearer than the one before. Sizes are in characters; the oldest keys of the
 * state give way first.
 */
export function injectContext(input: Input): string {
  const asText = (value: unknown): string => {
    if (value === null || value === undefined) return "";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  };
  const shorten = (text: string): string =>
    text.length > input.maxValueSize ? `${text.slice(0, input.maxValueSize)}[truncated]` : text;

  const parts: string[] = [];
  const signals = [asText(input.signals), asText(input.required)].filter((text) => text !== "").join("\n");
  if (signals !== "") parts.push(`[SIGNALS]\n${signals}\n[/SIGNALS]`);

  const entries = Object.entries(input.state ?? {}).map(([key, value]) => [key, shorten(asText(value))] as const);
  while (entries.length > 0 && JSON.stringify(Object.fromEntries(entries)).length > input.maxSize) entries.shift();
  if (entries.length > 0) {
    parts.push(`Context:\n\`\`\`json\n${JSON.stringify(Object.fromEntries(entries))}\n\`\`\``);
  }
  return parts.length === 0 ? "" : `${parts.join("\n\n")}\n\n`;
}
