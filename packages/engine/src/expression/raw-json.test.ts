import { describe, expect, test } from "vitest";
import { RawJson, stringifyResolved, toJson } from "./raw-json.ts";

describe("RawJson", () => {
  test("parses once", () => {
    const raw = new RawJson('{"a":1}');
    expect(raw.value).toBe(raw.value);
  });

  test("null is a value", () => {
    expect(new RawJson("null").value).toBeNull();
  });

  test("is right under JSON.stringify too", () => {
    expect(JSON.stringify({ a: new RawJson('{"b": 1.0}') })).toBe('{"a":{"b":1}}');
  });
});

describe("stringifyResolved", () => {
  test("copies raw text as it is, wherever it stands", () => {
    const value = { a: new RawJson('{"x": 1.0}'), b: [new RawJson("[ ]"), "s", null], c: { d: new RawJson("null") } };
    expect(stringifyResolved(value)).toBe('{"a":{"x": 1.0},"b":[[ ],"s",null],"c":{"d":null}}');
    expect(stringifyResolved(new RawJson("1.0"))).toBe("1.0");
  });

  test("writes plain values as JSON.stringify does", () => {
    const value = { a: [1, "x", null, { "k\n": true }] };
    expect(stringifyResolved(value)).toBe(JSON.stringify(value));
  });

  test.each([["\u0000raw"], ['"\u0000raw'], ["x\u0000raw"]])("data equal to the placeholder is data: %j", (data) => {
    const value = { [data]: data, a: new RawJson('{"y":2}'), b: [data] };
    expect(JSON.parse(stringifyResolved(value))).toEqual({ [data]: data, a: { y: 2 }, b: [data] });
  });

  test("raw text may hold the placeholder", () => {
    const raw = new RawJson(JSON.stringify(["\u0000raw"]));
    expect(JSON.parse(stringifyResolved([raw, raw]))).toEqual([["\u0000raw"], ["\u0000raw"]]);
  });
});

describe("toJson", () => {
  test("parses every raw part", () => {
    expect(toJson({ a: new RawJson('{"x":1}'), b: [new RawJson("2"), 3] })).toEqual({ a: { x: 1 }, b: [2, 3] });
  });

  test("does not copy what holds none", () => {
    const plain = { a: [1, { b: 2 }] };
    expect(toJson(plain)).toBe(plain);
    const mixed = toJson({ plain, raw: new RawJson("1") }) as { plain: unknown };
    expect(mixed.plain).toBe(plain);
  });
});
