import { splitText } from "../arithmetic.ts";
import { JqError } from "../errors.ts";
import { parseJson, parseNumber } from "../fromjson.ts";
import type { Run } from "../run.ts";
import { codePoints, fromCodePoints } from "../text.ts";
import { describe, utf8Length } from "../tojson.ts";
import { isArray } from "../values.ts";
import { type Natives, value0, value1 } from "./native.ts";

/** Text without patterns; pattern matching is in matching.ts, `@` formats in formats.ts. */
export const stringBuiltins: Natives = {
  "utf8bytelength/0": value0((input) => {
    if (typeof input !== "string") throw new JqError(`${describe(input)} only strings have UTF-8 byte length`);
    return utf8Length(input);
  }),
  "tonumber/0": value0((input) => {
    if (typeof input === "number") return input;
    const number = typeof input === "string" ? parseNumber(input) : undefined;
    if (number === undefined) throw new JqError(`${describe(input)} cannot be parsed as a number`);
    return number;
  }),
  "toboolean/0": value0((input) => {
    if (typeof input === "boolean") return input;
    if (input === "true" || input === "false") return input === "true";
    throw new JqError(`${describe(input)} cannot be parsed as a boolean`);
  }),
  "fromjson/0": value0((input, run) => {
    if (typeof input !== "string") throw new JqError(`${describe(input)} only strings can be parsed`);
    run.allocate(input.length >> 3);
    return parseJson(input);
  }),
  "ascii_downcase/0": value0((input) => requireText(input).replace(/[A-Z]+/g, (part) => part.toLowerCase())),
  "ascii_upcase/0": value0((input) => requireText(input).replace(/[a-z]+/g, (part) => part.toUpperCase())),
  "ascii/0": value0((input) => implode([input])),
  "explode/0": value0((input, run) => {
    const text = requireText(input);
    run.allocate(text.length);
    return codePoints(text);
  }),
  "implode/0": value0((input, run) => {
    if (!isArray(input)) throw new JqError("implode input must be an array");
    run.allocate(input.length);
    return implode(input);
  }),
  "split/1": value1((input, separator, run) => split(input, separator, run)),
  "startswith/1": value1((input, prefix) => startsWith(input, prefix)),
  "endswith/1": value1((input, suffix) => endsWith(input, suffix)),
  "ltrimstr/1": value1(dropPrefix),
  "rtrimstr/1": value1(dropSuffix),
  "trimstr/1": value1((input, affix) => dropSuffix(dropPrefix(input, affix), affix)),
  "trim/0": value0((input) => trimEnd(trimStart(requireTrimmable(input)))),
  "ltrim/0": value0((input) => trimStart(requireTrimmable(input))),
  "rtrim/0": value0((input) => trimEnd(requireTrimmable(input))),
};

function requireText(input: unknown): string {
  if (typeof input === "string") return input;
  throw new JqError("explode input must be a string");
}

function requireTrimmable(input: unknown): string {
  if (typeof input === "string") return input;
  throw new JqError("trim input must be a string");
}

// Loops, not patterns: /\s+$/ takes quadratic time on a long run of blanks inside the text.
function trimStart(text: string): string {
  let start = 0;
  while (start < text.length && isSpace(text.charCodeAt(start))) start += 1;
  return text.slice(start);
}

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** White space as Unicode has it, which differs from JavaScript's by U+0085 and U+FEFF. */
function isSpace(unit: number): boolean {
  if (unit === 0x20 || (unit >= 9 && unit <= 13)) return true;
  if (unit < 0x85) return false;
  return unit === 0x85 || (unit !== 0xfeff && /\s/.test(String.fromCharCode(unit)));
}

/** Numbers outside Unicode, and lone surrogates, become U+FFFD. */
function implode(input: readonly unknown[]): string {
  const points = input.map((point) => {
    if (typeof point !== "number" || Number.isNaN(point)) {
      throw new JqError(`${describe(point)} can't be imploded, unicode codepoint needs to be numeric`);
    }
    const whole = Math.trunc(point);
    return whole < 0 || whole > 0x10ffff || (whole >= 0xd800 && whole <= 0xdfff) ? 0xfffd : whole;
  });
  return fromCodePoints(points);
}

function split(input: unknown, separator: unknown, run: Run): string[] {
  if (typeof input === "string" && typeof separator === "string") return splitText(input, separator, run);
  throw new JqError("split input and separator must be strings");
}

function startsWith(input: unknown, prefix: unknown): boolean {
  if (typeof input === "string" && typeof prefix === "string") return input.startsWith(prefix);
  throw new JqError("startswith() requires string inputs");
}

function endsWith(input: unknown, suffix: unknown): boolean {
  if (typeof input === "string" && typeof suffix === "string") return input.endsWith(suffix);
  throw new JqError("endswith() requires string inputs");
}

function dropPrefix(input: unknown, prefix: unknown): unknown {
  if (!startsWith(input, prefix) || typeof input !== "string" || typeof prefix !== "string") return input;
  return input.slice(prefix.length);
}

function dropSuffix(input: unknown, suffix: unknown): unknown {
  if (!endsWith(input, suffix) || typeof input !== "string" || typeof suffix !== "string") return input;
  return input.slice(0, input.length - suffix.length);
}
