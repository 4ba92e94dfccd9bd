/** A cron expression of six fields in words; undefined when it is none that we can say. The server knows what is right. */
export function cronWords(expression: string): string | undefined {
  const text = expression.trim();
  const macro = macros[text.toLowerCase()];
  if (macro !== undefined) return macro;
  const fields = text.split(/\s+/);
  const [second = "", minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = fields;
  if (fields.length !== 6) return undefined;
  const days = daysWords(dayOfMonth, dayOfWeek);
  const months = isEvery(month) ? "" : ` in ${list(month, (part) => rangeWords(part, monthName))}`;
  const times = timeWords(second, minute, hour);
  if (days === undefined || times === undefined) return undefined;
  return `${times.text}${days === "" && times.isClock ? " every day" : days}${months}`.trim();
}

const macros: Readonly<Record<string, string>> = {
  "@yearly": "at 00:00 on 1 January",
  "@annually": "at 00:00 on 1 January",
  "@monthly": "at 00:00 on day 1 of the month",
  "@weekly": "at 00:00 on Sunday",
  "@daily": "at 00:00 every day",
  "@midnight": "at 00:00 every day",
  "@hourly": "every hour",
};

const isEvery = (field: string): boolean => field === "*" || field === "?";
const isNumber = (field: string): boolean => /^\d+$/.test(field);
const two = (field: string): string => field.padStart(2, "0");

type Times = { readonly text: string; readonly isClock: boolean };

function timeWords(second: string, minute: string, hour: string): Times | undefined {
  const plain = isNumber(second) && isNumber(minute);
  const hours = hour.split(",");
  if (plain && hours.every(isNumber)) {
    const clock = hours.map((one) => `${two(one)}:${two(minute)}${Number(second) === 0 ? "" : `:${two(second)}`}`);
    return { text: `at ${joined(clock)}`, isClock: true };
  }
  const during = hoursWords(hour);
  if (during === undefined) return undefined;
  if (plain && isEvery(hour)) {
    const at = Number(minute) === 0 ? "" : ` at ${minute} min past`;
    return { text: `every hour${at}${secondsWords(second)}`, isClock: false };
  }
  if (plain) {
    const at = Number(minute) === 0 ? "on the hour" : `at ${minute} min past the hour`;
    return { text: `${at}${secondsWords(second)}${during}`, isClock: false };
  }
  const often = oftenWords(second, minute);
  return often === undefined ? undefined : { text: `${often}${during}`, isClock: false };
}

const secondsWords = (second: string): string => (Number(second) === 0 ? "" : ` and ${second} s`);

function oftenWords(second: string, minute: string): string | undefined {
  if (isEvery(minute) && isEvery(second)) return "every second";
  if (isEvery(minute)) return isNumber(second) ? "every minute" : stepWords(second, "second");
  if (!isNumber(second)) return undefined;
  if (stepOf(minute) !== undefined) return stepWords(minute, "minute");
  return `at minutes ${list(minute, (part) => rangeWords(part, (one) => one))}`;
}

/** A star or a zero before the slash: steps from the beginning. */
const stepOf = (field: string): string | undefined => /^(?:\*|0)\/(\d+)$/.exec(field)?.[1];

function stepWords(field: string, unit: string): string | undefined {
  const step = stepOf(field);
  if (step === undefined) return undefined;
  return Number(step) === 1 ? `every ${unit}` : `every ${step} ${unit}s`;
}

function hoursWords(hour: string): string | undefined {
  if (isEvery(hour)) return "";
  const step = stepOf(hour);
  if (step !== undefined) return ` every ${step} hours`;
  const range = /^(\d+)-(\d+)$/.exec(hour);
  if (range !== null) return ` from ${two(range[1] ?? "")}:00 to ${two(range[2] ?? "")}:59`;
  if (/^[\d,]+$/.test(hour)) return ` in the hours from ${joined(hour.split(",").map((one) => `${two(one)}:00`))}`;
  return undefined;
}

function daysWords(dayOfMonth: string, dayOfWeek: string): string | undefined {
  const inMonth = isEvery(dayOfMonth) ? "" : daysOfMonthWords(dayOfMonth);
  const inWeek = isEvery(dayOfWeek) ? "" : daysOfWeekWords(dayOfWeek);
  if (inMonth === undefined || inWeek === undefined) return undefined;
  return inMonth !== "" && inWeek !== "" ? `${inMonth}, if that is${inWeek.replace(" on", "")}` : inMonth + inWeek;
}

function daysOfMonthWords(field: string): string | undefined {
  if (field === "L") return " on the last day of the month";
  if (field === "LW") return " on the last working day of the month";
  const before = /^L-(\d+)$/.exec(field)?.[1];
  if (before !== undefined) return ` ${before} days before the last day of the month`;
  const near = /^(\d+)W$/.exec(field)?.[1];
  if (near !== undefined) return ` on the working day nearest to day ${near} of the month`;
  const step = /^(?:\*|1)\/(\d+)$/.exec(field)?.[1];
  if (step !== undefined) return ` every ${step} days of the month`;
  if (!/^[\d,-]+$/.test(field)) return undefined;
  const isOne = isNumber(field);
  return ` on ${isOne ? "day" : "days"} ${list(field, (part) => rangeWords(part, (one) => one))} of the month`;
}

const ordinals = ["", "first", "second", "third", "fourth", "fifth"];

function daysOfWeekWords(field: string): string | undefined {
  const [, nthDay, nth] = /^(\w+)#(\d)$/.exec(field) ?? [];
  if (nthDay !== undefined) return ` on the ${ordinals[Number(nth)] ?? nth} ${dayName(nthDay)} of the month`;
  const last = /^(\w+)L$/.exec(field)?.[1];
  if (last !== undefined) return ` on the last ${dayName(last)} of the month`;
  if (!/^[\w,-]+$/.test(field)) return undefined;
  return ` on ${list(field, (part) => rangeWords(part, dayName))}`;
}

const list = (field: string, word: (part: string) => string): string => joined(field.split(",").map(word));

function rangeWords(part: string, name: (one: string) => string): string {
  const [from = "", to] = part.split("-");
  return to === undefined ? name(from) : `${name(from)} to ${name(to)}`;
}

const joined = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = "January February March April May June July August September October November December".split(" ");

/** 0 and 7 are Sunday; names may be cut to three letters. */
const dayName = (one: string): string =>
  isNumber(one) ? (days[Number(one) % 7] ?? one) : (days.find((day) => startsLike(day, one)) ?? one);

const monthName = (one: string): string =>
  isNumber(one) ? (months[Number(one) - 1] ?? one) : (months.find((month) => startsLike(month, one)) ?? one);

const startsLike = (name: string, start: string): boolean => name.toLowerCase().startsWith(start.toLowerCase());
