import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import { TerminalError } from "./errors.ts";

/** Reads of a task's input. A value of a wrong type fails the task; null counts as absent. */
export const input = {
  text(from: JsonObject, key: string): string | undefined {
    const value = find(from, key);
    if (value === undefined || typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    throw wrong(key, "a text", value);
  },

  /** Blank counts as absent. */
  word(from: JsonObject, key: string): string | undefined {
    const value = input.text(from, key)?.trim();
    return value === "" ? undefined : value;
  },

  number(from: JsonObject, key: string): number | undefined {
    const value = find(from, key);
    if (value === undefined || value === "") return undefined;
    const number = typeof value === "string" ? Number(value) : value;
    if (typeof number !== "number" || !Number.isFinite(number)) throw wrong(key, "a number", value);
    return number;
  },

  integer(from: JsonObject, key: string): number | undefined {
    const value = input.number(from, key);
    return value === undefined ? undefined : Math.trunc(value);
  },

  flag(from: JsonObject, key: string): boolean | undefined {
    const value = find(from, key);
    if (value === undefined || typeof value === "boolean") return value;
    if (typeof value === "string" && /^(true|false)$/i.test(value)) return value.toLowerCase() === "true";
    if (value === "") return undefined;
    throw wrong(key, "true or false", value);
  },

  object(from: JsonObject, key: string): JsonObject | undefined {
    const value = find(from, key);
    if (value === undefined || isJsonObject(value)) return value;
    if (value === "") return undefined;
    throw wrong(key, "an object", value);
  },

  list(from: JsonObject, key: string): readonly Json[] {
    const value = find(from, key);
    if (value === undefined || value === "") return [];
    if (!Array.isArray(value)) throw wrong(key, "a list", value);
    return value as readonly Json[];
  },

  texts(from: JsonObject, key: string): readonly string[] {
    return input.list(from, key).map((item) => {
      if (typeof item === "string") return item;
      throw wrong(key, "a list of texts", item);
    });
  },
};

function find(from: JsonObject, key: string): Json | undefined {
  const value = Object.hasOwn(from, key) ? from[key] : undefined;
  return value === null ? undefined : value;
}

const wrong = (key: string, expected: string, got: Json): TerminalError =>
  new TerminalError(`Expected ${key} to be ${expected}, got ${JSON.stringify(got)?.slice(0, 100)}`);
