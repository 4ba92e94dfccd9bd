import { JqError } from "../errors.ts";
import type { Run } from "../run.ts";
import { decodeUtf8, encodeUtf8 } from "../text.ts";
import { describe, formatJson, formatNumber } from "../tojson.ts";
import { isArray } from "../values.ts";
import { decodeBase32, decodeBase64, encodeBase32, encodeBase64 } from "./base-encodings.ts";
import { type Natives, value0, value1 } from "./native.ts";

export const formatBuiltins: Natives = {
  "format/1": value1((input, name, run) => {
    if (typeof name !== "string") throw new JqError(`${describe(name)} is not a valid format`);
    return applyFormat(name, input, run);
  }),
  "tostring/0": value0(toText),
  "tojson/0": value0((input, run) => bounded(formatJson(input), run)),
};

/** `@name` applied to a value, alone or inside a string literal. */
export function applyFormat(name: string, value: unknown, run: Run): string {
  const format = formats.get(name);
  if (format === undefined) throw new JqError(`${name} is not a valid format`);
  return bounded(format(value), run);
}

export function toText(value: unknown): string {
  return typeof value === "string" ? value : formatJson(value);
}

const formats: ReadonlyMap<string, (value: unknown) => string> = new Map<string, (value: unknown) => string>([
  ["text", toText],
  ["json", formatJson],
  ["csv", (value) => row(value, "csv", ",", (text) => `"${text.replaceAll('"', '""')}"`)],
  ["tsv", (value) => row(value, "tsv", "\t", (text) => text.replace(/[\t\n\r\\]/g, (c) => tsvEscapes[c] ?? c))],
  ["html", (value) => toText(value).replace(/[<>&'"]/g, (c) => htmlEscapes[c] ?? c)],
  ["uri", (value) => encodeUri(toText(value))],
  ["urid", (value) => decodeUri(toText(value))],
  ["sh", (value) => (isArray(value) ? value : [value]).map(shellWord).join(" ")],
  ["base64", (value) => encodeBase64(encodeUtf8(toText(value)))],
  ["base64d", (value) => decodeBase64(toText(value))],
  ["base32", (value) => encodeBase32(encodeUtf8(toText(value)))],
  ["base32d", (value) => decodeBase32(toText(value))],
]);

const tsvEscapes: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" };
const htmlEscapes: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  "'": "&apos;",
  '"': "&quot;",
};

function row(value: unknown, name: string, separator: string, quote: (text: string) => string): string {
  if (!isArray(value)) throw new JqError(`${describe(value)} cannot be ${name}-formatted, only array`);
  return value
    .map((cell) => {
      if (typeof cell === "string") return quote(cell);
      if (typeof cell === "number") return Number.isNaN(cell) ? "" : formatNumber(cell);
      if (typeof cell === "boolean") return String(cell);
      if (cell === null) return "";
      throw new JqError(`${describe(cell)} is not valid in a csv row`);
    })
    .join(separator);
}

function shellWord(value: unknown): string {
  if (typeof value === "string") return `'${value.replaceAll("'", "'\\''")}'`;
  if (typeof value === "object" && value !== null) {
    throw new JqError(`${describe(value)} can not be escaped for shell`);
  }
  return formatJson(value);
}

function encodeUri(text: string): string {
  return encodeUtf8(text)
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9\-_.~]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

function decodeUri(text: string): string {
  const bytes: number[] = [];
  const source = encodeUtf8(text);
  for (let i = 0; i < source.length; i++) {
    if (source[i] !== 0x25) {
      bytes.push(source[i] ?? 0);
      continue;
    }
    const digits = String.fromCharCode(...source.slice(i + 1, i + 3));
    if (!/^[0-9a-fA-F]{2}$/.test(digits)) throw invalidUri(text);
    bytes.push(Number.parseInt(digits, 16));
    i += 2;
  }
  const decoded = decodeUtf8(bytes);
  if (!decoded.isValid) throw invalidUri(text);
  return decoded.text;
}

const invalidUri = (text: string): JqError => new JqError(`${describe(text)} is not a valid uri encoding`);

function bounded(text: string, run: Run): string {
  run.checkString(text.length);
  return text;
}
