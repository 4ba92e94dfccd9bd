import { describe, expect, test } from "vitest";
import { parseCondition } from "./condition.ts";
import { validationVerdict } from "./scripts/validation-verdict.ts";

const holds = (condition: string, toolOut: unknown) =>
  validationVerdict({ toolOut }, { condition: parseCondition(condition), answer: "word" }) === "passed";

describe("a condition", () => {
  test.each<[string, unknown, boolean]>([
    ["$", 0, false],
    ["$", "text", true],
    ["$.a.b === 'x'", { a: { b: "x" } }, true],
    ['$["a b"][1] === 2', { "a b": [1, 2] }, true],
    ["$.items.length > 0", { items: [1] }, true],
    ["$.a || $.b", { b: true }, true],
    ["$.a && $.b", { b: true }, false],
    ["$.a || $.b && $.c", { a: 1, b: 0, c: 0 }, true],
    ["($.a || $.b) && $.c", { a: 1, b: 0, c: 0 }, false],
    ["!$.a", {}, true],
    ["!!$.a", { a: 1 }, true],
    ["$.a != null", {}, false],
    ["$.a == null", {}, true],
    ["$.a === null", {}, false],
    ["$.n == '3'", { n: 3 }, true],
    ["$.n === '3'", { n: 3 }, false],
    ["$.n >= 2.5e0", { n: 3 }, true],
    ["$.n < -1", { n: -2 }, true],
    ["$.s < 'b'", { s: "a" }, true],
    ["$.o < 1", { o: {} }, false],
    ["$.o >= 1", { o: {} }, false],
    ["$.t === 'it\\'s\\n'", { t: "it's\n" }, true],
    ["$ === true", true, true],
    ["  1  ", {}, true],
  ])("%s of %j is %s", (condition, value, expected) => {
    expect(holds(condition, value)).toBe(expected);
  });

  test.each(["$.constructor", "$.__proto__", "$.toString", "$.a.constructor", "$['hasOwnProperty']"])(
    "%s finds nothing that was not in the output",
    (condition) => {
      expect(holds(condition, { a: "text" })).toBe(false);
    },
  );
});

test.each([
  ["$.a(1)", "unexpected trailing input: '(1)' at position 3 in: $.a(1)"],
  ["$.a = 1", "unexpected trailing input: '= 1' at position 4 in: $.a = 1"],
  ["process.exit()", "expected $, a literal, '!' or '(' at position 0 in: process.exit()"],
  ["$.a == ", "expected $, a literal, '!' or '(' at position 7 in: $.a == "],
  ["($.a", "expected ')' at position 4 in: ($.a"],
  ["$[$.a]", "expected $, a literal, '!' or '(' at position 2 in: $[$.a]"],
  ["$[true]", "expected a text or a number at position 6 in: $[true]"],
  ["$.", "expected a name at position 2 in: $."],
  ["`${x}`", "expected $, a literal, '!' or '(' at position 0 in: `${x}`"],
  ["$.a; x", "unexpected trailing input: '; x' at position 3 in: $.a; x"],
  ["'\\u0024'", "expected $, a literal, '!' or '(' at position 0 in: '\\u0024'"],
  ["1".repeat(1025), "longer than 1024 characters, at position 1024"],
])("a condition is refused: %s", (condition, message) => {
  expect(() => parseCondition(condition)).toThrow(message);
});

test("the deepest condition there can be is read and evaluated", () => {
  expect(holds(`${"(".repeat(511)}1${")".repeat(511)}`, {})).toBe(true);
  expect(holds(`${"!".repeat(1023)}$`, true)).toBe(false);
});
