import { describe, expect, test } from "vitest";
import { JqAbort, JqError } from "../src/index.ts";
import { jq, jqError } from "./jq.ts";

/** Enough for real work in these tests, small enough to end quickly. */
const small = { maxSteps: 1_000_000 };

/** Each of these would run for ever, or fill memory, or overflow the stack. Most try to catch their own end. */
const endless = [
  "def f: f; f",
  "def f: 1 + f; f",
  "def f: f, f; f",
  "def f(x): f(x | x); f(.)",
  "def f(g): [g] | f([g]); f(.)",
  "try (def f: f; f) catch 1",
  "def f: try f catch f; f",
  "(def f: f; f)?, 1",
  "label $x | repeat(1) | empty",
  "[range(1e9)]",
  "[range(infinite)]",
  "range(0; 1; 1e-300)",
  "[repeat(1)]",
  "until(false; .)",
  "[while(true; .)]",
  "[recurse(.)]",
  "last(repeat(1))",
  "[limit(1e9; repeat(1))]",
  "reduce repeat(1) as $x (0; . + $x)",
  'reduce range(100) as $i ("x"; . + .)',
  "reduce range(100) as $i ([1]; . + .)",
  '"x" * 1e8 | explode',
  '[range(1000) | "x" * 1e7 | ascii_downcase]',
  '("x" * 1e7) as $s | [range(1e6) | $s[.:. + 1]]',
  '("a" * 5e6 + "b") as $n | ("a" * 1e7) | index($n)',
  "null | .[9e6] = 1",
  "[range(200) | [] | .[9e5] = 0]",
  "[range(1e5)] | [combinations(5)]",
  '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" | test("(a+)+$")',
  '("a" * 1e5) | test("(a|aa)+$b")',
  '("a" * 1e5) | [match(".*.*.*="; "g")]',
  '[range(1e6) | try error("x") catch .]',
  "path(repeat(.a))",
];

/** A value that holds itself over and over: 60 steps to build, 2^60 parts to walk. */
const shared = "reduce range(60) as $i (1; [., .])";

describe("a hostile program", () => {
  test.each(endless)("%s ends with an error of its limit", (program) => {
    expect(jqError(program, null, small)).toBeInstanceOf(JqAbort);
  });

  test.each([
    ".",
    "tojson",
    '@text "\\(.)"',
    "[..]",
    "[paths]",
    "[tostream]",
    ". == (. | map(.))",
    "[., .] | sort",
    "[., .] | unique",
    "flatten",
    "walk(.)",
    "[leaf_paths]",
    ". - [1]",
    "[.] - [.]",
    "index([1])",
    "tostring | length",
    ".. |= .",
    "[getpath(paths)]",
  ])("a shared value cannot be walked without end by %s", (program) => {
    expect(() => jq(`${shared} | ${program} | ${shared}`, null, small)).toThrow(JqAbort);
  });

  test("errors about a huge value show a part of it", () => {
    expect(jqError(`${shared} | -.`).message).toBe("array ([[[[[[[[[[[[[[[[[[[[[[[[[...]) cannot be negated");
    expect(jqError(`${shared} | error`).message.length).toBeLessThan(10_000);
  });

  test("a value nested beyond the stack is an error, not a crash", () => {
    expect(() => jq("reduce range(1e6) as $i (1; [.])")).toThrow(JqError);
    expect(() => jq("reduce range(1e5) as $i (1; [.]) | . == .")).toThrow(JqError);
    expect(() => jq("setpath([range(50000) | 0]; 1)")).toThrow(JqError);
    expect(jq("reduce range(1e5) as $i (1; [.]) | tojson | length")).toEqual([200_001]);
  });

  test("limits can be set and are told in the message", () => {
    expect(jqError("[range(100)]", null, { maxSteps: 50 }).message).toBe("Program ran for more than 50 steps");
    expect(jq("[range(100)] | length", null, { maxSteps: 300 })).toEqual([100]);
  });

  test("a program works as before after another was stopped", () => {
    const program = "def f: if . > 5 then . else . + 1 | f end; 0 | f";
    expect(jq(program)).toEqual([6]);
    expect(() => jq("def f: 1 + f; f")).toThrow(JqAbort);
    expect(() => jq("walk(def g: 1 + g; g)", [1])).toThrow(JqAbort);
    expect(jq(program)).toEqual([6]);
    expect(jq("walk(numbers |= . + 1)", [1])).toEqual([[2]]);
  });
});
