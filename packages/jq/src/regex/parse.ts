import { JqError } from "../errors.ts";
import type { Assertion, Mode, ParsedPattern, Pattern } from "./ast.ts";
import { parseClass } from "./class.ts";
import { anyCode, codeSet, findProperty, isDigit, isSpace, isWord, notNewline, singleCode } from "./code-sets.ts";
import { PatternText } from "./pattern-text.ts";

/** Options that a pattern can switch inside itself; they hold to the end of the group they are switched in. */
export type Options = {
  readonly ignoreCase: boolean;
  readonly extended: boolean;
  readonly dotAll: boolean;
  readonly multiline: boolean;
};

/** Parses the Perl-like syntax jq's engine is set to. */
export function parsePattern(source: string, options: Options): ParsedPattern {
  const parser = new PatternParser(source, options);
  const root = parser.parseAll();
  return { root, names: parser.names };
}

const nothing: Pattern = { kind: "sequence", items: [] };
const maxRepeat = 100_000;

class PatternParser {
  readonly names: (string | null)[] = [];
  readonly #text: PatternText;
  #options: Options;

  constructor(source: string, options: Options) {
    this.#text = new PatternText(source);
    this.#options = options;
  }

  parseAll(): Pattern {
    const root = this.#parseChoice();
    if (!this.#text.atEnd()) this.#fail("unmatched close parenthesis");
    return root;
  }

  #parseChoice(): Pattern {
    const options = [this.#parseSequence()];
    while (this.#text.take("|")) options.push(this.#parseSequence());
    return options.length === 1 ? (options[0] ?? nothing) : { kind: "choice", options };
  }

  #parseSequence(): Pattern {
    const items: Pattern[] = [];
    for (;;) {
      if (this.#options.extended) this.#text.skipSpaceAndComments();
      if (this.#text.atEnd() || this.#text.isNext("|") || this.#text.isNext(")")) break;
      const quoted = this.#text.match(/\\Q([\s\S]*?)(?:\\E|$)/y)?.[1];
      const atoms = quoted === undefined ? [this.#parseAtom()] : this.#characters(quoted);
      const last = atoms.pop();
      items.push(...atoms.filter((atom) => atom !== undefined));
      if (last !== undefined) items.push(this.#parseRepeats(last));
    }
    return items.length === 1 ? (items[0] ?? nothing) : { kind: "sequence", items };
  }

  #parseRepeats(atom: Pattern): Pattern {
    let body = atom;
    for (;;) {
      if (this.#options.extended) this.#text.skipSpaceAndComments();
      const range = this.#parseQuantifier();
      if (range === undefined) return body;
      if (body.kind === "assert") this.#fail("target of repeat operator is invalid");
      body = { kind: "repeat", body, ...range, mode: this.#parseMode() };
    }
  }

  #parseQuantifier(): { min: number; max: number } | undefined {
    if (this.#text.take("*")) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#text.take("+")) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#text.take("?")) return { min: 0, max: 1 };
    const braces = this.#text.match(/\{(\d+)(?:(,)(\d*))?\}/y);
    if (braces === undefined) return undefined;
    const min = Number(braces[1]);
    const max = braces[2] === undefined ? min : braces[3] === "" ? Number.POSITIVE_INFINITY : Number(braces[3]);
    if (min > maxRepeat || (max > maxRepeat && max !== Number.POSITIVE_INFINITY)) this.#fail("too big number");
    if (max < min) this.#fail("upper is smaller than lower in repeat range");
    return { min, max };
  }

  #parseMode(): Mode {
    if (this.#text.take("?")) return "lazy";
    return this.#text.take("+") ? "possessive" : "greedy";
  }

  #parseAtom(): Pattern | undefined {
    const code = this.#text.next();
    switch (String.fromCodePoint(code)) {
      case "(":
        return this.#parseGroup();
      case "[":
        return { kind: "set", test: parseClass(this.#text, this.#options) };
      case ".":
        return { kind: "set", test: this.#options.dotAll ? anyCode : notNewline };
      case "^":
        return assertion(this.#options.multiline ? "lineStart" : "start");
      case "$":
        return assertion(this.#options.multiline ? "lineEnd" : "endOrLastNewline");
      case "\\":
        return this.#parseEscape();
      case "*":
      case "+":
      case "?":
        return this.#fail("target of repeat operator is not specified");
      default:
        return this.#character(code);
    }
  }

  #character(code: number): Pattern {
    return { kind: "set", test: singleCode(code, this.#options) };
  }

  #characters(text: string): Pattern[] {
    return [...text].map((character) => this.#character(character.codePointAt(0) ?? 0));
  }

  #parseGroup(): Pattern | undefined {
    if (this.#text.match(/\?#/y)) {
      this.#text.match(/[^)]*/y);
      if (!this.#text.take(")")) this.#fail("end pattern in group");
      return undefined;
    }
    if (!this.#text.isNext("?")) return this.#capture(null);
    if (this.#text.match(/\?:/y)) return this.#inGroup((body) => body);
    if (this.#text.match(/\?=/y)) return this.#inGroup((body) => look(body, { isBehind: false, isNegative: false }));
    if (this.#text.match(/\?!/y)) return this.#inGroup((body) => look(body, { isBehind: false, isNegative: true }));
    if (this.#text.match(/\?<=/y)) return this.#inGroup((body) => look(body, { isBehind: true, isNegative: false }));
    if (this.#text.match(/\?<!/y)) return this.#inGroup((body) => look(body, { isBehind: true, isNegative: true }));
    if (this.#text.match(/\?>/y)) return this.#inGroup((body) => ({ kind: "atomic", body }));
    const name = this.#text.match(/\?(?:P?<([^>]*)>|'([^']*)')/y);
    if (name !== undefined) return this.#capture(this.#checkName(name[1] ?? name[2] ?? ""));
    const flags = this.#text.match(/\?([imsx]*)(?:-([imsx]*))?([:)])/y);
    if (flags === undefined) return this.#fail("undefined group option");
    const options = withFlags(this.#options, flags[1] ?? "", flags[2] ?? "");
    if (flags[3] === ")") {
      this.#options = options;
      return undefined;
    }
    return this.#inGroup((body) => body, options);
  }

  #checkName(name: string): string {
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/v.test(name)) this.#fail(`invalid group name <${name}>`);
    return name;
  }

  #capture(name: string | null): Pattern {
    this.names.push(name);
    const index = this.names.length;
    return this.#inGroup((body) => ({ kind: "group", index, body }));
  }

  #inGroup(wrap: (body: Pattern) => Pattern, options: Options = this.#options): Pattern {
    const outer = this.#options;
    this.#options = options;
    const body = this.#parseChoice();
    this.#options = outer;
    if (!this.#text.take(")")) this.#fail("end pattern with unmatched parenthesis");
    return wrap(body);
  }

  #parseEscape(): Pattern | undefined {
    if (this.#text.atEnd()) this.#fail("end pattern at escape");
    if (this.#text.take("E")) return undefined;
    const named = this.#text.match(/k(?:<([^>]+)>|'([^']+)')/y);
    if (named !== undefined) return this.#backreference(named[1] ?? named[2] ?? "");
    const number = this.#text.match(/[1-9]\d*/y)?.[0];
    if (number !== undefined) return this.#numberedEscape(number);
    const property = this.#text.match(/([pP])\{(\^?)([^}]*)\}/y);
    if (property !== undefined) return this.#property(property);
    const letter = this.#text.peek();
    const known = escapes.get(letter);
    if (known !== undefined) {
      this.#text.next();
      return known(this.#options);
    }
    if (this.#text.isNext("g") || this.#text.isNext("G")) this.#fail("undefined group reference");
    return this.#character(this.#text.nextEscapedCode());
  }

  #property([, letter, negation, name]: readonly (string | undefined)[]): Pattern {
    const test = findProperty(name ?? "");
    if (test === undefined) return this.#fail(`invalid character property name {${name ?? ""}}`);
    const isNegated = (letter === "P") !== (negation === "^");
    return { kind: "set", test: codeSet([], [test], { isNegated, ignoreCase: false }) };
  }

  /** A group number, or octal digits when there are fewer groups than that. */
  #numberedEscape(digits: string): Pattern {
    const index = Number(digits);
    if (index <= 9 || index <= this.names.length) return this.#backreference(digits);
    this.#text.back(digits.length);
    return this.#character(this.#text.nextEscapedCode());
  }

  #backreference(name: string): Pattern {
    const { ignoreCase } = this.#options;
    const index = Number(name);
    if (Number.isInteger(index)) {
      const group = index < 0 ? this.names.length + 1 + index : index;
      if (group > this.names.length || group < 1) this.#fail("invalid backref number/name");
      return { kind: "backreference", groups: [group], ignoreCase };
    }
    const groups = this.names.flatMap((other, i) => (other === name ? [i + 1] : []));
    if (groups.length === 0) this.#fail(`undefined name <${name}> reference`);
    return { kind: "backreference", groups, ignoreCase };
  }

  #fail(message: string): never {
    throw new JqError(`Regex failure: ${message}`);
  }
}

const assertion = (what: Assertion): Pattern => ({ kind: "assert", what });
const set = (test: (code: number) => boolean): Pattern => ({ kind: "set", test: { has: test, only: undefined } });
type Look = { readonly isBehind: boolean; readonly isNegative: boolean };
const look = (body: Pattern, side: Look): Pattern => ({ kind: "look", body, ...side });

/** `m` makes ^ and $ match at every line, `s` makes the dot match newlines, as in Perl. */
function withFlags(options: Options, on: string, off: string): Options {
  const pick = (flag: string, current: boolean): boolean =>
    on.includes(flag) ? true : off.includes(flag) ? false : current;
  return {
    ignoreCase: pick("i", options.ignoreCase),
    extended: pick("x", options.extended),
    dotAll: pick("s", options.dotAll),
    multiline: pick("m", options.multiline),
  };
}

const lineBreak: Pattern = {
  kind: "atomic",
  body: {
    kind: "choice",
    options: [
      { kind: "sequence", items: [set((code) => code === 13), set((code) => code === 10)] },
      set((code) => (code >= 10 && code <= 13) || code === 0x85 || code === 0x2028 || code === 0x2029),
    ],
  },
};
/** A character with the marks that combine with it: close to what a reader sees as one. */
const grapheme: Pattern = {
  kind: "sequence",
  items: [
    set(() => true),
    { kind: "repeat", body: set((code) => isMark(code)), min: 0, max: Number.POSITIVE_INFINITY, mode: "possessive" },
  ],
};
const isMark = (code: number): boolean => code >= 0x300 && /[\p{M}\u200d]/v.test(String.fromCodePoint(code));

const escapes: ReadonlyMap<string, (options: Options) => Pattern> = new Map<string, (options: Options) => Pattern>([
  ["w", () => set(isWord)],
  ["W", () => set((code) => !isWord(code))],
  ["d", () => set(isDigit)],
  ["D", () => set((code) => !isDigit(code))],
  ["s", () => set(isSpace)],
  ["S", () => set((code) => !isSpace(code))],
  ["b", () => assertion("wordEdge")],
  ["B", () => assertion("notWordEdge")],
  ["A", () => assertion("start")],
  ["z", () => assertion("end")],
  ["Z", () => assertion("endOrLastNewline")],
  ["K", () => ({ kind: "keep" })],
  ["N", () => ({ kind: "set", test: notNewline })],
  ["O", () => ({ kind: "set", test: anyCode })],
  ["R", () => lineBreak],
  ["X", () => grapheme],
]);
