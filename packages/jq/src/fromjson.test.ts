import { describe, expect, test } from "vitest";
import { jq, jqError } from "../test/jq.ts";

describe("fromjson", () => {
  test.each([
    ['{"a":[1,null,true]}', { a: [1, null, true] }],
    [" 1 ", 1],
    ["+1", 1],
    [".5", 0.5],
    ["nan", null],
    ["[NaN,-Infinity]", [null, -Number.MAX_VALUE]],
    ['"a\tb"', "a\tb"],
  ])("reads %j", (text, expected) => {
    expect(jq("fromjson", text)).toEqual([expected]);
  });

  test.each([
    ["", "Expected JSON value (while parsing '')"],
    ["1 2", "Unexpected extra JSON values (while parsing '1 2')"],
    ["[1,2", "Unfinished JSON term at EOF at line 1, column 4 (while parsing '[1,2')"],
    ['{"a":', "Unfinished JSON term at EOF at line 1, column 5 (while parsing '{\"a\":')"],
    ["[1,]", "Expected another array element at line 1, column 4 (while parsing '[1,]')"],
    ['{"a":1,}', "Expected another key-value pair at line 1, column 8 (while parsing '{\"a\":1,}')"],
    ["[1,,2]", "Expected value before ',' at line 1, column 4 (while parsing '[1,,2]')"],
    ["]", "Unmatched ']' at line 1, column 1 (while parsing ']')"],
    ["[}", "Unmatched '}' at line 1, column 2 (while parsing '[}')"],
    ['"abc', "Unfinished string at EOF at line 1, column 4 (while parsing '\"abc')"],
    ["tru", "Invalid literal at EOF at line 1, column 3 (while parsing 'tru')"],
    ["1.2.3", "Invalid numeric literal at EOF at line 1, column 5 (while parsing '1.2.3')"],
    ["NaN1", "Invalid numeric literal at EOF at line 1, column 4 (while parsing 'NaN1')"],
    ["{'a': 1}", "Invalid string literal; expected \", but got ' at line 1, column 5 (while parsing '{'a': 1}')"],
  ])("refuses %j in jq's words", (text, message) => {
    expect(jqError("fromjson", text).message).toBe(message);
  });

  test("a __proto__ key is data", () => {
    const [value] = jq("fromjson | .__proto__.polluted", '{"__proto__":{"polluted":1}}');
    expect(value).toBe(1);
    expect({}).not.toHaveProperty("polluted");
  });
});

describe("tonumber", () => {
  test.each(["1", "-1.5", ".5", "5.", "+3", "1e2"])("takes %j", (text) => {
    expect(jq("tonumber", text)).toEqual([Number(text)]);
  });

  test.each(["", " 1", "1 ", "0x10", "nan", "Infinity", "1_0", "--1"])("refuses %j", (text) => {
    expect(jqError("tonumber", text).message).toBe(`string (${JSON.stringify(text)}) cannot be parsed as a number`);
  });
});
