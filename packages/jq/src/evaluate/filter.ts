import type { Path } from "../paths.ts";
import type { Env } from "./env.ts";

/**
 * A filter runs by calling `emit` for each output, so a pipe is a function call and no list is built between stages.
 * `emit` answers `stop` when no more outputs are wanted; a filter that hears it returns `stop` at once.
 */
export type Signal = typeof go | typeof stop | EachTailCall;
export const go = 0;
export const stop = 1;

export type Emit = (value: unknown) => Signal;
export type PathEmit = (path: Path, value: unknown) => Signal;

/** Most filters give exactly one output or fail. They run as plain functions, without a callback for each stage. */
export type One = (value: unknown, env: Env) => unknown;
export type Each = (value: unknown, env: Env, emit: Emit) => Signal;
/** As `Each`, telling also how each output is reached from the input; `path` is where `value` itself was found. */
export type Paths = (path: Path, value: unknown, env: Env, emit: PathEmit) => Signal;

/** A compiled filter. Each way to run it is made when first asked for, since most are never needed. */
export interface Filter {
  readonly isSingle: boolean;
  /** Only for a single filter. */
  readonly one: One;
  readonly each: Each;
  readonly paths: Paths;
  /** For the last step of a function body: may answer that a further call is to be made in its place. */
  readonly oneTail: One;
  readonly eachTail: Each;
}

/** Whether a filter is the last step of a function body, where a call may be left to the caller to make. */
export type Position = "last" | "inner";

/** What a form of the language provides; the rest of a `Filter` follows from it. Give `one` if single, else `each`. */
export type Recipe = {
  readonly one?: (position: Position) => One;
  readonly each?: (position: Position) => Each;
  readonly paths?: () => Paths;
};

/**
 * The last call of a function body is not made but returned; the call that runs the body makes it in a loop. That keeps
 * `def f: if . > 100000 then . else . + 1 | f end` on one stack frame. Only `oneTail` and `eachTail` return these.
 */
export class OneTailCall {
  readonly code: One;
  readonly value: unknown;
  readonly env: Env;

  constructor(code: One, value: unknown, env: Env) {
    this.code = code;
    this.value = value;
    this.env = env;
  }
}

export class EachTailCall {
  readonly code: Each;
  readonly value: unknown;
  readonly env: Env;

  constructor(code: Each, value: unknown, env: Env) {
    this.code = code;
    this.value = value;
    this.env = env;
  }
}
