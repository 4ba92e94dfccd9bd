// The forms Java takes: the hour alone may have one digit; minutes and seconds come with colons or without.
const pattern = /^(?:UTC|GMT|UT)?([+-])(\d{1,2})(?:(?<=\d\d):?([0-5]\d)(?::?([0-5]\d))?)?$/i;
const maxOffsetMs = 18 * 3_600_000;

/** Milliseconds ahead of UTC for a zone written as an offset: `Z`, `UTC`, `+05:30`, `-03`, `GMT+2`. */
export function fixedOffsetMs(zone: string): number | undefined {
  if (/^(?:Z|UTC|GMT|UT)$/i.test(zone)) {
    return 0;
  }
  const [, sign, hours, minutes = "0", seconds = "0"] = pattern.exec(zone) ?? [];
  if (sign === undefined) {
    return undefined;
  }
  const sizeMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sizeMs > maxOffsetMs ? undefined : sign === "-" ? -sizeMs : sizeMs;
}
