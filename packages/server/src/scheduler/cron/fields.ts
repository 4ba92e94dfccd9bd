import { invalidPart } from "./cron-error.ts";
import { type Part, splitAt, splitList } from "./part.ts";

/** What one field of an expression may hold. */
export interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Where `*` starts, when that is not the minimum. */
  readonly starMin?: number;
  /** Three-letter names of the values from 1 on. */
  readonly names?: readonly string[];
  /** Whether a range that starts at the maximum starts at the minimum instead: `SUN-TUE` is 0-2. */
  readonly wraps?: boolean;
}

export const secondField: Field = { name: "second", min: 0, max: 59 };
export const minuteField: Field = { name: "minute", min: 0, max: 59 };
export const hourField: Field = { name: "hour", min: 0, max: 23 };
export const dayOfMonthField: Field = { name: "day of month", min: 1, max: 31 };
export const monthField: Field = {
  name: "month",
  min: 1,
  max: 12,
  names: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
};
/** 1 is Monday, 7 is Sunday, and so is 0. `*` starts at Monday, so `*` with step 2 is Mon, Wed, Fri, Sun. */
export const dayOfWeekField: Field = {
  name: "day of week",
  min: 0,
  max: 7,
  starMin: 1,
  names: ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"],
  wraps: true,
};

/** The values a comma list of stars, values, ranges and steps names: ascending, each once. */
export function parseValues(field: Field, list: Part): number[] {
  const values = new Set<number>();
  for (const element of splitList(list)) {
    addElement(field, element, values);
  }
  return [...values].sort((a, b) => a - b);
}

/** A number or a name within the field's bounds. */
export function parseValue(field: Field, part: Part): number {
  const value = field.names === undefined ? readNumber(part.text) : readNumberOrName(part.text, field.names);
  if (value === undefined) {
    throw invalidPart(field.name, part, problemOfNonNumber(field, part));
  }
  if (value < field.min || value > field.max) {
    throw invalidPart(field.name, part, `is not between ${field.min} and ${field.max}`);
  }
  return value;
}

/** A count such as a step, from 1 up to the limit. */
export function parseCount(what: string, part: Part, limit = Number.POSITIVE_INFINITY): number {
  const value = readNumber(part.text);
  if (value === undefined) {
    throw invalidPart(what, part, "is not a number");
  }
  if (value < 1 || value > limit) {
    throw invalidPart(
      what,
      part,
      limit === Number.POSITIVE_INFINITY ? "is less than 1" : `is not between 1 and ${limit}`,
    );
  }
  return value;
}

function addElement(field: Field, element: Part, values: Set<number>): void {
  const stepped = splitAt(element, "/");
  const range = stepped?.[0] ?? element;
  const [from, to] = parseRange(field, range);
  // `5/10` has no end of its own: it runs to the field's maximum.
  const last = stepped !== undefined && !range.text.includes("-") ? field.max : to;
  const step = stepped === undefined ? 1 : parseCount(`${field.name} step`, stepped[1]);
  for (let value = from; value <= last; value += step) {
    values.add(value);
  }
}

function parseRange(field: Field, range: Part): [from: number, to: number] {
  if (range.text === "*") {
    return [field.starMin ?? field.min, field.max];
  }
  // A hyphen in front makes no range but a number below every minimum.
  const ends = range.text.startsWith("-") ? undefined : splitAt(range, "-");
  if (ends === undefined) {
    const value = parseValue(field, range);
    return [value, value];
  }
  const first = parseValue(field, ends[0]);
  const to = parseValue(field, ends[1]);
  const from = field.wraps && first === field.max ? field.min : first;
  if (from > to) {
    throw invalidPart(field.name, range, "ends before it starts");
  }
  return [from, to];
}

function readNumberOrName(text: string, names: readonly string[]): number | undefined {
  const place = names.indexOf(text.toUpperCase());
  return place === -1 ? readNumber(text) : place + 1;
}

function readNumber(text: string): number | undefined {
  return /^(?:\+?\d+|-0*[1-9]\d*)$/.test(text) ? Number(text) : undefined;
}

function problemOfNonNumber(field: Field, part: Part): string {
  if (part.text === "?") {
    return "is only allowed alone, for day of month or day of week";
  }
  if (field.names === undefined) {
    return "is not a number";
  }
  return `is neither a number nor a name from ${field.names[0]} to ${field.names.at(-1)}`;
}
