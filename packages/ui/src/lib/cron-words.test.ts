import { expect, test } from "vitest";
import { cronWords } from "./cron-words.ts";

test.each([
  ["0 30 2 * * *", "at 02:30 every day"],
  ["0 0 9 * * MON-FRI", "at 09:00 on Monday to Friday"],
  ["0 0 9,12,18 ? * 1,3", "at 09:00, 12:00 and 18:00 on Monday and Wednesday"],
  ["0 */15 * * * *", "every 15 minutes"],
  ["0 0/5 9-17 * * MON-FRI", "every 5 minutes from 09:00 to 17:59 on Monday to Friday"],
  ["0 0 * * * *", "every hour"],
  ["0 10 * * * *", "every hour at 10 min past"],
  ["0 0 */2 * * *", "on the hour every 2 hours"],
  ["*/10 * * * * *", "every 10 seconds"],
  ["* * * * * *", "every second"],
  ["0 * * * * *", "every minute"],
  ["5 0 0 1 * ?", "at 00:00:05 on day 1 of the month"],
  ["0 0 0 L * ?", "at 00:00 on the last day of the month"],
  ["0 0 8 15W * ?", "at 08:00 on the working day nearest to day 15 of the month"],
  ["0 0 8 ? * MON#2", "at 08:00 on the second Monday of the month"],
  ["0 0 8 ? * 5L", "at 08:00 on the last Friday of the month"],
  ["0 0 6 1 JAN,7 ?", "at 06:00 on day 1 of the month in January and July"],
  ["0 0 6 13 * FRI", "at 06:00 on day 13 of the month, if that is Friday"],
  ["@daily", "at 00:00 every day"],
])("%s is %s", (expression, words) => expect(cronWords(expression)).toBe(words));

test("what cannot be said is not guessed", () => {
  expect(cronWords("0 0 6")).toBeUndefined();
  expect(cronWords("1/7 2-9 3 * * *")).toBeUndefined();
  expect(cronWords("")).toBeUndefined();
});
