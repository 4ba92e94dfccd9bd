import { type BrokenDown, fromEpochSeconds, toEpochSeconds, weekdayOf, yearDayOf } from "../dates/calendar.ts";
import { formatDate } from "../dates/strftime.ts";
import { parseDate } from "../dates/strptime.ts";
import { JqError } from "../errors.ts";
import type { Run } from "../run.ts";
import { isArray } from "../values.ts";
import { type Natives, value0, value1 } from "./native.ts";

/** Dates as jq has them: seconds since 1970, or [year, month - 1, day, hours, minutes, seconds, weekday, year day]. */
export const timeBuiltins: Natives = {
  "gmtime/0": value0((input) => toArray(fromEpochSeconds(requireSeconds(input, "gmtime")))),
  "localtime/0": value0((input, run) => {
    const seconds = requireSeconds(input, "localtime");
    return toArray(fromEpochSeconds(seconds + run.limits.localOffset(seconds)));
  }),
  "mktime/0": value0((input) => {
    if (!isArray(input)) throw new JqError("mktime requires array of 6 numbers");
    return toEpochSeconds(fromArray(input, "mktime"));
  }),
  "strftime/1": value1((input, format, run) => {
    const date = typeof input === "number" ? fromEpochSeconds(input) : fromArray(input, "strftime/1");
    return bounded(formatDate(requireFormat(format, "strftime/1"), date, { offsetSeconds: 0 }), run);
  }),
  "strflocaltime/1": value1((input, format, run) => {
    const { localOffset } = run.limits;
    const text = requireFormat(format, "strflocaltime/1");
    if (typeof input === "number") {
      const offsetSeconds = localOffset(input);
      return bounded(formatDate(text, fromEpochSeconds(input + offsetSeconds), { offsetSeconds }), run);
    }
    const date = fromArray(input, "strflocaltime/1");
    return bounded(formatDate(text, date, { offsetSeconds: localOffset(toEpochSeconds(date)) }), run);
  }),
  "strptime/1": value1((input, format) => {
    if (typeof input !== "string" || typeof format !== "string") {
      throw new JqError("strptime/1 requires string inputs and arguments");
    }
    const parsed = parseDate(input, format);
    if (parsed === undefined || /^\S/.test(parsed.rest)) {
      throw new JqError(`date "${input}" does not match format "${format}"`);
    }
    return parsed.rest === "" ? toArray(parsed.date) : [...toArray(parsed.date), parsed.rest];
  }),
};

function requireSeconds(input: unknown, name: string): number {
  if (typeof input !== "number") throw new JqError(`${name}() requires a number`);
  if (!Number.isFinite(input) || Math.abs(input) > 1e15) {
    throw new JqError("error converting number of seconds since epoch to datetime");
  }
  return input;
}

function requireFormat(format: unknown, name: string): string {
  if (typeof format === "string") return format;
  throw new JqError(`${name} requires a string format`);
}

function toArray(date: BrokenDown): unknown[] {
  const { year, month, day, hour, minute, second } = date;
  return [year, month, day, hour, minute, second, weekdayOf(date), yearDayOf(date)];
}

/** Missing elements count as the start of the year, day or minute; weekday and year day follow from the date. */
function fromArray(input: unknown, name: string): BrokenDown {
  const parts = isArray(input) && input.length > 0 ? input.slice(0, 8) : undefined;
  if (parts === undefined || !parts.every((part) => typeof part === "number" && Number.isFinite(part))) {
    throw new JqError(`${name} requires parsed datetime inputs`);
  }
  const [year = 1970, month = 0, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number);
  return fromEpochSeconds(toEpochSeconds({ year, month, day, hour, minute, second }));
}

function bounded(text: string, run: Run): string {
  run.checkString(text.length);
  run.chargeText(text.length);
  return text;
}
