import { type BrokenDown, daysSinceEpoch, fromEpochSeconds, months, weekdays } from "./calendar.ts";

export type ParsedDate = { readonly date: BrokenDown; readonly rest: string };

/** Reads a date by a C format, or undefined when it does not fit. `rest` is what follows the part that was read. */
export function parseDate(text: string, format: string): ParsedDate | undefined {
  const reader = new DateReader(text);
  if (!reader.readFormat(format)) return undefined;
  return { date: reader.date(), rest: text.slice(reader.at) };
}

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

type Field = "year" | "month" | "day" | "hour" | "minute" | "second";

class DateReader {
  at = 0;
  readonly #text: string;
  readonly #fields: Record<Field, number> = { year: 1900, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  #isAfternoon: boolean | undefined;
  #yearDay: number | undefined;
  #hasMonthOrDay = false;
  #century: number | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  readFormat(format: string): boolean {
    for (let i = 0; i < format.length; i++) {
      const character = format.charAt(i);
      if (/\s/.test(character)) {
        this.#skipSpace();
      } else if (character !== "%" || i + 1 >= format.length) {
        if (!this.#take(character)) return false;
      } else {
        i += 1;
        while (/[EO_0^#-]/.test(format.charAt(i)) && i + 1 < format.length) i += 1;
        if (!this.#readConversion(format.charAt(i))) return false;
      }
    }
    return true;
  }

  date(): BrokenDown {
    const { year, hour, ...rest } = this.#fields;
    const wholeHour = this.#isAfternoon === undefined ? hour : (hour % 12) + (this.#isAfternoon ? 12 : 0);
    const fields = { ...rest, year, hour: wholeHour };
    if (this.#yearDay === undefined || this.#hasMonthOrDay) return fields;
    const { month, day } = fromEpochSeconds(daysSinceEpoch(year, 0, this.#yearDay) * 86_400);
    return { ...fields, month, day };
  }

  #readConversion(letter: string): boolean {
    const compound = compounds.get(letter);
    if (compound !== undefined) return this.readFormat(compound);
    switch (letter) {
      case "a":
      case "A":
        return this.#readName(weekdays) !== undefined;
      case "b":
      case "B":
      case "h":
        return this.#setDatePart("month", this.#readName(months));
      case "d":
      case "e":
        return this.#setDatePart("day", this.#readNumber(1, 31, 2));
      case "m":
        return this.#setDatePart("month", minusOne(this.#readNumber(1, 12, 2)));
      case "H":
      case "k":
        return this.#set("hour", this.#readNumber(0, 23, 2));
      case "I":
      case "l":
        return this.#set("hour", this.#readNumber(1, 12, 2));
      case "M":
        return this.#set("minute", this.#readNumber(0, 59, 2));
      case "S":
        return this.#set("second", this.#readNumber(0, 61, 2));
      case "Y":
        return this.#set("year", this.#readNumber(0, 9999, 4));
      case "y":
        return this.#readShortYear();
      case "C":
        this.#century = this.#readNumber(0, 99, 2);
        return this.#century !== undefined;
      case "j":
        this.#yearDay = this.#readNumber(1, 366, 3);
        return this.#yearDay !== undefined;
      case "p":
      case "P":
        return this.#readHalf();
      case "s":
        return this.#readEpoch();
      case "U":
      case "V":
      case "W":
        return this.#readNumber(0, 53, 2) !== undefined;
      case "u":
        return this.#readNumber(1, 7, 1) !== undefined;
      case "w":
        return this.#readNumber(0, 6, 1) !== undefined;
      case "G":
        return this.#readNumber(0, 9999, 4) !== undefined;
      case "g":
        return this.#readNumber(0, 99, 2) !== undefined;
      case "z":
        return this.#match(/\s*(?:Z|[+-]\d{2}(?::?\d{2})?)/y) !== undefined;
      case "Z":
        return this.#match(/[A-Za-z]+/y) !== undefined;
      case "n":
      case "t":
        this.#skipSpace();
        return true;
      case "%":
        return this.#take("%");
      default:
        return false;
    }
  }

  #set(field: Field, value: number | undefined): boolean {
    if (value === undefined) return false;
    this.#fields[field] = value;
    return true;
  }

  #setDatePart(field: "month" | "day", value: number | undefined): boolean {
    this.#hasMonthOrDay = true;
    return this.#set(field, value);
  }

  /** Two digits mean 1969 to 2068, unless a century was read. */
  #readShortYear(): boolean {
    const year = this.#readNumber(0, 99, 2);
    if (year === undefined) return false;
    const century = this.#century ?? (year < 69 ? 20 : 19);
    return this.#set("year", century * 100 + year);
  }

  #readHalf(): boolean {
    const found = this.#match(/[AaPp][Mm]/y);
    if (found !== undefined) this.#isAfternoon = found.toLowerCase() === "pm";
    return found !== undefined;
  }

  #readEpoch(): boolean {
    const digits = this.#match(/-?\d{1,15}/y);
    if (digits === undefined) return false;
    Object.assign(this.#fields, fromEpochSeconds(Number(digits)));
    this.#hasMonthOrDay = true;
    return true;
  }

  #readNumber(low: number, high: number, width: number): number | undefined {
    this.#skipSpace();
    let digits = "";
    while (digits.length < width && /[0-9]/.test(this.#text.charAt(this.at + digits.length))) {
      digits += this.#text.charAt(this.at + digits.length);
    }
    const value = Number(digits);
    if (digits === "" || value < low || value > high) return undefined;
    this.at += digits.length;
    return value;
  }

  /** Full or three-letter names, in any case. */
  #readName(names: readonly string[]): number | undefined {
    const here = this.#text.slice(this.at, this.at + 12).toLowerCase();
    for (const length of [Number.POSITIVE_INFINITY, 3]) {
      const index = names.findIndex((name) => here.startsWith(name.slice(0, length).toLowerCase()));
      if (index < 0) continue;
      this.at += (names[index] ?? "").slice(0, length).length;
      return index;
    }
    return undefined;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  #take(character: string): boolean {
    if (this.#text.charAt(this.at) !== character) return false;
    this.at += 1;
    return true;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text.charAt(this.at))) this.at += 1;
  }
}

const minusOne = (value: number | undefined): number | undefined => (value === undefined ? undefined : value - 1);
