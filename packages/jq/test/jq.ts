import { compile, JqError, type JqOptions } from "../src/index.ts";

/** All outputs of a program for one input. */
export function jq(source: string, input: unknown = null, options: JqOptions = {}): unknown[] {
  return compile(source).run(input, options);
}

/** The failure of a program that must fail. */
export function jqError(source: string, input: unknown = null, options: JqOptions = {}): JqError {
  try {
    jq(source, input, options);
  } catch (error) {
    if (error instanceof JqError) return error;
    throw error;
  }
  throw new Error(`Expected ${source} to fail`);
}
