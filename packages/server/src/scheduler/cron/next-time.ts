import { type DaySet, daysOfAny, type Month } from "./day-rules.ts";
import type { CronExpression } from "./parse.ts";
import { findZone } from "./zone.ts";

const secondMs = 1000;
const dayMs = 86_400_000;
/** More than any two offsets of a zone lie apart (24 hours, on Samoa). */
const offsetSpreadMs = 2 * dayMs;
/** Any date that exists comes again within 40 years (29 February on a Monday, over 2100), so this tells "rare" from "never". */
const searchYears = 50;
/** Instants farther out have no local date that JavaScript can hold for the whole search. */
const farthestMs = 8e15;

/**
 * The first second strictly after `after` (epoch ms) whose local time in the zone matches; undefined when there is none
 * within 50 years. A local time that a clock change skips does not happen; one that it repeats happens twice.
 * Throws RangeError when the zone is unknown.
 */
export function nextTime(cron: CronExpression, after: number, zone: string): number | undefined {
  const { stretchAt } = findZone(zone);
  if (!(Math.abs(after) <= farthestMs)) {
    return undefined;
  }
  let from = (Math.floor(after / secondMs) + 1) * secondMs;
  const lastYear = new Date(from).getUTCFullYear() + searchYears;
  for (;;) {
    const { offsetMs, until } = stretchAt(from);
    const local = findLocalTime(cron, from + offsetMs, lastYear);
    if (local === undefined) {
      return undefined;
    }
    const at = local - offsetMs;
    if (at < until) {
      return at;
    }
    // No local time from here to the one found matches, so the years between need no look: only the time soon after
    // `from`, where the clock may be set back, and the time shortly before what was found.
    from = until > from + offsetSpreadMs ? Math.max(until, at - offsetSpreadMs) : until;
  }
}

/** The first match at or after a local time; local times are written as epoch ms of the same reading in UTC. */
function findLocalTime(cron: CronExpression, from: number, lastYear: number): number | undefined {
  const midnight = Math.floor(from / dayMs) * dayMs;
  const today = findDay(cron, midnight, lastYear);
  if (today !== midnight) {
    return today === undefined ? undefined : today + firstTimeOfDay(cron);
  }
  const time = findTimeOfDay(cron, (from - midnight) / secondMs);
  if (time !== undefined) {
    return midnight + time;
  }
  const day = findDay(cron, midnight + dayMs, lastYear);
  return day === undefined ? undefined : day + firstTimeOfDay(cron);
}

/** The first matching day at or after one, both as local midnights. */
function findDay(cron: CronExpression, fromMidnight: number, lastYear: number): number | undefined {
  const date = new Date(fromMidnight);
  const startDay = date.getUTCDate();
  let year = date.getUTCFullYear();
  let month = date.getUTCMonth() + 1;
  let firstMidnight = fromMidnight - (startDay - 1) * dayMs;
  let excluded: DaySet = 2 ** (startDay - 1) - 1;
  while (year <= lastYear) {
    const length = monthLength(year, month);
    if (cron.months.includes(month)) {
      const days = matchingDays(cron, { length, firstDayOfWeek: dayOfWeekAt(firstMidnight) }) & ~excluded;
      if (days !== 0) {
        return firstMidnight + lowestBit(days) * dayMs;
      }
    }
    excluded = 0;
    firstMidnight += length * dayMs;
    year += month === 12 ? 1 : 0;
    month = (month % 12) + 1;
  }
  return undefined;
}

function matchingDays(cron: CronExpression, month: Month): DaySet {
  return daysOfAny(cron.daysOfMonth, month) & daysOfAny(cron.daysOfWeek, month);
}

function monthLength(year: number, month: number): number {
  if (month === 2) {
    return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  }
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** 1, Monday, to 7, Sunday; day 0 of the epoch was a Thursday. */
function dayOfWeekAt(midnight: number): number {
  const days = midnight / dayMs;
  return ((((days + 3) % 7) + 7) % 7) + 1;
}

const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits);

/** The first match from a second of the day on, in ms after midnight; undefined when the day has no more. */
function findTimeOfDay(cron: CronExpression, secondOfDay: number): number | undefined {
  const hourNow = Math.floor(secondOfDay / 3600);
  const minuteNow = Math.floor(secondOfDay / 60) % 60;
  const laterSecond = atOrAfter(cron.seconds, secondOfDay % 60);
  const laterMinute = atOrAfter(cron.minutes, laterSecond === undefined ? minuteNow + 1 : minuteNow);
  const hour = atOrAfter(cron.hours, laterMinute === undefined ? hourNow + 1 : hourNow);
  if (hour === undefined) {
    return undefined;
  }
  const minute = hour === hourNow ? laterMinute : undefined;
  const second = minute === minuteNow ? laterSecond : undefined;
  return timeOfDay(hour, minute ?? first(cron.minutes), second ?? first(cron.seconds));
}

function firstTimeOfDay(cron: CronExpression): number {
  return timeOfDay(first(cron.hours), first(cron.minutes), first(cron.seconds));
}

const timeOfDay = (hour: number, minute: number, second: number): number =>
  ((hour * 60 + minute) * 60 + second) * secondMs;

const atOrAfter = (values: readonly number[], least: number): number | undefined =>
  values.find((value) => value >= least);

const first = (values: readonly number[]): number => values[0] ?? 0;
