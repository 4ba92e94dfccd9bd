import type { Part } from "./part.ts";

/** An expression that is no cron expression. The message says which field is wrong, where, and what was expected. */
export class CronError extends Error {
  override readonly name = "CronError";

  constructor(expression: string, problem: string) {
    super(`Invalid cron expression "${expression}": ${problem}`);
  }
}

/** The error for one part of a field: `hour 25 at character 5 is not between 0 and 23`. */
export function invalidPart(what: string, part: Part, problem: string): CronError {
  const place = `at character ${part.start + 1}`;
  return new CronError(
    part.expression,
    part.text === "" ? `${what} ${place} is missing` : `${what} ${part.text} ${place} ${problem}`,
  );
}
