import { expect, test } from "vitest";
import { type ConfigEntry, formatValue, parseValue } from "./config-values.ts";

const named = { key: "service.x", default: "", description: "" };
const duration: ConfigEntry = { ...named, type: "duration" };
const seconds: ConfigEntry = { ...named, type: "duration", unit: "s" };
const size: ConfigEntry = { ...named, type: "size" };
const kilobytes: ConfigEntry = { ...named, type: "size", unit: "KB" };
const flag: ConfigEntry = { ...named, type: "boolean" };
const integer: ConfigEntry = { ...named, type: "integer", min: 1, max: 9 };
const list: ConfigEntry = { ...named, type: "list" };
const addresses: ConfigEntry = { ...named, type: "addresses" };

test.each([
  [duration, "500ms", 500],
  [duration, "5s", 5000],
  [duration, "2 m", 120_000],
  [duration, "1h", 3_600_000],
  [duration, "1d", 86_400_000],
  [duration, "250", 250],
  [duration, "PT30S", 30_000],
  [duration, "pt1m0.5s", 60_500],
  [duration, "P1DT1H", 90_000_000],
  [seconds, "4", 4000],
  [size, "12", 12],
  [size, "12B", 12],
  [size, "1kb", 1024],
  [size, "10 MB", 10_485_760],
  [size, "1GB", 1_073_741_824],
  [kilobytes, "256", 262_144],
  [flag, "TRUE", true],
  [flag, "off", false],
  [flag, "1", true],
  [integer, " 7 ", 7],
  [list, "a, b,,c ", ["a", "b", "c"]],
  [list, ["a,b", "c"], ["a,b", "c"]],
  [addresses, "10.0.0.0/8, ::1,fd00::/8", ["10.0.0.0/8", "::1", "fd00::/8"]],
])("%o reads %o as %o", (entry, text, value) => {
  expect(parseValue(entry, text)).toEqual(value);
});

test.each([
  [duration, "5 weeks"],
  [duration, "-1s"],
  [duration, "P"],
  [duration, "PT"],
  [duration, ""],
  [duration, "99999999999999999d"],
  [size, "1.5MB"],
  [size, "many"],
  [flag, "perhaps"],
  [integer, "0"],
  [integer, "10"],
  [integer, "1e1"],
  [integer, ["1"]],
  [addresses, "localhost"],
  [addresses, "10.0.0.0/8/8"],
])("%o does not read %o", (entry, text) => {
  expect(parseValue(entry, text)).toBeUndefined();
});

test.each([
  [duration, 1500, "1500ms"],
  [duration, 90_000, "90s"],
  [duration, 0, "0ms"],
  [size, 1536, "1536B"],
  [size, 10_485_760, "10MB"],
  [list, ["a", "b"], "a,b"],
])("%o shows %o as %s", (entry, value, text) => {
  expect(formatValue(entry, value)).toBe(text);
});
