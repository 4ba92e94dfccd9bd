import { describe, expect, test } from "vitest";
import { CronError, parseCron } from "./cron.ts";

const invalid = `
* * * * * | expected 6 fields (second minute hour day-of-month month day-of-week), found 5
0 0 0 * * * * | expected 6 fields (second minute hour day-of-month month day-of-week), found 7
0 0 0 * * ? 2026 | expected 6 fields (second minute hour day-of-month month day-of-week), found 7
every day | expected 6 fields (second minute hour day-of-month month day-of-week), found 2
60 * * * * * | second 60 at character 1 is not between 0 and 59
-1 * * * * * | second -1 at character 1 is not between 0 and 59
? * * * * * | second ? at character 1 is only allowed alone, for day of month or day of week
a b c d e f | second a at character 1 is not a number
1,2,,3 * * * * * | second at character 5 is missing
,1 * * * * * | second at character 1 is missing
1, * * * * * | second at character 3 is missing
1-2-3 * * * * * | second 2-3 at character 3 is not a number
5- * * * * * | second at character 3 is missing
*/0 * * * * * | second step 0 at character 3 is less than 1
*/-5 * * * * * | second step -5 at character 3 is less than 1
*/ * * * * * | second step at character 3 is missing
/5 * * * * * | second at character 1 is missing
*/5/2 * * * * * | second step 5/2 at character 3 is not a number
0.5 * * * * * | second 0.5 at character 1 is not a number
0 60 * * * * | minute 60 at character 3 is not between 0 and 59
0 10-5 * * * * | minute 10-5 at character 3 ends before it starts
0 10-75 * * * * | minute 75 at character 6 is not between 0 and 59
0 0 24 * * * | hour 24 at character 5 is not between 0 and 23
0 0 25 * * * | hour 25 at character 5 is not between 0 and 23
0 0 22-2 * * * | hour 22-2 at character 5 ends before it starts
0 0 H * * * | hour H at character 5 is not a number
0 0 *-5 * * * | hour * at character 5 is not a number
  0   0   12,25   *   *   * | hour 25 at character 14 is not between 0 and 23
0 0 0 0 * * | day of month 0 at character 7 is not between 1 and 31
0 0 0 32 * * | day of month 32 at character 7 is not between 1 and 31
0 0 0 ?/10 * * | day of month ? at character 7 is only allowed alone, for day of month or day of week
0 0 0 1,? * * | day of month ? at character 9 is only allowed alone, for day of month or day of week
0 0 0 l * * | day of month l at character 7 is none of L, L-n, LW and nW
0 0 0 15w * * | day of month 15w at character 7 is none of L, L-n, LW and nW
0 0 0 W * * | day of month W at character 7 is none of L, L-n, LW and nW
0 0 0 5WX * * | day of month 5WX at character 7 is none of L, L-n, LW and nW
0 0 0 32W * * | day of month 32 at character 7 is not between 1 and 31
0 0 0 1-5W * * | day of month 1-5 at character 7 is not a number
0 0 0 5L * * | day of month 5L at character 7 is none of L, L-n, LW and nW
0 0 0 LW-2 * * | day of month LW-2 at character 7 is none of L, L-n, LW and nW
0 0 0 L-0 * * | day of month offset 0 at character 9 is not between 1 and 30
0 0 0 L-31 * * | day of month offset 31 at character 9 is not between 1 and 30
0 0 0 L- * * | day of month offset at character 9 is missing
0 0 0 L-+3 * * | day of month L-+3 at character 7 is none of L, L-n, LW and nW
0 0 0 1,15,LL * * | day of month LL at character 12 is none of L, L-n, LW and nW
0 0 0 MON * * | day of month MON at character 7 is not a number
0 0 0 * 0 * | month 0 at character 9 is not between 1 and 12
0 0 0 * 13 * | month 13 at character 9 is not between 1 and 12
0 0 0 * ? * | month ? at character 9 is only allowed alone, for day of month or day of week
0 0 0 * JANUARY * | month JANUARY at character 9 is neither a number nor a name from JAN to DEC
0 0 0 * FEB-JAN * | month FEB-JAN at character 9 ends before it starts
0 0 0 * JANFEB * | month JANFEB at character 9 is neither a number nor a name from JAN to DEC
0 0 0 * * 8 | day of week 8 at character 11 is not between 0 and 7
0 0 0 * * -1 | day of week -1 at character 11 is not between 0 and 7
0 0 0 * * FRI-MON | day of week FRI-MON at character 11 ends before it starts
0 0 0 * * SUNDAY | day of week SUNDAY at character 11 is neither a number nor a name from MON to SUN
0 0 0 * * MON,XYZ | day of week XYZ at character 15 is neither a number nor a name from MON to SUN
0 0 0 * * L | day of week L at character 11 has no day right before its L, as 5L and FRIL have
0 0 0 * * L5 | day of week L5 at character 11 has no day right before its L, as 5L and FRIL have
0 0 0 * * 8L | day of week 8 at character 11 is not between 0 and 7
0 0 0 * * MON-FRIL | day of week MON-FRI at character 11 is neither a number nor a name from MON to SUN
0 0 0 * * MON#0 | day of week ordinal 0 at character 15 is less than 1
0 0 0 * * MON# | day of week ordinal at character 15 is missing
0 0 0 * * #1 | day of week at character 11 is missing
0 0 0 * * MON#x | day of week ordinal x at character 15 is not a number
0 0 0 * * 1-5#2 | day of week 1-5 at character 11 is neither a number nor a name from MON to SUN
0 0 0 * * MON#2L | day of week ordinal 2L at character 15 is not a number
0 0 0 * * MON/TUE | day of week step TUE at character 15 is not a number
`;

test.each(
  invalid
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" | ")),
)("%s is invalid", (expression = "", problem = "") => {
  expect(() => parseCron(expression)).toThrow(new CronError(expression, problem));
});

test.each(["", " ", " \t\n "])("an expression without fields says that it has none: %j", (expression) => {
  const problem = "expected 6 fields (second minute hour day-of-month month day-of-week), found 0";
  expect(() => parseCron(expression)).toThrow(`Invalid cron expression "${expression}": ${problem}`);
});

test.each([
  ["@reboot", "@reboot", 1],
  ["  @Every ", "@Every", 3],
  ["@", "@", 1],
])("%j is no macro", (expression, name, place) => {
  const macros = "@yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly";
  expect(() => parseCron(expression)).toThrow(
    `Invalid cron expression "${expression}": macro ${name} at character ${place} is none of ${macros}`,
  );
});

describe("two ways to write the same", () => {
  test.each([
    ["  0 0\t0  * *   * ", "0 0 0 * * *"],
    ["@weekly", "0 0 0 * * 7"],
    [" @DAILY\n", "0 0 0 * * *"],
    ["0-59 0/1 */1 * 1-12 *", "* * * * * *"],
    ["+5 007 1 * * *", "5 7 1 * * *"],
    ["5,3,3-4 * * * * *", "3-5 * * * * *"],
    ["10/90 */30 20-23/2 * * *", "10 0,30 20,22 * * *"],
    ["0 0 0 ? * ?", "0 0 0 ? * ?"],
    ["0 0 0 +15W * *", "0 0 0 15W * *"],
    ["0 0 0 L-03 * *", "0 0 0 L-3 * *"],
    ["0 0 0 * jan-MAR,Dec *", "0 0 0 * 1-3,12 *"],
    ["0 0 0 * * SUN-tue", "0 0 0 * * 0,1,2"],
    ["0 0 0 * * 7-2", "0 0 0 * * 0-2"],
    ["0 0 0 * * 0", "0 0 0 * * 7"],
    ["0 0 0 * * 0-7", "0 0 0 * * *"],
    ["0 0 0 * * 7-7", "0 0 0 * * *"],
    ["0 0 0 * * */2", "0 0 0 * * MON,WED,FRI,SUN"],
    ["0 0 0 * * 0/2", "0 0 0 * * SUN,TUE,THU,SAT"],
    ["0 0 0 * * SUN/2", "0 0 0 * * SUN"],
    ["0 0 0 * * fril,0L", "0 0 0 * * 5L,7l"],
    ["0 0 0 * * Sun#2,1#+3", "0 0 0 * * 0#2,MON#03"],
  ])("%j is %j", (one, other) => {
    expect(parseCron(one)).toEqual(parseCron(other));
  });
});

test("a long list is read in time", () => {
  expect(parseCron(`${"0,".repeat(100_000)}1 * * * * *`)).toEqual(parseCron("0,1 * * * * *"));
});
