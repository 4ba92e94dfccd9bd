import { expect, test } from "vitest";
import { isZone, nextTime, parseCron } from "./cron.ts";

test.each([
  "UTC",
  "Europe/Berlin",
  "Asia/Kolkata",
  "Asia/Calcutta",
  "America/Argentina/Buenos_Aires",
  "Etc/GMT+5",
  "europe/berlin",
  "EST",
])("%s is a zone", (zone) => {
  expect(isZone(zone)).toBe(true);
});

test.each([
  "",
  " ",
  "Mars/Base",
  "Europe",
  "Berlin",
  "UTC+",
  "+",
  "+5:30",
  "+530",
  "+05:60",
  "+18:01",
  "-19",
  "GMT+5:5",
  "12:00",
  "UTCZ",
])("%j is no zone", (zone) => {
  expect(isZone(zone)).toBe(false);
});

test.each([
  ["Z", "00:00"],
  ["UT", "00:00"],
  ["GMT", "00:00"],
  ["+00:00", "00:00"],
  ["+05:30", "18:30"],
  ["+0530", "18:30"],
  ["-03", "03:00"],
  ["+9", "15:00"],
  ["UTC+2", "22:00"],
  ["GMT-02:30", "02:30"],
  ["UT+01", "23:00"],
  ["-18:00", "18:00"],
])("midnight in the zone %s is at %s in UTC", (zone, time) => {
  expect(isZone(zone)).toBe(true);
  expect(nextTime(parseCron("@daily"), Date.UTC(2026, 0, 1) - 1, zone)).toBe(Date.parse(`2026-01-01T${time}:00Z`));
});

test("an offset may have seconds", () => {
  expect(nextTime(parseCron("@daily"), Date.UTC(2026, 0, 1) - 1, "-00:44:30")).toBe(Date.UTC(2026, 0, 1, 0, 44, 30));
  expect(nextTime(parseCron("@daily"), Date.UTC(1971, 0, 1), "Africa/Monrovia")).toBe(Date.UTC(1971, 0, 1, 0, 44, 30));
});

// Seven days less an hour: the shortest that any zone has kept an offset since 1970.
test("a summer time of one week is seen", () => {
  const noon = parseCron("0 0 12 * * *");
  const hours = Array.from({ length: 10 }, (_, day) => {
    const time = nextTime(noon, Date.UTC(2000, 9, 7 + day), "America/Recife");
    return time === undefined ? undefined : new Date(time).getUTCHours();
  });
  expect(hours).toEqual([15, 14, 14, 14, 14, 14, 14, 14, 15, 15]);
});
