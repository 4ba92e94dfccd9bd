import { isIP } from "node:net";

/** One setting. `default` is text, read by the same parser as what users write. */
export type ConfigEntry = {
  readonly key: string;
  readonly aliases?: readonly string[];
  /** Environment variables of other tools that give the value when no setting of ours does, the first one first. */
  readonly variables?: readonly string[];
  readonly default: string;
  readonly description: string;
  /** `true`: never shown; `password-in-url`: shown without the password inside it. */
  readonly secret?: true | "password-in-url";
} & (
  | { readonly type: "string" | "boolean" | "list" | "addresses" | "records" }
  | { readonly type: "integer"; readonly min?: number; readonly max?: number }
  | { readonly type: "duration"; readonly min?: number; readonly unit?: "ms" | "s" }
  | { readonly type: "size"; readonly min?: number; readonly unit?: "B" | "KB" }
  | { readonly type: "enum"; readonly values: readonly string[] }
);

/** One of several things of a kind, such as a database: read it with `recordField`. */
export type ConfigRecord = Readonly<Record<string, string>>;

export type ConfigValue = string | number | boolean | readonly string[] | readonly ConfigRecord[];

/** What a setting is once parsed: durations are milliseconds, sizes are bytes. */
export type ValueOf<E extends ConfigEntry> = E extends { type: "enum"; values: readonly (infer V)[] }
  ? V
  : E["type"] extends "integer" | "duration" | "size"
    ? number
    : E["type"] extends "boolean"
      ? boolean
      : E["type"] extends "list" | "addresses"
        ? readonly string[]
        : E["type"] extends "records"
          ? readonly ConfigRecord[]
          : string;

/** A field of a record by its dotted name, in any spelling; undefined when it is absent or blank. */
export function recordField(record: ConfigRecord, name: string): string | undefined {
  return record[squashName(name)]?.trim() || undefined;
}

/** Environment variables cannot tell dots, dashes and case apart, so no spelling may matter. */
export const squashName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Gives undefined when the text is not of the entry's type; `describeType` then says what was expected. */
export function parseValue(entry: ConfigEntry, text: string | readonly string[]): ConfigValue | undefined {
  if (entry.type === "list" || entry.type === "addresses") {
    const items = parseList(text);
    return entry.type === "list" || items.every(isAddressOrNetwork) ? items : undefined;
  }
  if (typeof text !== "string") {
    return;
  }
  if (entry.type === "string") {
    return text;
  }
  if (entry.type === "records") {
    return parseRecords(text);
  }
  const word = text.trim();
  switch (entry.type) {
    case "boolean":
      return booleanWords.get(word.toLowerCase());
    case "integer":
      return within(entry, /^[+-]?\d+$/.test(word) ? Number(word) : undefined);
    case "duration":
      return within({ min: entry.min ?? 0 }, parseDuration(word, entry.unit ?? "ms"));
    case "size":
      return within({ min: entry.min ?? 0 }, parseSize(word, entry.unit ?? "B"));
    case "enum":
      return entry.values.find((value) => value.toLowerCase() === word.toLowerCase());
  }
}

/** Ends the sentence "Expected <key> to be …". */
export function describeType(entry: ConfigEntry): string {
  switch (entry.type) {
    case "string":
      return "one text";
    case "boolean":
      return "true or false";
    case "list":
      return "a list separated by commas";
    case "addresses":
      return "a list of IP addresses or networks such as 10.0.0.0/8, separated by commas";
    case "records":
      return "a list of records: key[0].name=…, key[0].type=…, or a JSON array of objects";
    case "integer":
      return `an integer${describeRange(entry)}`;
    case "duration":
      return `a duration such as 500ms, 5s, 2m or PT30S, or a number of ${entry.unit === "s" ? "seconds" : "milliseconds"}`;
    case "size":
      return `a size such as 512KB or 10MB, or a number of ${entry.unit === "KB" ? "kilobytes" : "bytes"}`;
    case "enum":
      return `one of ${entry.values.join(", ")}`;
  }
}

/** The shortest text that parses to the value, secrets masked. */
export function formatValue(entry: ConfigEntry, value: ConfigValue): string {
  if (entry.type === "records") {
    // Their names alone: the rest may be a password.
    const records = value as readonly ConfigRecord[];
    return records.map((record) => recordField(record, "name") ?? "(no name)").join(",");
  }
  if (entry.secret === true) {
    return String(value) === "" ? "" : "********";
  }
  if (entry.secret === "password-in-url") {
    return maskPassword(String(value));
  }
  if (entry.type === "duration") {
    return formatInUnits(Number(value), durationUnits, "ms");
  }
  if (entry.type === "size") {
    return formatInUnits(Number(value), sizeUnits, "B");
  }
  return Array.isArray(value) ? value.join(",") : String(value);
}

const booleanWords = new Map([
  ["true", true],
  ["on", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["off", false],
  ["no", false],
  ["0", false],
]);

const durationUnits = new Map([
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
]);

const sizeUnits = new Map([
  ["GB", 1024 ** 3],
  ["MB", 1024 ** 2],
  ["KB", 1024],
  ["B", 1],
]);

function parseList(text: string | readonly string[]): readonly string[] {
  const items = typeof text === "string" ? text.split(",") : text;
  return items.map((item) => item.trim()).filter((item) => item !== "");
}

function parseRecords(text: string): readonly ConfigRecord[] | undefined {
  if (text.trim() === "") {
    return [];
  }
  try {
    const items: unknown = JSON.parse(text);
    return Array.isArray(items) && items.every(isObject) ? items.map((item) => flatten(item)) : undefined;
  } catch {
    // Not JSON: the caller says what was expected.
    return;
  }
}

function flatten(object: object, prefix = ""): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(object)) {
    const key = prefix + squashName(name);
    if (isObject(value)) {
      Object.assign(flat, flatten(value, key));
    } else if (value !== null) {
      flat[key] = String(value);
    }
  }
  return flat;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAddressOrNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) {
    return false;
  }
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

function within(range: { min?: number; max?: number }, value: number | undefined): number | undefined {
  if (value === undefined || !Number.isSafeInteger(value)) {
    return;
  }
  return value >= (range.min ?? -Infinity) && value <= (range.max ?? Infinity) ? value : undefined;
}

/** Milliseconds; undefined when it is none. `bareUnit` is that of a number without one. */
export function parseDuration(word: string, bareUnit: string): number | undefined {
  const plain = /^(\d+)\s*(ms|s|m|h|d)?$/i.exec(word);
  if (plain) {
    return Number(plain[1]) * durationUnits.get((plain[2] ?? bareUnit).toLowerCase())!;
  }
  const iso = /^P(?=.)(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/i.exec(word);
  if (!iso) {
    return;
  }
  const [days, hours, minutes, seconds] = iso.slice(1).map((part) => Number(part ?? 0));
  return days! * 86_400_000 + hours! * 3_600_000 + minutes! * 60_000 + Math.round(seconds! * 1000);
}

function parseSize(word: string, bareUnit: string): number | undefined {
  const match = /^(\d+)\s*(B|KB|MB|GB)?$/i.exec(word);
  return match ? Number(match[1]) * sizeUnits.get((match[2] ?? bareUnit).toUpperCase())! : undefined;
}

function describeRange({ min, max }: { min?: number; max?: number }): string {
  if (min !== undefined && max !== undefined) {
    return ` from ${min} to ${max}`;
  }
  if (min !== undefined) {
    return ` of at least ${min}`;
  }
  return max === undefined ? "" : ` of at most ${max}`;
}

function formatInUnits(value: number, units: ReadonlyMap<string, number>, smallest: string): string {
  for (const [unit, factor] of units) {
    if (value >= factor && value % factor === 0) {
      return `${value / factor}${unit}`;
    }
  }
  return `${value}${smallest}`;
}

function maskPassword(url: string): string {
  return url.replace(/(\/\/[^/?#@]*?:)[^/?#]*(?=@)/, "$1********").replace(/([?&;]password=)[^&;]*/gi, "$1********");
}
