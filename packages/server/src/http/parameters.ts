import type { Schema } from "@downbeat/engine";
import { invalidInput } from "./errors.ts";

type Given = string | readonly string[] | undefined;

/** A query parameter: how it is read, and what the documentation says of it. A wrong value is a 400 that says which. */
export type Parameter<T> = {
  readonly read: (value: Given, name: string) => T;
  readonly schema: Schema;
  readonly required?: boolean;
  readonly description: string;
};

export type Parameters<T> = { readonly [Name in keyof T]: Parameter<T[Name]> };

/** Reads every declared parameter; others are ignored. */
export function readParameters<T>(parameters: Parameters<T>, query: unknown): T {
  const given = (query ?? {}) as Readonly<Record<string, Given>>;
  const result: Partial<T> = {};
  for (const name in parameters) result[name] = parameters[name].read(given[name], name);
  return result as T; // every declared name was set
}

export const text = (description: string): Parameter<string | undefined> => ({
  description,
  schema: { type: "string" },
  read: firstText,
});

export const textOr = (absent: string, description: string): Parameter<string> => ({
  description,
  schema: { type: "string", default: absent },
  read: (value) => firstText(value) ?? absent,
});

export const requiredText = (description: string): Parameter<string> => ({
  description,
  schema: { type: "string" },
  required: true,
  read(value, name) {
    // There and empty is there: some clients have nothing better to say.
    const found = typeof value === "string" ? value : value?.[0];
    if (found === undefined) {
      throw invalidInput(`Required request parameter '${name}' for method parameter type String is not present`);
    }
    return found;
  },
});

export const optionalInteger = (description: string): Parameter<number | undefined> => ({
  description,
  schema: { type: "integer" },
  read: wholeNumber,
});

export const integer = (absent: number, description: string): Parameter<number> => ({
  description,
  schema: { type: "integer", default: absent },
  read: (value, name) => wholeNumber(value, name) ?? absent,
});

export const flag = (absent: boolean, description: string): Parameter<boolean> => ({
  description,
  schema: { type: "boolean", default: absent },
  read(value, name) {
    const word = firstText(value)?.toLowerCase();
    if (word === undefined) return absent;
    if (["true", "on", "yes", "1"].includes(word)) return true;
    if (["false", "off", "no", "0"].includes(word)) return false;
    throw invalidInput(`Expected query parameter ${name} to be true or false, got "${word}"`);
  },
});

export const optionalFlag = (description: string): Parameter<boolean | undefined> => ({
  description,
  schema: { type: "boolean" },
  read: (value, name) => (firstText(value) === undefined ? undefined : flag(false, description).read(value, name)),
});

/** What reads of executions and tasks take. */
export const externalPayloads = flag(
  false,
  "Payloads in the payload store by their path, with an empty object in their place",
);

/** Repeated, or separated by commas. */
export const list = (description: string): Parameter<readonly string[]> => ({
  description,
  schema: { type: "array", items: { type: "string" } },
  read(value) {
    const parts = typeof value === "string" ? [value] : (value ?? []);
    return parts.flatMap((part) => part.split(",")).filter((part) => part !== "");
  },
});

export const oneOf = <const Name extends string>(
  names: readonly Name[],
  absent: Name,
  description: string,
): Parameter<Name> => ({
  description,
  schema: { type: "string", enum: names, default: absent },
  read(value, parameter) {
    const word = firstText(value);
    if (word === undefined) return absent;
    const found = names.find((name) => name === word);
    if (found === undefined)
      throw invalidInput(`Expected query parameter ${parameter} to be one of ${names.join(", ")}, got "${word}"`);
    return found;
  },
});

/** An empty parameter counts as none. */
function firstText(value: Given): string | undefined {
  const first = typeof value === "string" ? value : value?.[0];
  return first === undefined || first === "" ? undefined : first;
}

function wholeNumber(value: Given, name: string): number | undefined {
  const digits = firstText(value);
  if (digits === undefined) return undefined;
  if (!/^-?\d{1,15}$/.test(digits))
    throw invalidInput(`Expected query parameter ${name} to be a whole number, got "${digits}"`);
  return Number(digits);
}
