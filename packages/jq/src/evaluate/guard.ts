import { JqAbort, JqError } from "../errors.ts";
import type { Run } from "../run.ts";
import type { Signal } from "./filter.ts";

/**
 * Runs `body` and hands a failure of its own to `recover`. A failure of whoever takes its outputs passes through:
 * in `(try a) | b` the `try` must not see what goes wrong in `b`, although `b` runs inside it here.
 */
export function guard<Output extends unknown[]>(
  run: Run,
  emit: (...output: Output) => Signal,
  body: (emit: (...output: Output) => Signal) => Signal,
  recover: (error: JqError) => Signal,
): Signal {
  const { depth } = run;
  let isOutside = false;
  try {
    return body((...output) => {
      isOutside = true;
      const signal = emit(...output);
      isOutside = false;
      return signal;
    });
  } catch (error) {
    if (isOutside || !isCatchable(error)) throw error;
    run.depth = depth;
    run.charge(costOfError);
    return recover(error);
  }
}

/** An error notes where it was raised, which takes as long as some fifty steps. */
export const costOfError = 400;

export function isCatchable(error: unknown): error is JqError {
  return error instanceof JqError && !(error instanceof JqAbort);
}
