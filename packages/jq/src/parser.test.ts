import { describe, expect, test } from "vitest";
import { jq } from "../test/jq.ts";
import { compile, JqSyntaxError } from "./index.ts";

describe("operators bind as in jq", () => {
  test.each([
    ["1 + 2 * 3", 7],
    ["2 * 3 + 1", 7],
    ["10 - 4 - 3", 3],
    ["-1 + 3", 2],
    ["1 - -1", 2],
    ["1 + 1 == 2 and true", true],
    ["false and true or true", true],
    ["null // 1 + 1", 2],
    ["false // null // 3", 3],
    ["1 as $x | 2 as $y | $x + $y", 3],
    ['"a" + "b" as $x | $x', "ab"],
    ["1 + try 2 catch 3 + 4", 7],
    ["[1, 2 | . * 10]", [10, 20]],
    ["reduce (1, 2) as $x (0; . + $x) | . * 2", 6],
    ["if true then 1 end | . + 1", 2],
    ["def f: 1; def g: f + 1; g | . + 1", 3],
  ])("%s", (program, expected) => {
    expect(jq(program)).toEqual([expected]);
  });

  test("an assignment binds tighter than the alternative operator", () => {
    expect(jq(".a = null // 1", {})).toEqual([{ a: null }]);
  });

  test("the question mark and the alternative operator may touch", () => {
    expect(jq('.a?//"none"', [])).toEqual(["none"]);
  });
});

describe("terms", () => {
  test.each([
    ['{"a":1}.a', 1],
    ['"abc"[1:]', "bc"],
    ["[1, 2][0]", 1],
    ['. as {a: $x, "b": [$y]} | [$x, $y]', [1, 2]],
    [
      '{a, "b", $__loc__, "c\\(1)": 3, (.b[0] | tostring): 4}',
      expect.objectContaining({ a: 1, b: [2], c1: 3, "2": 4 }),
    ],
    ['.a.b?, ."a", .["a"]', 1],
    ['"\\("\\("deep")")"', "deep"],
    ["# a comment\n.a # another", 1],
    [".a # a comment that \\\n continues\n", 1],
  ])("%s", (program, expected) => {
    expect(jq(program, { a: 1, b: [2] }).at(-1)).toEqual(expected);
  });

  test("keywords are names in fields, object keys and variables", () => {
    expect(jq("{if: 1, and: .else} | . as {if: $if} | [$if, .and]", { else: 2 })).toEqual([[1, 2]]);
  });

  test("a surrogate pair in an escape is one character and a lone half is replaced", () => {
    expect(jq('"\\ud83d\\ude00", "\\ud83d"')).toEqual(["😀", "\ufffd"]);
  });

  test("an empty program and a program of definitions give the input back", () => {
    expect(jq("", 1)).toEqual([1]);
    expect(jq("def f: 2;", 1)).toEqual([1]);
  });
});

describe("a program that is not valid", () => {
  test.each([
    [".a |", 4, 1, 5],
    ["{", 1, 1, 2],
    ["1 +\n  }", 6, 2, 3],
    ['"abc', 0, 1, 1],
    ['"\\q"', 1, 1, 2],
    [". as [] | 1", 6, 1, 7],
    ["{(1): 2}", 2, 1, 3],
    ["nope", 0, 1, 1],
    ["1 | nope(2)", 4, 1, 5],
    ["$nope", 0, 1, 1],
    ["break $nope", 0, 1, 1],
    ["1 == 2 == 3", 7, 1, 8],
    ['import "a" as a; 1', 0, 1, 1],
    ["if 1 then 2", 11, 1, 12],
    ["[1, 2", 5, 1, 6],
    [".a..b", 2, 1, 3],
    ["def f: 1", 8, 1, 9],
  ])("%j is refused with the place of the fault", (program, position, line, column) => {
    const failure = failureOf(program);
    expect(failure).toMatchObject({ position, line, column });
    expect(failure.message).toContain(`line ${line}, column ${column}`);
  });

  test("nesting beyond the stack is refused, not a crash", () => {
    expect(() => jq(`${"(".repeat(100_000)}1${")".repeat(100_000)}`)).toThrow(JqSyntaxError);
    expect(() => jq(`${"[".repeat(100_000)}`)).toThrow(JqSyntaxError);
  });
});

function failureOf(program: string): JqSyntaxError {
  try {
    compile(program);
  } catch (error) {
    if (error instanceof JqSyntaxError) return error;
    throw error;
  }
  throw new Error(`Expected ${program} to be refused`);
}
