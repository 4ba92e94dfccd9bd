import { describe, expect, test } from "vitest";
import { jq, jqError } from "../test/jq.ts";
import { compile, JqAbort, JqError, JqSyntaxError } from "./index.ts";

describe("running a program", () => {
  test("run gives all outputs and first the first", () => {
    const program = compile(".[]");
    expect(program.run([1, 2])).toEqual([1, 2]);
    expect(program.first([1, 2])).toBe(1);
    expect(program.first([])).toBeUndefined();
  });

  test("first does no work beyond the first output", () => {
    expect(compile('1, error("late")').first(null)).toBe(1);
  });

  test("a program can be run any number of times, also after a failure", () => {
    const program = compile("def f: if . > 3 then error(.) else . + 1 | f end; f");
    expect(() => program.run(0)).toThrow(JqError);
    expect(() => program.run(0)).toThrow(JqError);
    expect(compile("1, 2").run(null)).toEqual([1, 2]);
  });

  test("variables named at compile time get their values at run time, null when left out", () => {
    const program = compile("[$a, $b]", { variables: ["a", "b"] });
    expect(program.run(null, { variables: { a: 1, c: 3 } })).toEqual([[1, null]]);
    expect(() => compile("$c", { variables: ["a"] })).toThrow(JqSyntaxError);
  });

  test("an undefined input counts as null", () => {
    expect(compile(". == null").run(undefined)).toEqual([true]);
  });

  test("the clock comes from the options", () => {
    expect(jq("now", null, { now: () => 1.5 })).toEqual([1.5]);
    expect(jqError("now").message).toBe("now/0 needs a clock, and none was given");
  });

  test("nan and infinity leave as JSON numbers or null", () => {
    expect(jq("nan, infinite, [-infinite, {a: nan}]")).toEqual([
      null,
      Number.MAX_VALUE,
      [-Number.MAX_VALUE, { a: null }],
    ]);
  });

  test("a program sees no environment and no further input", () => {
    expect(jq("[$ENV, env, input_filename, [inputs]]")).toEqual([[{}, {}, null, []]]);
    expect(jqError("input").message).toBe("No more inputs");
  });
});

describe("failures", () => {
  test("error keeps the value it was given", () => {
    expect(jqError('error({"a":1})')).toMatchObject({ value: { a: 1 }, message: '{"a":1} (not a string)' });
    expect(jqError('error("x")')).toMatchObject({ value: "x", message: "x" });
    expect(jqError("error(null)").value).toBeNull();
  });

  test.each([
    [".a", 1, 'Cannot index number with string "a"'],
    [".[0]", {}, "Cannot index object with number"],
    [".[]", null, "Cannot iterate over null (null)"],
    [".[]", 5, "Cannot iterate over number (5)"],
    [". + {}", 1, "number (1) and object ({}) cannot be added"],
    ["1 / .", 0, "number (1) and number (0) cannot be divided because the divisor is zero"],
    ["{(.): 1}", 1, "Cannot use number (1) as object key"],
    ["keys", 1, "number (1) has no keys"],
    ["length", true, "boolean (true) has no length"],
    ['has("a")', [], "Cannot check whether array has a string key"],
    ["-.", "a", 'string ("a") cannot be negated'],
    [".[0] = 1 | .[-3] = 2", [], "Out of bounds negative array index"],
    ["floor", "a", 'string ("a") number required'],
    ["@nope", 1, "nope is not a valid format"],
  ])("%s on %j fails in jq's words", (program, input, message) => {
    expect(jqError(program, input).message).toBe(message);
  });

  test("halt ends the program, and try does not hold it", () => {
    expect(jqError("try halt catch 1")).toBeInstanceOf(JqAbort);
    expect(jqError('"bye" | try halt_error catch 1')).toMatchObject({ value: "bye" });
  });
});

describe("values from outside", () => {
  test("the input is never changed", () => {
    const input = Object.freeze({ a: Object.freeze([Object.freeze({ b: 1 })]), c: Object.freeze({ d: 2 }) });
    const programs = [
      ".a[0].b = 5",
      ".a[0].b |= . + 1",
      "del(.c.d)",
      ".a += [1]",
      "reduce (1, 2) as $x (.; .c.d += $x | .a += [$x])",
      "map_values(tojson)",
      "[paths] as $p | delpaths($p)",
      ".a | sort | reverse",
    ];
    for (const program of programs) jq(program, input);
    expect(input).toEqual({ a: [{ b: 1 }], c: { d: 2 } });
  });

  test("names that objects inherit are not found in data", () => {
    expect(jq('[.constructor, .["__proto__"], .toString, has("constructor"), has("__proto__")]', {})).toEqual([
      [null, null, null, false, false],
    ]);
  });

  test.each([
    '{"__proto__": {"polluted": 1}}',
    '{("__proto__"): {"polluted": 1}}',
    '.["__proto__"].polluted = 1',
    ".__proto__ |= {polluted: 1}",
    'setpath(["__proto__", "polluted"]; 1)',
    '[{"key": "__proto__", "value": {"polluted": 1}}] | from_entries',
    '{} + {"__proto__": {"polluted": 1}}',
    '{"a": 1} * {"__proto__": {"polluted": 1}}',
    'reduce 1 as $x ({}; .["__proto__"] = {polluted: 1})',
    '"{\\"__proto__\\": {\\"polluted\\": 1}}" | fromjson',
    '[{"__proto__": {"polluted": 1}}] | add',
    '[{"__proto__": 1}, {"polluted": 1}] | INDEX(keys[0])',
  ])("%s writes an ordinary key and no prototype", (program) => {
    const [value] = jq(program, {});
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(Object(value))).toContain("__proto__");
    expect({}).not.toHaveProperty("polluted");
    expect(jq(`${program} | .["__proto__"] | type`, {})[0]).toMatch(/^(object|number)$/);
  });

  test("a __proto__ key can be deleted, listed and merged like any other", () => {
    const input: unknown = JSON.parse('{"__proto__": {"a": 1}, "b": 2}');
    expect(jq("keys, del(.__proto__), to_entries[0].key, ([paths] | length)", input)).toEqual([
      ["__proto__", "b"],
      { b: 2 },
      "__proto__",
      3,
    ]);
  });
});
