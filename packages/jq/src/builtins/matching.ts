import { add } from "../arithmetic.ts";
import { JqError } from "../errors.ts";
import type { Env } from "../evaluate/env.ts";
import { go, type Signal, stop } from "../evaluate/filter.ts";
import { compileRegex, eachMatch, type Regex, requireFlags } from "../regex/regex.ts";
import type { Run } from "../run.ts";
import { codePoints, fromCodePoints } from "../text.ts";
import { describe } from "../tojson.ts";
import { isArray, type JsonObject, kindOf, setKey } from "../values.ts";
import { collect, evaluateAll, type Native, type Natives, never, product, required, whenArgsAre } from "./native.ts";

/** Builtins that match patterns. */
export const matchingBuiltins: Natives = {
  "test/1": question(splitArgument),
  "test/2": question(patternAndFlags),
  "match/1": matches(splitArgument, matchObject),
  "match/2": matches(patternAndFlags, matchObject),
  "capture/1": matches(splitArgument, captureObject),
  "capture/2": matches(patternAndFlags, captureObject),
  "scan/1": matches((args) => patternAndFlags(args, "g"), scanResult),
  "scan/2": matches((args) => patternAndFlags(args, "g"), scanResult),
  "splits/1": splits(),
  "splits/2": splits(),
  "split/2": {
    isSingle: whenArgsAre,
    build: (args) => {
      const find = finder((given) => patternAndFlags(given, "g"));
      const toPieces = (input: unknown, given: readonly unknown[], run: Run): unknown[] =>
        pieces(find(input, given, run));
      return {
        one: () => {
          const given = evaluateAll(args);
          return (input, env) => toPieces(input, given(input, env), env.run);
        },
        each: () => {
          const outputs = product(args, "lastSlowest");
          return (input, env, emit) => outputs(input, env, (given) => emit(toPieces(input, given, env.run)));
        },
      };
    },
  },
  "sub/2": substitution(""),
  "sub/3": substitution(""),
  "gsub/2": substitution("g"),
  "gsub/3": substitution("g"),
};

type PatternText = { readonly pattern: unknown; readonly flags: unknown };
type Found = { readonly text: readonly number[]; readonly regex: Regex; readonly all: readonly (readonly number[])[] };
type ReadArguments = (args: readonly unknown[]) => PatternText;

function patternAndFlags([pattern, flags = null]: readonly unknown[], always = ""): PatternText {
  return { pattern, flags: always + requireFlags(flags) };
}

/** `match("x")` or `match(["x", "flags"])`. */
function splitArgument([argument]: readonly unknown[]): PatternText {
  if (isArray(argument)) return { pattern: argument[0], flags: requireFlags(argument[1] ?? null) };
  if (typeof argument === "string") return { pattern: argument, flags: "" };
  throw new JqError(`${kindOf(argument)} not a string or array`);
}

/** Finds matches, keeping the last pattern compiled: a program mostly uses a constant one. */
function finder(
  read: ReadArguments,
): (input: unknown, args: readonly unknown[], run: Run, wanted?: "first" | "all") => Found {
  let last: { readonly pattern: string; readonly flags: string; readonly regex: Regex } | undefined;
  return (input, args, run, wanted = "all") => {
    const { pattern, flags } = read(args);
    for (const text of [input, pattern]) {
      if (typeof text !== "string") throw new JqError(`${describe(text)} cannot be matched, as it is not a string`);
    }
    if (typeof input !== "string" || typeof pattern !== "string") throw new TypeError("Expected text");
    const flagText = requireFlags(flags);
    if (last?.pattern !== pattern || last.flags !== flagText) {
      run.allocate(64 + pattern.length);
      last = { pattern, flags: flagText, regex: compileRegex(pattern, flagText) };
    }
    const { regex } = last;
    run.charge(input.length);
    const text = codePoints(input);
    const all: (readonly number[])[] = [];
    eachMatch(regex, text, run, (slots) => {
      run.step();
      all.push(slots);
      return wanted === "all";
    });
    return { text, regex, all };
  };
}

function question(read: ReadArguments): Native {
  return {
    isSingle: whenArgsAre,
    build: (args) => {
      const find = finder(read);
      return {
        one: () => {
          const given = evaluateAll(args);
          return (input, env) => find(input, given(input, env), env.run, "first").all.length > 0;
        },
        each: () => {
          const outputs = product(args, "lastSlowest");
          return (input, env, emit) =>
            outputs(input, env, (given) => emit(find(input, given, env.run, "first").all.length > 0));
        },
      };
    },
  };
}

type ToResult = (found: Found, slots: readonly number[]) => unknown;

function matches(read: ReadArguments, toResult: ToResult): Native {
  return {
    isSingle: never,
    build: (args) => ({
      each: () => {
        const find = finder(read);
        const outputs = product(args, "lastSlowest");
        return (input, env, emit) =>
          outputs(input, env, (given) => {
            const found = find(input, given, env.run);
            return emitAll(found.all, (slots) => emit(toResult(found, slots)));
          });
      },
    }),
  };
}

function splits(): Native {
  return {
    isSingle: never,
    build: (args) => ({
      each: () => {
        const find = finder((given) => patternAndFlags(given, "g"));
        const outputs = product(args, "lastSlowest");
        return (input, env, emit) => outputs(input, env, (given) => emitAll(pieces(find(input, given, env.run)), emit));
      },
    }),
  };
}

function emitAll<T>(items: readonly T[], emit: (item: T) => Signal): Signal {
  for (const item of items) if (emit(item) === stop) return stop;
  return go;
}

function pieces({ text, all }: Found): string[] {
  const found: string[] = [];
  let from = 0;
  for (const [start = 0, end = 0] of all) {
    found.push(fromCodePoints(text, from, start));
    from = end;
  }
  found.push(fromCodePoints(text, from));
  return found;
}

function matchObject({ text, regex }: Found, slots: readonly number[]): JsonObject {
  const [start = 0, end = 0] = slots;
  const captures = regex.program.names.map((name, i) => {
    const from = slots[2 * i + 2] ?? -1;
    const to = slots[2 * i + 3] ?? -1;
    if (from < 0 || to < 0) return { offset: -1, string: null, length: 0, name };
    return { offset: from, length: to - from, string: fromCodePoints(text, from, to), name };
  });
  return { offset: start, length: end - start, string: fromCodePoints(text, start, end), captures };
}

function captureTexts({ text, regex }: Found, slots: readonly number[]): (string | null)[] {
  return regex.program.names.map((_, i) => {
    const from = slots[2 * i + 2] ?? -1;
    const to = slots[2 * i + 3] ?? -1;
    return from < 0 || to < 0 ? null : fromCodePoints(text, from, to);
  });
}

/** Named groups only. Of groups with the same name, the last that matched counts. */
function captureObject(found: Found, slots: readonly number[]): JsonObject {
  const object: JsonObject = {};
  const texts = captureTexts(found, slots);
  for (const [i, name] of found.regex.program.names.entries()) {
    if (name !== null && !(Object.hasOwn(object, name) && texts[i] === null)) setKey(object, name, texts[i] ?? null);
  }
  return object;
}

function scanResult(found: Found, slots: readonly number[]): unknown {
  if (found.regex.program.names.length > 0) return captureTexts(found, slots);
  const [start = 0, end = 0] = slots;
  return fromCodePoints(found.text, start, end);
}

/** The replacement sees the named groups as its input. Its k-th outputs, one for each match, make up the k-th result. */
function substitution(always: string): Native {
  return {
    isSingle: whenArgsAre,
    build: (args) => {
      const [pattern, replacement, flags] = args;
      const given = flags === undefined ? [required(pattern)] : [required(pattern), flags];
      const find = finder((values) => patternAndFlags(values, always));
      const outputsOf = collect(required(replacement));
      const results = (input: unknown, values: readonly unknown[], env: Env): unknown[] => {
        const found = find(input, values, env.run);
        if (found.all.length === 0) return [input];
        return replaced(found, (slots) => outputsOf(captureObject(found, slots), env), env.run);
      };
      return {
        one: () => {
          const values = evaluateAll(given);
          return (input, env) => results(input, values(input, env), env)[0];
        },
        each: () => {
          const outputs = product(given, "firstSlowest");
          return (input, env, emit) => outputs(input, env, (values) => emitAll(results(input, values, env), emit));
        },
      };
    },
  };
}

function replaced(found: Found, insertsFor: (slots: readonly number[]) => readonly unknown[], run: Run): unknown[] {
  const inserts = found.all.map(insertsFor);
  const count = inserts.reduce((fewest, list) => Math.min(fewest, list.length), Number.POSITIVE_INFINITY);
  const gaps = pieces(found);
  return Array.from({ length: count }, (_, k) => {
    let text: unknown = gaps[0] ?? "";
    for (const [i, list] of inserts.entries()) {
      text = add(add(text, list[k], run), gaps[i + 1] ?? "", run);
    }
    return text;
  });
}
