import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import { refusal } from "./failure.ts";

/** Reads of a task's input; null and blank texts count as absent. */
export const read = {
  text(from: JsonObject, key: string): string | undefined {
    const value = from[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === "object") throw wrong(key, "a text", value);
    return String(value).trim() === "" ? undefined : String(value);
  },

  /** At least 1; the default when it is absent. */
  count(from: JsonObject, key: string, absent: number): number {
    const value = from[key];
    if (value === undefined || value === null || value === "") return absent;
    const number = Math.trunc(Number(value));
    if (!Number.isFinite(number)) throw wrong(key, "a whole number", value);
    return Math.max(1, number);
  },

  flag: (from: JsonObject, key: string): boolean => from[key] === true || from[key] === "true",

  object(from: JsonObject, key: string): JsonObject | undefined {
    const value = from[key];
    if (value === undefined || value === null || value === "") return undefined;
    if (!isJsonObject(value)) throw wrong(key, "an object", value);
    return value;
  },

  list(from: JsonObject, key: string): readonly Json[] {
    const value = from[key];
    if (value === undefined || value === null || value === "") return [];
    if (!Array.isArray(value)) throw wrong(key, "a list", value);
    return value as readonly Json[];
  },
};

const wrong = (key: string, expected: string, got: Json) =>
  refusal(`Expected ${key} to be ${expected}, got ${JSON.stringify(got).slice(0, 100)}`);

/** Texts only, and none that would smuggle in another. */
export function readHeaders(from: JsonObject): Readonly<Record<string, string>> {
  const given = Object.entries(read.object(from, "headers") ?? {}).filter(([, value]) => value !== null);
  const headers = given.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
  if (headers.some((pair) => /[\r\n]/.test(pair.join(""))))
    throw refusal("Headers must not contain CR or LF characters");
  return Object.fromEntries(headers) as Record<string, string>;
}

export type Limits = {
  readonly pollIntervalSeconds: number;
  readonly maxDurationSeconds: number;
  readonly maxPollFailures: number;
};

export const readLimits = (from: JsonObject): Limits => ({
  pollIntervalSeconds: read.count(from, "pollIntervalSeconds", 5),
  maxDurationSeconds: read.count(from, "maxDurationSeconds", 86_400),
  maxPollFailures: read.count(from, "maxPollFailures", 30),
});

const types: ReadonlyMap<string, "a2a" | "native"> = new Map([
  ["a2a", "a2a"],
  ["native", "native"],
  ["conductor", "native"],
  ["service", "native"],
]);

/** Who runs the agent: another server, which is the default, or this one. */
export function readAgentType(from: JsonObject): "a2a" | "native" {
  const named = read.text(from, "agentType") ?? "a2a";
  const type = types.get(named.trim().toLowerCase());
  if (type === undefined) throw refusal(`Unsupported agentType '${named}' (supported: 'a2a', 'native')`);
  return type;
}
