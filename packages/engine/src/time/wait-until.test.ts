import { describe, expect, test } from "vitest";
import { parseWaitUntil } from "./wait-until.ts";

test.each([
  ["2030-01-01", "2030-01-01T00:00:00Z"],
  ["2030-01-02 03:04", "2030-01-02T03:04:00Z"],
  ["2030-1-2 3:04", "2030-01-02T03:04:00Z"],
  [" 2030-01-02 ", "2030-01-02T00:00:00Z"],
  ["2028-02-29", "2028-02-29T00:00:00Z"],
  ["0099-01-01", "0099-01-01T00:00:00Z"],
  ["2020-01-01 00:00 GMT", "2020-01-01T00:00:00Z"],
  ["2030-06-01 12:00 UTC", "2030-06-01T12:00:00Z"],
  ["2030-06-01 12:00 Z", "2030-06-01T12:00:00Z"],
  ["2030-06-01 12:00 PST", "2030-06-01T20:00:00Z"],
  ["2030-06-01 12:00 PDT", "2030-06-01T19:00:00Z"],
  ["2030-06-01 12:00 est", "2030-06-01T17:00:00Z"],
  ["2030-06-01 12:00 IST", "2030-06-01T06:30:00Z"],
  ["2030-06-01 12:00 GMT+5:30", "2030-06-01T06:30:00Z"],
  ["2030-06-01 12:00 GMT-3", "2030-06-01T15:00:00Z"],
  ["2030-06-01 12:00 +0530", "2030-06-01T06:30:00Z"],
  ["2030-06-01 12:00 -08:00", "2030-06-01T20:00:00Z"],
  ["2030-06-01 12:00 Europe/Berlin", "2030-06-01T10:00:00Z"],
  ["2030-12-01 12:00 Europe/Berlin", "2030-12-01T11:00:00Z"],
  ["2030-12-01 12:00 Asia/Kolkata", "2030-12-01T06:30:00Z"],
  ["2030-12-01 00:30 Pacific/Kiritimati", "2030-11-30T10:30:00Z"],
])("%j is %s", (text, instant) => {
  expect(parseWaitUntil(text)).toBe(Date.parse(instant));
});

describe("where the clock of a region changes", () => {
  test.each([
    ["the last minute before the hour that is skipped", "2024-03-31 01:59 Europe/Berlin", "2024-03-31T00:59:00Z"],
    ["a time in the skipped hour moves forward", "2024-03-31 02:30 Europe/Berlin", "2024-03-31T01:30:00Z"],
    ["the first minute after it", "2024-03-31 03:00 Europe/Berlin", "2024-03-31T01:00:00Z"],
    ["of an hour that comes twice the first counts", "2024-10-27 02:30 Europe/Berlin", "2024-10-27T00:30:00Z"],
    ["after that hour", "2024-10-27 03:00 Europe/Berlin", "2024-10-27T02:00:00Z"],
    ["west of Greenwich, skipped", "2024-03-10 02:30 America/New_York", "2024-03-10T07:30:00Z"],
    ["west of Greenwich, twice", "2024-11-03 01:30 America/New_York", "2024-11-03T05:30:00Z"],
  ])("%s", (_, text, instant) => {
    expect(parseWaitUntil(text)).toBe(Date.parse(instant));
  });
});

test.each([
  "",
  "tomorrow",
  "2030-01-01T00:00",
  "2030-01-01T00:00:00Z",
  "2030-01-01 00:00:00",
  "2030-01-01 UTC",
  "2030-01-01 12",
  "2030-13-01",
  "2030-00-01",
  "2030-02-30",
  "2030-01-01 24:00",
  "2030-01-01 12:60",
  "30-01-01",
  "2030/01/01",
  "2030-01-01 12:00 Nowhere/Land",
  "2030-01-01 12:00 +99:00",
  "2030-01-01 12:00 UTC extra",
])("%j is no instant", (text) => {
  expect(parseWaitUntil(text)).toBeUndefined();
});
