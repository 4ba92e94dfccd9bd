import { expect, test } from "vitest";
import { maskText } from "./mask.ts";

test("values of masked fields are hidden at any depth", () => {
  const text = JSON.stringify({ card: "4111", order: { id: 1, card: { no: 2 } }, list: [{ card: 3 }, 4] });
  expect(JSON.parse(maskText(text, ["card"]))).toEqual({
    card: "***",
    order: { id: 1, card: "***" },
    list: [{ card: "***" }, 4],
  });
});

test("text without a masked field is passed on as it is", () => {
  const text = '{ "a" : 1 }';
  expect(maskText(text, ["card"])).toBe(text);
  expect(maskText(text, [])).toBe(text);
});
