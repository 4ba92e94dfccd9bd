import { describe, expect, test } from "vitest";
import { jq } from "../test/jq.ts";
import { compare } from "./values.ts";

const free = { charge: () => {}, chargeText: () => {}, chargeSearch: () => {} };

describe("the order of values", () => {
  const inOrder = [
    null,
    false,
    true,
    Number.NaN,
    -1,
    0,
    1.5,
    "",
    "a",
    "ab",
    "b",
    "\uffff",
    "😀",
    [],
    [null],
    [1],
    [1, 0],
    [2],
    {},
    { a: 2 },
    { a: 3 },
    { a: 1, b: 0 },
    { b: 0 },
  ];

  test("each value sorts below all that follow it", () => {
    for (const [i, low] of inOrder.entries()) {
      for (const high of inOrder.slice(i + 1)) {
        expect([low, high, compare(low, high, free) < 0]).toEqual([low, high, true]);
        expect([high, low, compare(high, low, free) > 0]).toEqual([high, low, true]);
      }
    }
  });

  test("strings sort by code point, not by UTF-16 unit", () => {
    expect(jq("sort", ["😀", "\uffff", "z"])).toEqual([["z", "\uffff", "😀"]]);
  });

  test("nan is below every number and equal to nothing", () => {
    expect(jq("[nan < nan, nan == nan, nan > 1, nan < -infinite]")).toEqual([[true, false, false, true]]);
  });

  test("objects are equal whatever the order of their keys", () => {
    expect(jq('{"a":1,"b":[2]} == {"b":[2],"a":1}')).toEqual([true]);
  });
});
