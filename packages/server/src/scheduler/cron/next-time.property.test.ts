import fc, { type Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { nextTime, parseCron } from "./cron.ts";

const secondMs = 1000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A part of an expression together with what it means, told in the plainest way. */
interface Piece<T> {
  readonly text: string;
  matches(value: T): boolean;
}

/** Instants at which clocks are set forward or back, and one at which nothing happens. */
const clockChanges: readonly (readonly [zone: string, at: string])[] = [
  ["Europe/Berlin", "2024-03-31T01:00:00Z"],
  ["Europe/Berlin", "2024-10-27T01:00:00Z"],
  ["America/New_York", "2024-03-10T07:00:00Z"],
  ["America/New_York", "2024-11-03T06:00:00Z"],
  ["Australia/Lord_Howe", "2024-04-06T15:00:00Z"],
  ["Australia/Lord_Howe", "2024-10-05T15:30:00Z"],
  ["America/Sao_Paulo", "2018-02-18T02:00:00Z"],
  ["America/Sao_Paulo", "2018-11-04T03:00:00Z"],
  ["Africa/Casablanca", "2024-03-10T02:00:00Z"],
  ["Africa/Casablanca", "2024-04-14T02:00:00Z"],
  ["Pacific/Apia", "2011-12-30T10:00:00Z"],
  ["Asia/Kathmandu", "2024-01-31T18:15:00Z"],
];

test("a next time comes after the start, matches all fields in local time, and nothing before it does", () => {
  fc.assert(
    fc.property(
      fc.tuple(values(0, 59), values(0, 59), values(0, 23), dayOfMonth(), values(1, 12), dayOfWeek()),
      fc.constantFrom(...clockChanges),
      fc.integer({ min: -2 * hourMs, max: hourMs }),
      ([second, minute, hour, day, month, weekday], [zone, change], shiftMs) => {
        const cron = parseCron([second, minute, hour, day, month, weekday].map((piece) => piece.text).join(" "));
        const after = Date.parse(change) + shiftMs;
        const matchesDay = onceADay(
          (local) => day.matches(local) && month.matches(local.getUTCMonth() + 1) && weekday.matches(local),
        );
        const matches = (local: Date) =>
          second.matches(local.getUTCSeconds()) &&
          minute.matches(local.getUTCMinutes()) &&
          hour.matches(local.getUTCHours()) &&
          matchesDay(local);

        const next = nextTime(cron, after, zone);

        if (next !== undefined) {
          expect(next).toBeGreaterThan(after);
          expect(matches(localTime(next, zone))).toBe(true);
        }
        const end = Math.min(next ?? Number.POSITIVE_INFINITY, after + 3 * hourMs);
        expect(firstSecond({ after, end, zone, matches })).toBeUndefined();
      },
    ),
    { numRuns: 100 },
  );
});

test("a next day matches both day fields and the month, and no day before it does", () => {
  fc.assert(
    fc.property(
      fc.tuple(dayOfMonth(), values(1, 12), dayOfWeek()),
      fc.integer({ min: Date.UTC(1970, 0, 1) / dayMs, max: Date.UTC(2110, 0, 1) / dayMs }),
      ([day, month, weekday], dayNumber) => {
        const matches = (date: Date) =>
          day.matches(date) && month.matches(date.getUTCMonth() + 1) && weekday.matches(date);
        const start = dayNumber * dayMs;

        const next = nextTime(parseCron(`0 0 0 ${day.text} ${month.text} ${weekday.text}`), start - 1, "UTC");

        let at = start;
        while (at < start + 1500 * dayMs && !matches(new Date(at))) {
          at += dayMs;
        }
        if (at === start + 1500 * dayMs) {
          expect(next ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(at);
        } else {
          expect(next).toBe(at);
        }
      },
    ),
    { numRuns: 500 },
  );
});

/** The plain meaning of a day is slow to tell, and a span has thousands of seconds in the same day. */
function onceADay(matchesDay: (date: Date) => boolean): (date: Date) => boolean {
  const known = new Map<number, boolean>();
  return (date) => {
    const day = Math.floor(date.getTime() / dayMs);
    const matches = known.get(day) ?? matchesDay(date);
    known.set(day, matches);
    return matches;
  };
}

interface Span {
  readonly after: number;
  readonly end: number;
  readonly zone: string;
  matches(local: Date): boolean;
}

/** Looks at every second. Clocks change on quarters of an hour, so the zone is asked once for each. */
function firstSecond({ after, end, zone, matches }: Span): number | undefined {
  const quarterMs = 15 * minuteMs;
  let quarter = Number.NaN;
  let offsetMs = 0;
  for (let at = Math.floor(after / secondMs) * secondMs + secondMs; at < end; at += secondMs) {
    if (Math.floor(at / quarterMs) !== quarter) {
      quarter = Math.floor(at / quarterMs);
      offsetMs = localTime(at, zone).getTime() - at;
    }
    if (matches(new Date(at + offsetMs))) {
      return at;
    }
  }
  return undefined;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** What clocks in the zone show, as a date whose UTC parts read the same. */
function localTime(instant: number, zone: string): Date {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  formats.set(zone, format);
  return new Date(`${format.format(instant).replace(" ", "T")}Z`);
}

function listOf<T>(element: Arbitrary<Piece<T>>): Arbitrary<Piece<T>> {
  return fc.array(element, { minLength: 1, maxLength: 3 }).map((elements) => ({
    text: elements.map(({ text }) => text).join(","),
    matches: (value) => elements.some((piece) => piece.matches(value)),
  }));
}

function values(min: number, max: number): Arbitrary<Piece<number>> {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 1, max: 20 });
  const range = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant<Piece<number>>({ text: "*", matches: () => true }) },
    {
      weight: 2,
      arbitrary: listOf<number>(
        fc.oneof(
          value.map((only) => ({ text: `${only}`, matches: (n: number) => n === only })),
          range.map(([from, to]) => ({ text: `${from}-${to}`, matches: (n: number) => n >= from && n <= to })),
          fc.tuple(value, step).map(([from, by]) => ({
            text: `${from}/${by}`,
            matches: (n: number) => n >= from && (n - from) % by === 0,
          })),
          fc.tuple(range, step).map(([[from, to], by]) => ({
            text: `${from}-${to}/${by}`,
            matches: (n: number) => n >= from && n <= to && (n - from) % by === 0,
          })),
        ),
      ),
    },
  );
}

function dayOfMonth(): Arbitrary<Piece<Date>> {
  const special = fc.oneof<Arbitrary<Piece<Date>>[]>(
    fc.constant({ text: "L", matches: (date) => isLastDay(date) }),
    fc.integer({ min: 1, max: 30 }).map((before) => ({
      text: `L-${before}`,
      matches: (date) => date.getUTCDate() + before === daysInMonth(date).length,
    })),
    fc.constant({ text: "LW", matches: (date) => date.getUTCDate() === workdays(date).at(-1) }),
    fc.integer({ min: 1, max: 31 }).map((day) => ({
      text: `${day}W`,
      matches: (date) => day <= daysInMonth(date).length && date.getUTCDate() === nearest(workdays(date), day),
    })),
  );
  return dayPiece(values(1, 31), (date) => date.getUTCDate(), special);
}

function dayOfWeek(): Arbitrary<Piece<Date>> {
  const day = fc.integer({ min: 0, max: 7 });
  const special = fc.oneof<Arbitrary<Piece<Date>>[]>(
    day.map((weekday) => ({
      text: `${weekday}L`,
      matches: (date) => date.getUTCDay() === weekday % 7 && isLastDay(date, 7),
    })),
    fc.tuple(day, fc.integer({ min: 1, max: 6 })).map(([weekday, nth]) => ({
      text: `${weekday}#${nth}`,
      matches: (date) => date.getUTCDay() === weekday % 7 && Math.ceil(date.getUTCDate() / 7) === nth,
    })),
  );
  // Without Sunday, from which ranges start over.
  return dayPiece(values(1, 6), (date) => date.getUTCDay() || 7, special);
}

function dayPiece(
  plain: Arbitrary<Piece<number>>,
  read: (date: Date) => number,
  special: Arbitrary<Piece<Date>>,
): Arbitrary<Piece<Date>> {
  const plainDay = plain.map(({ text, matches }): Piece<Date> => ({ text, matches: (date) => matches(read(date)) }));
  return fc.oneof(
    fc.constant<Piece<Date>>({ text: "?", matches: () => true }),
    plainDay,
    listOf(fc.oneof(plainDay, special)),
  );
}

/** Whether the month ends within that many days, today counted. */
function isLastDay(date: Date, days = 1): boolean {
  return new Date(date.getTime() + days * dayMs).getUTCMonth() !== date.getUTCMonth();
}

function daysInMonth(date: Date): number[] {
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return Array.from({ length }, (_, index) => index + 1);
}

function workdays(date: Date): number[] {
  return daysInMonth(date).filter((day) => {
    const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day)).getUTCDay();
    return weekday >= 1 && weekday <= 5;
  });
}

function nearest(days: readonly number[], day: number): number | undefined {
  return days.toSorted((a, b) => Math.abs(a - day) - Math.abs(b - day))[0];
}
