import { describe, expect, test } from "vitest";
import { jq, jqError } from "../test/jq.ts";

describe("assignment", () => {
  test.each([
    [".a = 1", {}, { a: 1 }],
    [".a.b[1] = 1", null, { a: { b: [null, 1] } }],
    [".[-1] = 9", [1, 2], [1, 9]],
    [".[1:] = [9]", [1, 2, 3], [1, 9]],
    [".a += 1", { a: 1 }, { a: 2 }],
    [".[] //= 0", [null, 1, false], [0, 1, 0]],
    [".a |= empty", { a: 1, b: 2 }, { b: 2 }],
    ["(.[] | select(. > 1)) |= empty", [1, 2, 3], [1]],
    [".[] |= (., 9)", [1, 2], [1, 2]],
    ["(.a, .b) = 3", {}, { a: 3, b: 3 }],
    [".. |= (numbers |= . + 1)", [1, [2]], [2, [3]]],
    ['(.. | strings) |= "<\\(.)>"', { a: "x", b: ["y"] }, { a: "<x>", b: ["<y>"] }],
    ["first(.[] | select(. > 1)) |= 0", [1, 2, 3], [1, 0, 3]],
    [".a[1:] |= map(. * 2)", { a: [1, 2, 3] }, { a: [1, 4, 6] }],
    ["(if .a then .a else .b end) = 1", { b: 0 }, { b: 1 }],
    ["(.a // .b) = 1", { a: null, b: 2 }, { a: null, b: 1 }],
    ['getpath(["a", "b"]) = 1', {}, { a: { b: 1 } }],
    ["limit(1; .[]) = 0", [1, 2], [0, 2]],
    [". as $x | .a = $x", { b: 1 }, { b: 1, a: { b: 1 } }],
  ])("%s", (program, input, expected) => {
    expect(jq(program, input)).toEqual([expected]);
  });

  test("the right side of = is computed from the input, of |= from the old value", () => {
    expect(jq(".a = .b, (.a |= .b)", { a: { b: 10 }, b: 20 })).toEqual([
      { a: 20, b: 20 },
      { a: 10, b: 20 },
    ]);
  });

  test("each output of the right side gives a result", () => {
    expect(jq(".a = (1, 2)", {})).toEqual([{ a: 1 }, { a: 2 }]);
    expect(jq(".a += (1, 2)", { a: 1 })).toEqual([{ a: 2 }, { a: 3 }]);
  });

  test("a value written twice is shared, and changing one place leaves the other alone", () => {
    expect(jq("{x: 1} as $o | .a = $o | .b = $o | .a.x = 2", {})).toEqual([{ a: { x: 2 }, b: { x: 1 } }]);
    expect(jq("(.a.x, .a) |= [., .]", { a: { x: 1 } })).toEqual([{ a: [{ x: [1, 1] }, { x: [1, 1] }] }]);
  });

  test("what leads to no place cannot be assigned", () => {
    expect(jqError("(.a + 1) = 2", { a: 1 }).message).toBe("Invalid path expression with result 2");
    expect(jqError("(tojson | .a) = 2", {}).message).toBe(
      'Invalid path expression near attempt to access element "a" of "{}"',
    );
    expect(jqError("(map(.)[]) = 2", [1]).message).toBe("Invalid path expression near attempt to iterate through [1]");
  });
});

describe("deletion", () => {
  test.each([
    ["del(.a)", { a: 1, b: 2 }, { b: 2 }],
    ["del(.[0, 2])", [1, 2, 3], [2]],
    ["del(.[1:], .[0])", [1, 2, 3], []],
    ["del(.[-1])", [1, 2, 3], [1, 2]],
    ["del(.a[0], .a)", { a: [1] }, {}],
    ["del(.x.y)", {}, {}],
    ["del(.[] | select(. == 2))", [1, 2, 3, 2], [1, 3]],
    ["del(.)", 1, null],
    ["del(..)", [1], null],
    ["delpaths([])", 1, 1],
  ])("%s", (program, input, expected) => {
    expect(jq(program, input)).toEqual([expected]);
  });

  test.each([
    ["delpaths(1)", {}, "Paths must be specified as an array"],
    ["delpaths([1])", {}, "Path must be specified as an array"],
    ['delpaths([["a"]])', 1, "Cannot delete fields from number"],
    ["delpaths([[0]])", { a: 1 }, "Cannot delete number field of object"],
    ['delpaths([["a"]])', [1], "Cannot delete string element of array"],
  ])("%s fails in jq's words", (program, input, message) => {
    expect(jqError(program, input).message).toBe(message);
  });
});
