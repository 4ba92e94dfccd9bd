import { JqAbort, JqError, JqSyntaxError } from "./errors.ts";
import { checkNames } from "./evaluate/check-names.ts";
import { compile as compileNode } from "./evaluate/compile.ts";
import { Env } from "./evaluate/env.ts";
import { type Filter, go, stop } from "./evaluate/filter.ts";
import { declare, emptyScope, type Scope } from "./evaluate/scope.ts";
import { finiteNumbers } from "./finite-numbers.ts";
import { parse } from "./parser.ts";
import { Run } from "./run.ts";

export type JqOptions = {
  /** How much work the program may do; a step is about one function call or one element. Default ten million. */
  readonly maxSteps?: number;
  /** How deep calls that are not last calls may nest. Default 10,000; the stack may give out earlier. */
  readonly maxDepth?: number;
  /** The clock behind `now`, in seconds since 1970. Without it `now` fails. */
  readonly now?: () => number;
  /** Seconds to add to UTC to get local time at a given instant. Default: local time is UTC. */
  readonly localOffset?: (epochSeconds: number) => number;
  /** Values for the variables named at compile time; null for those left out. */
  readonly variables?: Readonly<Record<string, unknown>>;
};

export type CompileOptions = {
  /** Names of variables the program may use, without the dollar sign. */
  readonly variables?: readonly string[];
};

/** A compiled program. It keeps no state between runs, so one may serve any number of callers. */
export interface JqProgram {
  /** All outputs for one input. Throws JqError; outputs before the failure are lost. */
  run(input: unknown, options?: JqOptions): unknown[];
  /** The first output, or undefined when there is none. Does no work beyond it. */
  first(input: unknown, options?: JqOptions): unknown;
}

/** Throws JqSyntaxError when the text is not a valid program. */
export function compile(source: string, options: CompileOptions = {}): JqProgram {
  const names = options.variables ?? [];
  const filter = withinStack(() => {
    const root = parse(source);
    const scope = globalScope(names);
    checkNames(root, scope, source);
    return compileNode(root, scope);
  }, source);
  return {
    run: (input, runOptions = {}) => {
      const outputs: unknown[] = [];
      const env = makeEnv(names, runOptions);
      execute(filter, input, env, (value) => {
        outputs.push(finiteNumbers(value, env.run));
        return go;
      });
      return outputs;
    },
    first: (input, runOptions = {}) => {
      let first: unknown;
      const env = makeEnv(names, runOptions);
      execute(filter, input, env, (value) => {
        first = finiteNumbers(value, env.run);
        return stop;
      });
      return first;
    },
  };
}

/** The order of links here and in makeEnv must agree. */
function globalScope(names: readonly string[]): Scope {
  return ["ENV", ...names].reduce((scope, name) => declare(scope, { kind: "variable", name }), emptyScope());
}

function makeEnv(names: readonly string[], options: JqOptions): Env {
  const run = new Run({
    maxSteps: options.maxSteps ?? 10_000_000,
    maxDepth: options.maxDepth ?? 10_000,
    now: options.now,
    localOffset: options.localOffset ?? (() => 0),
  });
  const values = options.variables ?? {};
  const root = new Env(run, undefined, null).bind({});
  return names.reduce((env, name) => env.bind(Object.hasOwn(values, name) ? (values[name] ?? null) : null), root);
}

function execute(filter: Filter, input: unknown, env: Env, emit: (value: unknown) => typeof go | typeof stop): void {
  try {
    filter.each(input ?? null, env, emit);
  } catch (error) {
    if (error instanceof JqError) throw error;
    // The engine's own limits: it has no other way to tell us that the stack or a string is full.
    if (error instanceof RangeError) throw new JqAbort(rangeMessage(error), { cause: error });
    throw error;
  }
}

function rangeMessage(error: RangeError): string {
  return /call stack/.test(error.message) ? "Recursion too deep for the stack" : `Result too large: ${error.message}`;
}

function withinStack<T>(make: () => T, source: string): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new JqSyntaxError("Program nested too deeply", { source, position: 0, cause: error });
  }
}
