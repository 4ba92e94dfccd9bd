import { describe, expect, test } from "vitest";
import { describe as describeValue, formatJson, formatNumber } from "./tojson.ts";

describe("numbers", () => {
  test.each([
    [0, "0"],
    [-0, "-0"],
    [3, "3"],
    [-1.5, "-1.5"],
    [100, "100"],
    [0.1, "0.1"],
    [1e15, "1000000000000000"],
    [1e16, "1e+16"],
    [1.2345678901234568e17, "123456789012345680"],
    [1.2345678901234568e22, "12345678901234568000000"],
    [1.5e20, "1.5e+20"],
    [1e-4, "0.0001"],
    [1e-5, "1e-05"],
    [1.5e-7, "1.5e-07"],
    [5e-324, "5e-324"],
    [2 ** 53, "9007199254740992"],
    [Number.NaN, "null"],
    [Number.POSITIVE_INFINITY, "1.7976931348623157e+308"],
    [Number.NEGATIVE_INFINITY, "-1.7976931348623157e+308"],
  ])("%d is printed as %s", (number, text) => {
    expect(formatNumber(number)).toBe(text);
  });
});

describe("text", () => {
  test("control characters are escaped, DEL among them, and other characters are not", () => {
    expect(formatJson('\u0000\n"\\\u007fé😀')).toBe('"\\u0000\\n\\"\\\\\\u007fé😀"');
  });

  test("containers are written without spaces, in their own order", () => {
    expect(formatJson({ b: [1, { c: null }], a: true })).toBe('{"b":[1,{"c":null}],"a":true}');
  });

  test("nesting far beyond the stack can be written", () => {
    let value: unknown = 1;
    for (let i = 0; i < 100_000; i++) value = [value];
    expect(formatJson(value)).toHaveLength(200_001);
  });

  test("writing stops soon after the limit", () => {
    let value: unknown = 1;
    for (let i = 0; i < 60; i++) value = [value, value];
    expect(formatJson(value, 10_000).length).toBeLessThan(100_000);
  });
});

describe("values in messages", () => {
  test.each([
    ["short", 'string ("short")'],
    ["very-long-long-long-long-string", 'string ("very-long-long-long-long...")'],
    ["xxxx☆☆☆☆☆☆☆☆", 'string ("xxxx☆☆☆☆☆☆...")'],
    [[1, 2, 3], "array ([1,2,3])"],
    [Array.from({ length: 20 }, (_, i) => i), "array ([0,1,2,3,4,5,6,7,8,9,10,1...])"],
    [{ a: "0123456789", b: "0123456789" }, 'object ({"a":"0123456789","b":"01...})'],
    [1.2345678901234568e29, "number (12345678901234568000000000...)"],
    [null, "null (null)"],
  ])("%j is described within 29 bytes", (value, text) => {
    expect(describeValue(value)).toBe(text);
  });
});
