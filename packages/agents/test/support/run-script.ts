import { runInNewContext } from "node:vm";
import { expect } from "vitest";
import { type Parts, scriptOf } from "../../src/scripts/script-of.ts";

/** Calls a script function, and sees that its embedded text, which stands alone, gives the same. */
export function run<Input, Known, Result>(
  script: (input: Input, known: Known, parts: never) => Result,
  input: Input,
  known?: Known,
  parts?: object,
): Result {
  const direct = script(input, known as Known, parts as never);
  const text = scriptOf(script, known, parts as Parts);
  const alone: unknown = runInNewContext(text, { $: JSON.parse(JSON.stringify(input)) });
  expect(JSON.stringify(alone)).toBe(JSON.stringify(direct));
  return direct;
}
