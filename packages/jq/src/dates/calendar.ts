/** A date taken apart as in C: month from 0, year day from 0, weekday from Sunday as 0. `second` may have a fraction. */
export type BrokenDown = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
};

const secondsPerDay = 86_400;
export const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
export const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Days since 1970-01-01 in the Gregorian calendar; months and days outside their range carry over. */
export function daysSinceEpoch(year: number, month: number, day: number): number {
  const wholeYear = year + Math.floor(month / 12);
  const monthIndex = ((month % 12) + 12) % 12;
  // Years counted from March put the leap day last, so month lengths need no table.
  const marchYear = monthIndex < 2 ? wholeYear - 1 : wholeYear;
  const marchMonth = (monthIndex + 10) % 12;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * marchMonth + 2) / 5);
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468 + (day - 1);
}

export function toEpochSeconds(date: BrokenDown): number {
  const days = daysSinceEpoch(date.year, date.month, date.day);
  return days * secondsPerDay + date.hour * 3600 + date.minute * 60 + Math.floor(date.second);
}

export function fromEpochSeconds(seconds: number): BrokenDown {
  const whole = Math.floor(seconds);
  const days = Math.floor(whole / secondsPerDay);
  const rest = whole - days * secondsPerDay;
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = (marchMonth + 2) % 12;
  return {
    year: yearOfEra + era * 400 + (month < 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
    hour: Math.floor(rest / 3600),
    minute: Math.floor((rest % 3600) / 60),
    second: (rest % 60) + (seconds - whole),
  };
}

export function weekdayOf({ year, month, day }: BrokenDown): number {
  const days = daysSinceEpoch(year, month, day);
  return (((days + 4) % 7) + 7) % 7;
}

export function yearDayOf({ year, month, day }: BrokenDown): number {
  return daysSinceEpoch(year, month, day) - daysSinceEpoch(year, 0, 1);
}

/** The ISO 8601 week and the year it belongs to. */
export function isoWeekOf(date: BrokenDown): { readonly year: number; readonly week: number } {
  const days = daysSinceEpoch(date.year, date.month, date.day);
  const weekday = (weekdayOf(date) + 6) % 7;
  const thursday = fromEpochSeconds((days - weekday + 3) * secondsPerDay);
  return { year: thursday.year, week: Math.floor(yearDayOf(thursday) / 7) + 1 };
}
