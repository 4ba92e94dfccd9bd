import { expect, test } from "vitest";
import { retryAfterSeconds } from "./retry-after.ts";

test.each([
  ["7", 7],
  ["0.5", 0.5],
  ["Thu, 01 Jan 1970 00:01:40 GMT", 40],
  ["Thu, 01 Jan 1970 00:00:10 GMT", 0],
  ["soon", undefined],
  [null, undefined],
])("a Retry-After of %s, one minute after midnight, means %s seconds", (header, seconds) => {
  expect(retryAfterSeconds(header, 60_000)).toBe(seconds);
});
