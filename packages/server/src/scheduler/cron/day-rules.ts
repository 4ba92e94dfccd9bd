import { invalidPart } from "./cron-error.ts";
import { dayOfMonthField, dayOfWeekField, parseCount, parseValue, parseValues } from "./fields.ts";
import { type Part, slicePart, splitAt, splitList } from "./part.ts";

/** The days of any month that one element of a day field names. Days of the week count from 1, Monday, to 7, Sunday. */
export type DayRule =
  | { readonly kind: "days"; readonly days: DaySet }
  | { readonly kind: "before-last-day"; readonly daysBefore: number }
  | { readonly kind: "last-workday" }
  | { readonly kind: "nearest-workday"; readonly day: number }
  | { readonly kind: "days-of-week"; readonly daysOfWeek: DaySet }
  | { readonly kind: "last-of-week"; readonly dayOfWeek: number }
  | { readonly kind: "nth-of-week"; readonly dayOfWeek: number; readonly nth: number };

/** Days as bits: day 1 is bit 0. A month fits in 31 bits, so the number is never negative. */
export type DaySet = number;

/** The shape of a month: all that decides which of its days a rule names. */
export interface Month {
  readonly length: number;
  readonly firstDayOfWeek: number;
}

const everyDay: DayRule = { kind: "days", days: 0x7f_ff_ff_ff };

/** The rules of a day-of-month field; a day matches when one of them names it. */
export function parseDaysOfMonth(list: Part): DayRule[] {
  return parseDays(list, /[LW]/i, parseSpecialDayOfMonth, (part) => ({
    kind: "days",
    days: daySet(parseValues(dayOfMonthField, part)),
  }));
}

/** The rules of a day-of-week field; a day matches when one of them names it. */
export function parseDaysOfWeek(list: Part): DayRule[] {
  // An L always means "last": no name of a day has one.
  return parseDays(list, /[L#]/i, parseSpecialDayOfWeek, (part) => ({
    kind: "days-of-week",
    daysOfWeek: daySet(parseValues(dayOfWeekField, part).map(sundayLast)),
  }));
}

/** The days of a month that at least one of the rules names. */
export function daysOfAny(rules: readonly DayRule[], month: Month): DaySet {
  let days = 0;
  for (const rule of rules) {
    days |= daysOf(rule, month);
  }
  return days & (2 ** month.length - 1);
}

function parseDays(
  list: Part,
  special: RegExp,
  parseSpecial: (element: Part) => DayRule,
  parsePlain: (part: Part) => DayRule,
): DayRule[] {
  // Without a special element the list is one rule. With one, each element stands alone, which as in Spring lets `L,?` pass.
  const parts = special.test(list.text) ? splitList(list) : [list];
  return parts.map((part) => {
    if (part.text === "?") {
      return everyDay;
    }
    return special.test(part.text) ? parseSpecial(part) : parsePlain(part);
  });
}

/** Only capitals mean something here: Spring takes `fril` but neither `l` nor `15w`. */
function parseSpecialDayOfMonth(element: Part): DayRule {
  const { text } = element;
  if (text === "L") {
    return { kind: "before-last-day", daysBefore: 0 };
  }
  if (text === "LW") {
    return { kind: "last-workday" };
  }
  if (/^L-(?!\+)/.test(text)) {
    return { kind: "before-last-day", daysBefore: parseCount("day of month offset", slicePart(element, 2), 30) };
  }
  if (text.length > 1 && text.endsWith("W") && !text.includes("L")) {
    return { kind: "nearest-workday", day: parseValue(dayOfMonthField, slicePart(element, 0, -1)) };
  }
  throw invalidPart(dayOfMonthField.name, element, "is none of L, L-n, LW and nW");
}

function parseSpecialDayOfWeek(element: Part): DayRule {
  const { text } = element;
  const ordinal = splitAt(element, "#");
  if (ordinal !== undefined) {
    return {
      kind: "nth-of-week",
      dayOfWeek: sundayLast(parseValue(dayOfWeekField, ordinal[0])),
      nth: parseCount("day of week ordinal", ordinal[1]),
    };
  }
  if (text.length > 1 && /l$/i.test(text)) {
    return { kind: "last-of-week", dayOfWeek: sundayLast(parseValue(dayOfWeekField, slicePart(element, 0, -1))) };
  }
  throw invalidPart(dayOfWeekField.name, element, "has no day right before its L, as 5L and FRIL have");
}

const sundayLast = (dayOfWeek: number): number => (dayOfWeek === 0 ? 7 : dayOfWeek);

function daySet(days: readonly number[]): DaySet {
  return days.reduce((set, day) => set | bit(day), 0);
}

const bit = (day: number): DaySet => 1 << (day - 1);

function daysOf(rule: DayRule, month: Month): DaySet {
  switch (rule.kind) {
    case "days":
      return rule.days;
    case "before-last-day":
      return rule.daysBefore < month.length ? bit(month.length - rule.daysBefore) : 0;
    case "last-workday":
      return bit(nearestWorkday(month.length, month));
    case "nearest-workday":
      return rule.day <= month.length ? bit(nearestWorkday(rule.day, month)) : 0;
    case "days-of-week":
      return everyWeek(rule.daysOfWeek, month);
    case "last-of-week":
      return bit(lastOfWeek(rule.dayOfWeek, month));
    case "nth-of-week":
      return nthOfWeek(rule.dayOfWeek, rule.nth, month);
  }
}

/** The Monday-to-Friday day nearest to a day without leaving the month: never across either end of it. */
function nearestWorkday(day: number, month: Month): number {
  switch (dayOfWeekOf(day, month)) {
    case saturday:
      return day === 1 ? 3 : day - 1;
    case sunday:
      return day === month.length ? day - 2 : day + 1;
    default:
      return day;
  }
}

const saturday = 6;
const sunday = 7;

function everyWeek(daysOfWeek: DaySet, month: Month): DaySet {
  const passed = month.firstDayOfWeek - 1;
  // The seven bits turned so that bit 0 is the month's first day, then laid over its five weeks.
  const week = ((daysOfWeek >> passed) | (daysOfWeek << (7 - passed))) & 0x7f;
  return week | (week << 7) | (week << 14) | (week << 21) | (week << 28);
}

function lastOfWeek(dayOfWeek: number, month: Month): number {
  return month.length - ((dayOfWeekOf(month.length, month) - dayOfWeek + 7) % 7);
}

function nthOfWeek(dayOfWeek: number, nth: number, month: Month): DaySet {
  const day = 1 + ((dayOfWeek - month.firstDayOfWeek + 7) % 7) + (nth - 1) * 7;
  return day <= month.length ? bit(day) : 0;
}

function dayOfWeekOf(day: number, month: Month): number {
  return ((month.firstDayOfWeek + day - 2) % 7) + 1;
}
