const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * The instant a WAIT ends, in epoch milliseconds: `yyyy-MM-dd HH:mm`, the same with a zone, or `yyyy-MM-dd`. UTC when no
 * zone is given. Undefined for anything else and for days that no calendar has.
 */
export function parseWaitUntil(text: string): number | undefined {
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:\s+(\d{1,2}):(\d{1,2})(?:\s+(\S+))?)?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour = "0", minute = "0", zone = "UTC"] = match;
  const wall = wallTime({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
  });
  return wall === undefined ? undefined : instantIn(zone, wall);
}

type WallTime = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
};

/** What a clock shows, written as if it were UTC; undefined when no clock ever shows it. */
function wallTime({ year, month, day, hour, minute }: WallTime): number | undefined {
  if (hour > 23 || minute > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.setUTCHours(hour, minute);
}

function instantIn(zone: string, wall: number): number | undefined {
  const offset = fixedOffset(zone);
  return offset === undefined ? instantInRegion(zone, wall) : wall - offset;
}

// A short name means one offset the whole year round: PST is PST in summer too.
const shortNames: ReadonlyMap<string, number> = new Map([
  ["Z", 0],
  ["UT", 0],
  ["UTC", 0],
  ["GMT", 0],
  ["WET", 0],
  ["WEST", 1],
  ["BST", 1],
  ["CET", 1],
  ["CEST", 2],
  ["EET", 2],
  ["EEST", 3],
  ["MSK", 3],
  ["IST", 5.5],
  ["SGT", 8],
  ["HKT", 8],
  ["AWST", 8],
  ["JST", 9],
  ["KST", 9],
  ["ACST", 9.5],
  ["ACDT", 10.5],
  ["AEST", 10],
  ["AEDT", 11],
  ["NZST", 12],
  ["NZDT", 13],
  ["AST", -4],
  ["ADT", -3],
  ["EST", -5],
  ["EDT", -4],
  ["CST", -6],
  ["CDT", -5],
  ["MST", -7],
  ["MDT", -6],
  ["PST", -8],
  ["PDT", -7],
  ["AKST", -9],
  ["AKDT", -8],
  ["HST", -10],
]);

/** The offset in milliseconds of `PST`, `+0530`, `+05:30`, `GMT+5:30` or `UTC-3`. */
function fixedOffset(zone: string): number | undefined {
  const name = zone.toUpperCase();
  const hours = shortNames.get(name);
  if (hours !== undefined) return hours * hourMs;
  const match = /^(?:GMT|UTC)?([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(name);
  if (match === null) return undefined;
  const [, sign, hour, minute = "0"] = match;
  if (Number(hour) > 18 || Number(minute) > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (Number(hour) * hourMs + Number(minute) * minuteMs);
}

/** An hour that a region skips in spring moves forward; of an hour that comes twice in autumn the first counts. */
function instantInRegion(zone: string, wall: number): number | undefined {
  const clock = regionClock(zone);
  if (clock === undefined) return undefined;
  const before = clock(wall - 24 * hourMs);
  const after = clock(wall + 24 * hourMs);
  const early = wall - before;
  if (clock(early) === before) return early;
  const late = wall - after;
  return clock(late) === after ? late : early;
}

/** The offset of a region such as `Europe/Berlin`, in milliseconds, as a function of the instant. */
function regionClock(zone: string): ((at: number) => number) | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "iso8601",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return undefined; // no such region: that is the answer
  }
  return (at) => {
    const shown = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => shown.get(type) ?? 0;
    const date = new Date(0);
    date.setUTCFullYear(part("year"), part("month") - 1, part("day"));
    date.setUTCHours(part("hour"), part("minute"), part("second"));
    return date.getTime() - Math.floor(at / 1000) * 1000;
  };
}
