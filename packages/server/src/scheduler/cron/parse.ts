import { CronError } from "./cron-error.ts";
import { type DayRule, parseDaysOfMonth, parseDaysOfWeek } from "./day-rules.ts";
import { hourField, minuteField, monthField, parseValues, secondField } from "./fields.ts";
import type { Part } from "./part.ts";

/** A parsed cron expression: plain data. Values ascend and are never empty; a day must pass both day fields. */
export interface CronExpression {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly DayRule[];
  /** 1 to 12. */
  readonly months: readonly number[];
  readonly daysOfWeek: readonly DayRule[];
}

const macros: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 0 1 1 *"],
  ["@annually", "0 0 0 1 1 *"],
  ["@monthly", "0 0 0 1 * *"],
  ["@weekly", "0 0 0 * * 0"],
  ["@daily", "0 0 0 * * *"],
  ["@midnight", "0 0 0 * * *"],
  ["@hourly", "0 0 * * * *"],
]);

/** Reads Spring's six fields (second minute hour day-of-month month day-of-week) or a macro. Throws CronError. */
export function parseCron(text: string): CronExpression {
  const expression = resolveMacro(text);
  const [seconds, minutes, hours, daysOfMonth, months, daysOfWeek, ...more] = splitFields(expression);
  if (!(seconds && minutes && hours && daysOfMonth && months && daysOfWeek) || more.length > 0) {
    const found = splitFields(expression).length;
    throw new CronError(text, `expected 6 fields (second minute hour day-of-month month day-of-week), found ${found}`);
  }
  return {
    seconds: parseValues(secondField, seconds),
    minutes: parseValues(minuteField, minutes),
    hours: parseValues(hourField, hours),
    daysOfMonth: parseDaysOfMonth(daysOfMonth),
    months: parseValues(monthField, months),
    daysOfWeek: parseDaysOfWeek(daysOfWeek),
  };
}

function resolveMacro(text: string): string {
  const name = text.trim();
  if (!/^@\S*$/.test(name)) {
    return text;
  }
  const expression = macros.get(name.toLowerCase());
  if (expression === undefined) {
    const place = text.indexOf("@") + 1;
    throw new CronError(text, `macro ${name} at character ${place} is none of ${[...macros.keys()].join(", ")}`);
  }
  return expression;
}

function splitFields(expression: string): Part[] {
  return Array.from(expression.matchAll(/\S+/g), (match) => ({ expression, text: match[0], start: match.index }));
}
