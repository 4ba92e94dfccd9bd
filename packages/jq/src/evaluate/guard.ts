import { JqAbort, JqError } from "../errors.ts";
import type { Run } from "../run.ts";
import type { Signal } from "./filter.ts";

type Guarded<Output extends unknown[]> = {
  readonly run: Run;
  readonly emit: (...output: Output) => Signal;
  readonly body: (emit: (...output: Output) => Signal) => Signal;
  readonly recover: (error: JqError) => Signal;
};

/**
 * Runs `body` and hands a failure of its own to `recover`. A failure of whoever takes its outputs passes through:
 * in `(try a) | b` the `try` must not see what goes wrong in `b`, although `b` runs inside it here.
 */
export function guard<Output extends unknown[]>({ run, emit, body, recover }: Guarded<Output>): Signal {
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
