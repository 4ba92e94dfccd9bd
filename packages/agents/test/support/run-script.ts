import { runInNewContext } from "node:vm";
import { expect } from "vitest";
import { scriptOf } from "../../src/scripts/embed.ts";

/** Calls a script function, and sees that its embedded text, which stands alone, gives the same. */
export function run<Input, Known, Result>(
  script: (input: Input, known: Known) => Result,
  input: Input,
  known?: Known,
): Result {
  const direct = script(input, known as Known);
  const alone: unknown = runInNewContext(scriptOf(script, known), { $: JSON.parse(JSON.stringify(input)) });
  expect(JSON.stringify(alone)).toBe(JSON.stringify(direct));
  return direct;
}
