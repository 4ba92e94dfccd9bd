import { describe, expect, test } from "vitest";
import { pan, ticks, toTime, toX, zoom } from "./scale.ts";

const whole = { from: 1000, to: 11_000, widthPx: 1000 };

describe("the timeline's scale", () => {
  test("a moment and its pixel lead to each other", () => {
    expect(toX(whole, 6000)).toBe(500);
    expect(toTime(whole, 500)).toBe(6000);
  });
  test("zooming keeps the moment under the pointer", () => {
    const closer = zoom(whole, 0.5, 3000, whole);
    expect(toX(closer, 3000)).toBeCloseTo(toX(whole, 3000));
    expect(closer.to - closer.from).toBe(5000);
  });
  test("nothing leads out of the whole", () => {
    expect(zoom(whole, 4, 3000, whole)).toEqual(whole);
    expect(pan(zoom(whole, 0.5, 3000, whole), -1e9, whole).from).toBe(1000);
  });
  test("ticks are round, counted from the start", () => {
    expect(ticks(whole, 1000)).toEqual([1000, 3000, 5000, 7000, 9000, 11_000]);
  });
});
