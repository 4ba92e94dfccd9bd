import type { CodeTest } from "./ast.ts";

type Range = readonly [number, number];

export const isWord = byPattern(/[\p{L}\p{M}\p{N}\p{Pc}]/v);
export const isDigit = byPattern(/\p{Nd}/v);
export const isSpace = byPattern(/[\s\u0085]/v);

export const anyCode: CodeTest = { has: () => true, only: undefined };
export const notNewline: CodeTest = { has: (code) => code !== 10, only: undefined };

const posixClasses: ReadonlyMap<string, (code: number) => boolean> = new Map([
  ["alnum", byPattern(/[\p{L}\p{M}\p{N}]/v)],
  ["alpha", byPattern(/[\p{L}\p{M}]/v)],
  ["ascii", (code) => code < 128],
  ["blank", byPattern(/[\t\p{Zs}]/v)],
  ["cntrl", byPattern(/\p{Cc}/v)],
  ["digit", isDigit],
  ["graph", byPattern(/[^\s\p{Cc}\p{Cn}\p{Cs}]/v)],
  ["lower", byPattern(/\p{Ll}/v)],
  ["print", byPattern(/[^\p{Cc}\p{Cn}\p{Cs}]/v)],
  ["punct", byPattern(/[\p{P}\p{S}]/v)],
  ["space", isSpace],
  ["upper", byPattern(/\p{Lu}/v)],
  ["word", isWord],
  ["xdigit", byPattern(/[0-9A-Fa-f]/v)],
]);

export const findPosixClass = (name: string): ((code: number) => boolean) | undefined => posixClasses.get(name);

/** `\p{name}`: a POSIX name, a general category or a script, in any case. */
export function findProperty(name: string): ((code: number) => boolean) | undefined {
  const posix = posixClasses.get(name.toLowerCase());
  if (posix !== undefined) return posix;
  const titled = name.replace(/[A-Za-z]+/g, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase());
  for (const property of [name, titled, `Script=${titled}`, `Script=${name}`]) {
    try {
      return byPattern(new RegExp(`\\p{${property}}`, "v"));
    } catch {
      // Not a property of that spelling: the next one may be.
    }
  }
  return undefined;
}

/** One code point, or its other cases too. */
export function singleCode(code: number, { ignoreCase }: { readonly ignoreCase: boolean }): CodeTest {
  const forms = ignoreCase ? caseForms(code) : [code];
  if (forms.length === 1) return { has: (other) => other === code, only: code };
  return { has: (other) => forms.includes(other), only: undefined };
}

/** A class: ranges and tests, perhaps negated. ASCII is looked up in a table, the rest is tested when met. */
export function codeSet(
  ranges: readonly Range[],
  tests: readonly ((code: number) => boolean)[],
  options: { readonly isNegated: boolean; readonly ignoreCase: boolean },
): CodeTest {
  const isListed = (code: number): boolean =>
    ranges.some(([low, high]) => code >= low && code <= high) || tests.some((test) => test(code));
  const isMember = (code: number): boolean => {
    const found = options.ignoreCase ? caseForms(code).some(isListed) : isListed(code);
    return found !== options.isNegated;
  };
  const ascii = Array.from({ length: 128 }, (_, code) => isMember(code));
  return { has: (code) => ascii[code] ?? isMember(code), only: undefined };
}

export function caseForms(code: number): number[] {
  const text = String.fromCodePoint(code);
  const forms = new Set([code]);
  for (const form of [text.toLowerCase(), text.toUpperCase(), text.toUpperCase().toLowerCase()]) {
    const [only, ...more] = form;
    if (only !== undefined && more.length === 0) forms.add(only.codePointAt(0) ?? code);
  }
  return [...forms];
}

function byPattern(pattern: RegExp): (code: number) => boolean {
  const ascii = Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)));
  return (code) => ascii[code] ?? pattern.test(String.fromCodePoint(code));
}
