import type { Json, JsonObject } from "@downbeat/engine";

export type SqlCall = {
  readonly statement: string;
  readonly parameters: readonly Json[];
  readonly signal: AbortSignal;
};

/** A named database that tasks may talk to. */
export type SqlConnection = {
  /** Rows, as long as they fit into a task's output. */
  readonly select: (call: SqlCall) => Promise<readonly JsonObject[]>;
  /** How many rows it changed. Nothing is changed when it is not as many as expected, or anything fails. */
  readonly update: (call: SqlCall, expectedCount: number | undefined) => Promise<number>;
  readonly close: () => Promise<void>;
};

export const wrongCount = (count: number, expected: number): string =>
  `Update count ${count} does not match with expected update count ${expected}`;

/** There is more to read than a task's output may hold. */
export class TooManyRows extends Error {
  constructor(maxBytes: number) {
    super(`Expected rows of at most ${maxBytes} bytes, got more: ask for fewer rows or columns`);
  }
}
