import { JqError } from "./errors.ts";
import type { Meter } from "./meter.ts";
import { preview } from "./tojson.ts";

/**
 * How a value was reached from the input, last key first so that siblings share their prefix. `null` is the input itself.
 * `lost` marks a value no path leads to, such as the result of arithmetic: harmless until someone asks for the path.
 */
export type Path = { readonly parent: Path; readonly key: unknown } | null;

export const lost: Path = { parent: null, key: undefined };

/** The path of a value made by a filter that is not a path expression: kept only when the filter gave its input back. */
export function pathOfResult(path: Path, input: unknown, result: unknown): Path {
  return Object.is(input, result) ? path : lost;
}

export function extend(path: Path, value: unknown, key: unknown): Path {
  if (path === lost) {
    throw new JqError(`Invalid path expression near attempt to access element ${preview(key)} of ${preview(value)}`);
  }
  return { parent: path, key };
}

export function requirePathTo(path: Path, iterated: unknown): void {
  if (path === lost) {
    throw new JqError(`Invalid path expression near attempt to iterate through ${preview(iterated)}`);
  }
}

export function keysOf(path: Path, value: unknown, meter: Meter): unknown[] {
  if (path === lost) throw new JqError(`Invalid path expression with result ${preview(value)}`);
  const keys: unknown[] = [];
  for (let step = path; step !== null; step = step.parent) keys.push(step.key);
  // Each key counts in full: a shared value a few dozen levels deep has more paths than memory.
  meter.charge(keys.length * 8);
  return keys.reverse();
}
