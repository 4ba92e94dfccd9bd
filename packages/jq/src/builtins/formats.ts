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
  "tojson/0": value0(toJson),
};

/** `@name` applied to a value, alone or inside a string literal. */
export function applyFormat(name: string, value: unknown, run: Run): string {
  const format = formats.get(name);
  if (format === undefined) throw new JqError(`${name} is not a valid format`);
  const text = format(value, run);
  run.checkString(text.length);
  return text;
}

export function toText(value: unknown, run: Run): string {
  return typeof value === "string" ? value : toJson(value, run);
}

/** Writes no more than the budget allows: a value that holds itself many times over has no end in practice. */
function toJson(value: unknown, run: Run): string {
  const text = formatJson(value, run.textAllowance);
  run.checkString(text.length);
  run.allocate(text.length >> 2);
  return text;
}

type Format = (value: unknown, run: Run) => string;

const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["text", toText],
  ["json", toJson],
  ["csv", (value, run) => row({ value, name: "csv", separator: ",", quote: quoteCsv, run })],
  ["tsv", (value, run) => row({ value, name: "tsv", separator: "\t", quote: quoteTsv, run })],
  ["html", (value, run) => readable(value, run).replace(/[<>&'"]/g, (c) => htmlEscapes[c] ?? c)],
  ["uri", (value, run) => encodeUri(readable(value, run))],
  ["urid", (value, run) => decodeUri(readable(value, run))],
  ["sh", (value, run) => (isArray(value) ? value : [value]).map((word) => shellWord(word, run)).join(" ")],
  ["base64", (value, run) => encodeBase64(encodeUtf8(readable(value, run)))],
  ["base64d", (value, run) => decodeBase64(readable(value, run))],
  ["base32", (value, run) => encodeBase32(encodeUtf8(readable(value, run)))],
  ["base32d", (value, run) => decodeBase32(readable(value, run))],
]);

const tsvEscapes: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" };
const htmlEscapes: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  "'": "&apos;",
  '"': "&quot;",
};

/** Text to be worked through byte by byte: paid for in full before any list of bytes is made. */
function readable(value: unknown, run: Run): string {
  const text = toText(value, run);
  run.allocate(text.length);
  return text;
}

const quoteCsv = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const quoteTsv = (text: string): string => text.replace(/[\t\n\r\\]/g, (c) => tsvEscapes[c] ?? c);

type Row = {
  readonly value: unknown;
  readonly name: string;
  readonly separator: string;
  readonly quote: (text: string) => string;
  readonly run: Run;
};

function row({ value, name, separator, quote, run }: Row): string {
  if (!isArray(value)) throw new JqError(`${describe(value)} cannot be ${name}-formatted, only array`);
  return value
    .map((cell) => {
      run.step();
      if (typeof cell === "string") {
        run.chargeText(cell.length);
        return quote(cell);
      }
      if (typeof cell === "number") return Number.isNaN(cell) ? "" : formatNumber(cell);
      if (typeof cell === "boolean") return String(cell);
      if (cell === null) return "";
      throw new JqError(`${describe(cell)} is not valid in a csv row`);
    })
    .join(separator);
}

function shellWord(value: unknown, run: Run): string {
  run.step();
  if (typeof value === "string") run.chargeText(value.length);
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
