import { expect, test } from "vitest";
import { parseWaitDuration } from "./wait-duration.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  ["1s", second],
  ["1 s", second],
  ["1S", second],
  ["0s", 0],
  ["0h 0m 1s", second],
  ["1 seconds", second],
  ["5secs", 5 * second],
  ["1sec", second],
  ["1 second", second],
  ["3m", 3 * minute],
  ["3min", 3 * minute],
  ["3 mins", 3 * minute],
  ["1 minute", minute],
  ["2 Minutes 3 secs", 2 * minute + 3 * second],
  ["1h", hour],
  ["1hr", hour],
  ["2 HRS", 2 * hour],
  ["1 hour", hour],
  ["2hours", 2 * hour],
  ["1d", day],
  ["1 day", day],
  ["7 days", 7 * day],
  ["1d2h3m4s", day + 2 * hour + 3 * minute + 4 * second],
  ["  1 d  4 s  ", day + 4 * second],
  ["\t90m\n", 90 * minute],
  ["007s", 7 * second],
])("%j is %i ms", (text, ms) => {
  expect(parseWaitDuration(text)).toBe(ms);
});

test.each([
  "",
  "  ",
  "soon",
  "10",
  "500ms",
  "1.5s",
  "-5s",
  "+5s",
  "P1D",
  "PT1S",
  "3m1h",
  "1s1s",
  "1s 2",
  "s",
  "1x",
  "1w",
  "1 s!",
  "1d,2h",
  "9999999999s",
  "2147483647d",
])("%j is no duration", (text) => {
  expect(parseWaitDuration(text)).toBeUndefined();
});

test("a long run of blanks or digits is read in one pass", () => {
  expect(parseWaitDuration(`1d${" ".repeat(200_000)}x`)).toBeUndefined();
  expect(parseWaitDuration("1".repeat(200_000))).toBeUndefined();
});
