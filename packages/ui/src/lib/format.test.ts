import { describe, expect, test } from "vitest";
import { formatAgo, formatDollars, formatDuration, formatSize, formatTime, zoneName } from "./format.ts";

const noon = Date.UTC(2026, 0, 5, 12, 4, 9, 7);

describe("formats", () => {
  test("a moment in a zone", () => {
    expect(formatTime(noon, "UTC")).toBe("2026-01-05 12:04:09");
    expect(formatTime(noon, "Asia/Tokyo", { withMs: true })).toBe("2026-01-05 21:04:09.007");
    expect(formatTime(noon, "UTC", { withDate: false })).toBe("12:04:09");
    expect(formatTime(0, "UTC")).toBe("–");
    expect(zoneName("UTC", noon)).toBe("UTC");
  });

  test.each([
    [340, "340 ms"],
    [1234, "1.2 s"],
    [59_000, "59 s"],
    [250_000, "4 min 10 s"],
    [11_100_000, "3 h 5 min"],
    [187_200_000, "2 d 4 h"],
  ])("%d ms is %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

  test("how long ago, and in how long", () => {
    expect(formatAgo(noon - 5400, noon)).toBe("5 s ago");
    expect(formatAgo(noon + 120_000, noon)).toBe("in 2 min");
    expect(formatAgo(noon, noon)).toBe("now");
  });

  test.each([
    [0, "$0"],
    [1234.5, "$1,234.50"],
    [0.126, "$0.13"],
    [0.0421, "$0.042"],
    [0.000_001_8, "$0.0000018"],
    [1e-12, "less than $0.000000001"],
  ])("%d dollars are %s", (amount, text) => expect(formatDollars(amount)).toBe(text));

  test("sizes", () => expect([512, 3400, 12_000_000].map(formatSize)).toEqual(["512 B", "3.4 KB", "12.0 MB"]));
});
