import fc from "fast-check";
import { expect, test } from "vitest";
import { compile, JqError } from "../src/index.ts";

/**
 * A filter runs in different ways: as a plain function when it has exactly one output, by passing outputs on when it
 * may have others, on the state in place inside `reduce`, with or without paths. All must give the same.
 */
const { program } = fc.letrec<{ program: string; path: string }>((tie) => {
  const filter = tie("program");
  const path = tie("path");
  const join = (make: (...parts: string[]) => string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc.tuple(...parts).map((values) => make(...values));
  return {
    program: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(
        ".",
        ".a",
        ".b",
        ".[0]",
        "1",
        '"x"',
        "null",
        "false",
        "[]",
        "{}",
        "empty",
        "error",
        ".[]?",
        "..",
        "length?",
      ),
      fc.constantFrom(
        "sort",
        "add",
        "keys",
        "type",
        "tojson",
        "first",
        "to_entries",
        "range(3)",
        "not",
        "paths",
        "map(.)",
      ),
      join((a, b) => `(${a} | ${b})`, filter, filter),
      join((a, b) => `(${a}, ${b})`, filter, filter),
      join(
        (a, op, b) => `(${a} ${op} ${b})`,
        filter,
        fc.constantFrom("+", "-", "*", "==", "<", "and", "or", "//"),
        filter,
      ),
      join((a, b, c) => `(if ${a} then ${b} else ${c} end)`, filter, filter, filter),
      join((a, b) => `(try ${a} catch ${b})`, filter, filter),
      join((a, b) => `{a: ${a}, b: ${b}}`, filter, filter),
      join((a) => `[${a}]`, filter),
      join((a, b) => `"\\(${a})-\\(${b})"`, filter, filter),
      join((a, b) => `(${a} as $x | ${b}, $x)`, filter, filter),
      join((a, b, c) => `(reduce ${a} as $x (${b}; ${c}))`, filter, filter, filter),
      join((a, b) => `(reduce ${a} as $x ({}; .a += 1 | .b = ${b}))`, filter, filter),
      join((a, b, c) => `(foreach ${a} as $x (${b}; ${c}; [., $x]))`, filter, filter, filter),
      join((a) => `(def f: ${a}; f, [f])`, filter),
      join((a) => `(def f(g): [g] | ., (.[] | g); f(${a}))`, filter),
      join((a) => `(def f($p): [$p, .]; f(${a}))`, filter),
      join((a) => `(label $out | ${a} | ., break $out)`, filter),
      join((a, b) => `(${a} |= ${b})`, path, filter),
      join((a, b) => `(${a} = ${b})`, path, filter),
      join((a) => `[path(${a})]`, path),
      join((a) => `del(${a})`, path),
    ),
    path: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(".a", ".b", ".[0]", "..", ".[]?", ".", "first", ".[1:]", 'getpath(["a", "b"])'),
      join((a, b) => `(${a} | ${b})`, path, path),
      join((a, b) => `(${a}, ${b})`, path, path),
      join((a, b) => `(${a} | select(${b}))`, path, filter),
      join((a, b) => `(${a} // ${b})`, path, path),
      join((a) => `(${a})?`, path),
      join((a) => `limit(1; ${a})`, path),
    ),
  };
});

const inputs = fc.constantFrom<unknown>(null, 1, "abc", [1, 2, 3], { a: 1, b: [1, { a: 2 }] }, [
  { a: 3 },
  { a: 1, b: null },
]);

test("every way to run a filter gives the same outputs and changes no input", () => {
  fc.assert(
    fc.property(program, inputs, (source, input) => {
      const before = JSON.stringify(input);
      const expected = outcome(source, input);
      expect(outcome(`(${source}), empty`, input)).toEqual(expected);
      expect(outcome(`def apply(f): f; apply(${source})`, input)).toEqual(expected);
      expect(outcome(`.[0] | (${source})`, [input])).toEqual(expected);
      expect(JSON.stringify(input)).toBe(before);
    }),
    { numRuns: 2000 },
  );
});

/** Outputs and, if the program fails, what it says. Anything but a JqError is a fault of ours and fails the test. */
function outcome(source: string, input: unknown): { outputs: unknown[]; failure: unknown } {
  const outputs: unknown[] = [];
  try {
    outputs.push(...compile(source).run(input, { maxSteps: 100_000 }));
    return { outputs, failure: undefined };
  } catch (error) {
    if (error instanceof JqError) return { outputs, failure: error.value };
    throw error;
  }
}
