import { type BrokenDown, isoWeekOf, months, toEpochSeconds, weekdayOf, weekdays, yearDayOf } from "./calendar.ts";

type Zone = { readonly offsetSeconds: number };
type Conversion = {
  readonly format: (date: BrokenDown, zone: Zone) => string | number;
  /** Width and padding of a number, unless the format says otherwise. */
  readonly width?: number;
  readonly padding?: "0" | " ";
};

/** Writes a date by a C format. A conversion that does not exist is copied as it stands. */
export function formatDate(format: string, date: BrokenDown, zone: Zone): string {
  return format.replace(/%([-_0^#]*)(\d*)[EO]?([A-Za-z%+])/g, (whole, flags: string, width: string, letter: string) => {
    const compound = compounds.get(letter);
    if (compound !== undefined) return pad(formatDate(compound, date, zone), flags, width, " ");
    const conversion = conversions.get(letter);
    if (conversion === undefined) return whole;
    const value = conversion.format(date, zone);
    if (typeof value === "string") return pad(value, flags, width, " ");
    if (flags.includes("-")) return String(value);
    const padding = conversion.padding ?? "0";
    const digits = String(Math.abs(value)).padStart(conversion.width ?? 0, flags.includes("_") ? " " : padding);
    return pad((value < 0 ? "-" : "") + digits, flags, width, padding);
  });
}

function pad(text: string, flags: string, width: string, padding: "0" | " "): string {
  const cased = flags.includes("^") ? text.toUpperCase() : flags.includes("#") ? swapCase(text) : text;
  const character = flags.includes("_") ? " " : flags.includes("0") ? "0" : padding;
  return cased.padStart(Math.min(Number(width), 1024), character);
}

const swapCase = (text: string): string => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase());

const compounds: ReadonlyMap<string, string> = new Map([
  ["c", "%a %b %e %H:%M:%S %Y"],
  ["D", "%m/%d/%y"],
  ["F", "%Y-%m-%d"],
  ["R", "%H:%M"],
  ["r", "%I:%M:%S %p"],
  ["T", "%H:%M:%S"],
  ["x", "%m/%d/%y"],
  ["X", "%H:%M:%S"],
]);

const two = (format: (date: BrokenDown) => number): Conversion => ({ format, width: 2 });
const spaced = (format: (date: BrokenDown) => number): Conversion => ({ format, width: 2, padding: " " });
const hour12 = (date: BrokenDown): number => ((date.hour + 11) % 12) + 1;
const half = (date: BrokenDown): string => (date.hour < 12 ? "AM" : "PM");
/** Weeks of the year that begin on the given weekday; days before the first belong to week 0. */
const weekFrom = (date: BrokenDown, first: number): number =>
  Math.floor((yearDayOf(date) + 7 - ((weekdayOf(date) - first + 7) % 7)) / 7);

const conversions: ReadonlyMap<string, Conversion> = new Map<string, Conversion>([
  ["a", { format: (date) => (weekdays[weekdayOf(date)] ?? "").slice(0, 3) }],
  ["A", { format: (date) => weekdays[weekdayOf(date)] ?? "" }],
  ["b", { format: (date) => (months[date.month] ?? "?").slice(0, 3) }],
  ["h", { format: (date) => (months[date.month] ?? "?").slice(0, 3) }],
  ["B", { format: (date) => months[date.month] ?? "?" }],
  ["C", two((date) => Math.floor(date.year / 100))],
  ["d", two((date) => date.day)],
  ["e", spaced((date) => date.day)],
  ["g", two((date) => isoWeekOf(date).year % 100)],
  ["G", { format: (date) => isoWeekOf(date).year }],
  ["H", two((date) => date.hour)],
  ["I", two(hour12)],
  ["j", { format: (date) => yearDayOf(date) + 1, width: 3 }],
  ["k", spaced((date) => date.hour)],
  ["l", spaced(hour12)],
  ["m", two((date) => date.month + 1)],
  ["M", two((date) => date.minute)],
  ["n", { format: () => "\n" }],
  ["p", { format: half }],
  ["P", { format: (date) => half(date).toLowerCase() }],
  ["s", { format: (date, zone) => toEpochSeconds(date) - zone.offsetSeconds }],
  ["S", two((date) => Math.floor(date.second))],
  ["t", { format: () => "\t" }],
  ["u", { format: (date) => weekdayOf(date) || 7 }],
  ["U", two((date) => weekFrom(date, 0))],
  ["V", two((date) => isoWeekOf(date).week)],
  ["w", { format: weekdayOf }],
  ["W", two((date) => weekFrom(date, 1))],
  ["y", two((date) => ((date.year % 100) + 100) % 100)],
  ["Y", { format: (date) => date.year }],
  ["z", { format: (_date, zone) => formatOffset(zone) }],
  ["Z", { format: (_date, zone) => (zone.offsetSeconds === 0 ? "UTC" : formatOffset(zone)) }],
  ["%", { format: () => "%" }],
]);

function formatOffset({ offsetSeconds }: Zone): string {
  const minutes = Math.round(Math.abs(offsetSeconds) / 60);
  const digits = String(Math.floor(minutes / 60) * 100 + (minutes % 60)).padStart(4, "0");
  return (offsetSeconds < 0 ? "-" : "+") + digits;
}
