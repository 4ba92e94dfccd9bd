import { describe, expect, test } from "vitest";
import { jq, jqError } from "../../test/jq.ts";

const instant = 1425599507;

describe("dates", () => {
  test.each([
    ["gmtime", instant, [[2015, 2, 5, 23, 51, 47, 4, 63]]],
    ["gmtime[5]", instant + 0.25, [47.25]],
    ["gmtime | mktime", -1, [-1]],
    ["todate, todateiso8601, date", instant + 0.9, Array.from({ length: 3 }, () => "2015-03-05T23:51:47Z")],
    ["fromdate, fromdateiso8601", "2015-03-05T23:51:47Z", [instant, instant]],
    ["mktime", [2024, 8, 21], [1726876800]],
    ["mktime", [2015, 14, 35, 23, 51, 47], [1459813907]],
    ['dateadd("seconds"; 10), datesub("seconds"; 10)', instant, [instant + 10, instant - 10]],
    ['strftime("%A, %B %e, %Y")', 1435677542.8, ["Tuesday, June 30, 2015"]],
    [
      'strftime("%a %b %d %H:%M:%S %j %U %V %G %u %w %y %C %I %p %s %z %Z %% %D %T")',
      instant,
      ["Thu Mar 05 23:51:47 064 09 10 2015 4 4 15 20 11 PM 1425599507 +0000 UTC % 03/05/15 23:51:47"],
    ],
    ['strftime("%-d|%_d|%^a|%5Y|%Q|")', instant, ["5| 5|THU|02015|%Q|"]],
    ['strptime("%Y-%m-%dT%H:%M:%SZ")', "2015-03-05T23:51:47Z", [[2015, 2, 5, 23, 51, 47, 4, 63]]],
    ['strptime("%d %b %y %I:%M %p %Z")', "05 Mar 15 11:51 PM UTC", [[2015, 2, 5, 23, 51, 0, 4, 63]]],
    ['strptime("%A, %B %d, %Y")', "Thursday, March 05, 2015", [[2015, 2, 5, 0, 0, 0, 4, 63]]],
    ['strptime("%j %Y")', "64 2015", [[2015, 2, 5, 0, 0, 0, 4, 63]]],
    ['strptime("%s")', String(instant), [[2015, 2, 5, 23, 51, 47, 4, 63]]],
    ['strptime("%Y-%m-%d %z") | mktime', "2015-03-05 +0200", [1425513600]],
    ['strftime("")', 0, [""]],
  ])("%s on %j", (program, input, expected) => {
    expect(jq(program, input)).toEqual(expected);
  });

  test("every day of four centuries goes there and back", () => {
    const program = "[range(-60000; 90000; 37) * 86400 | . == (gmtime | mktime)] | all";
    expect(jq(program)).toEqual([true]);
  });

  test("local time is UTC unless an offset is given", () => {
    expect(jq('localtime[3], strflocaltime("%H %z %Z")', 0)).toEqual([0, "00 +0000 UTC"]);
    const options = { localOffset: () => 2 * 3600 };
    expect(jq('localtime[3], strflocaltime("%H %z")', 0, options)).toEqual([2, "02 +0200"]);
  });

  test.each([
    ['strptime("%Y")', "x", 'date "x" does not match format "%Y"'],
    ['strptime("%Y")', 1, "strptime/1 requires string inputs and arguments"],
    ['strftime("%Y")', "x", "strftime/1 requires parsed datetime inputs"],
    ["strftime([])", 0, "strftime/1 requires a string format"],
    ["mktime", ["a"], "mktime requires parsed datetime inputs"],
    ["mktime", 1, "mktime requires array of 6 numbers"],
    ["gmtime", 1e300, "error converting number of seconds since epoch to datetime"],
  ])("%s on %j fails in jq's words", (program, input, message) => {
    expect(jqError(program, input).message).toBe(message);
  });
});
