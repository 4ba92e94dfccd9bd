const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

// In the order in which a duration may name them.
const units: readonly { readonly words: readonly string[]; readonly ms: number }[] = [
  { words: ["d", "day", "days"], ms: dayMs },
  { words: ["h", "hr", "hrs", "hour", "hours"], ms: hourMs },
  { words: ["m", "min", "mins", "minute", "minutes"], ms: minuteMs },
  { words: ["s", "sec", "secs", "second", "seconds"], ms: secondMs },
];

const maxAmount = 2 ** 31 - 1;
const maxMs = 8.64e15; // as far as a date reaches

/**
 * A WAIT duration in milliseconds: whole numbers with units from days down to seconds, each at most once, `1d2h3m4s` or
 * `2 Minutes 3 secs`. Undefined for anything else, blank text included.
 */
export function parseWaitDuration(text: string): number | undefined {
  // One step per part and never back: an expression for the whole text would try every split of a run of blanks.
  const part = /\s*(\d+)\s*([a-z]+)/iy;
  const whole = text.trim();
  let ms = 0;
  let nextUnit = 0;
  while (part.lastIndex < whole.length) {
    const [, digits, word] = part.exec(whole) ?? [];
    if (digits === undefined || word === undefined) return undefined;
    const unit = units.findIndex(({ words }) => words.includes(word.toLowerCase()));
    const amount = Number(digits);
    if (unit < nextUnit || amount > maxAmount) return undefined;
    ms += amount * (units[unit]?.ms ?? 0);
    nextUnit = unit + 1;
  }
  return nextUnit > 0 && ms <= maxMs ? ms : undefined;
}
