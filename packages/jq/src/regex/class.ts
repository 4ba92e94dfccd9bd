import { JqError } from "../errors.ts";
import type { CodeTest } from "./ast.ts";
import { codeSet, findPosixClass, findProperty, isDigit, isSpace, isWord } from "./code-sets.ts";
import type { PatternText } from "./pattern-text.ts";

type Member = number | ((code: number) => boolean);

/** `[...]`, read after its opening bracket. A "]" that comes first is a member. */
export function parseClass(text: PatternText, { ignoreCase }: { readonly ignoreCase: boolean }): CodeTest {
  const isNegated = text.take("^");
  const ranges: [number, number][] = [];
  const tests: ((code: number) => boolean)[] = [];
  for (let isFirst = true; isFirst || !text.isNext("]"); isFirst = false) {
    if (text.atEnd()) fail("premature end of char-class");
    const low = parseMember(text);
    if (typeof low === "function") {
      tests.push(low);
    } else if (!isRangeNext(text)) {
      ranges.push([low, low]);
    } else {
      text.take("-");
      const high = parseMember(text);
      if (typeof high === "function") {
        ranges.push([low, low], [0x2d, 0x2d]);
        tests.push(high);
      } else {
        if (high < low) fail("empty range in char class");
        ranges.push([low, high]);
      }
    }
  }
  text.take("]");
  return codeSet(ranges, tests, { isNegated, ignoreCase });
}

const isRangeNext = (text: PatternText): boolean => text.isNext("-") && !text.isNext("-]");

function parseMember(text: PatternText): Member {
  const posix = text.match(/\[:(\^?)(\w+):\]/y);
  if (posix !== undefined) {
    const test = findPosixClass(posix[2] ?? "");
    if (test === undefined) return fail("invalid POSIX bracket type");
    return posix[1] === "^" ? (code) => !test(code) : test;
  }
  if (!text.take("\\")) return text.next();
  const property = text.match(/([pP])\{(\^?)([^}]*)\}/y);
  if (property !== undefined) {
    const test = findProperty(property[3] ?? "");
    if (test === undefined) return fail(`invalid character property name {${property[3] ?? ""}}`);
    return (property[1] === "P") !== (property[2] === "^") ? (code) => !test(code) : test;
  }
  const known = classEscapes.get(text.peek());
  if (known === undefined) return text.nextEscapedCode();
  text.next();
  return known;
}

const classEscapes: ReadonlyMap<string, Member> = new Map<string, Member>([
  ["w", isWord],
  ["W", (code) => !isWord(code)],
  ["d", isDigit],
  ["D", (code) => !isDigit(code)],
  ["s", isSpace],
  ["S", (code) => !isSpace(code)],
  ["b", 8],
]);

function fail(message: string): never {
  throw new JqError(`Regex failure: ${message}`);
}
