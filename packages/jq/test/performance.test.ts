import { expect, test } from "vitest";
import { compile } from "../src/index.ts";

/** Measured at 3,400,000 a second on one core of a small server; the bound only catches a fall of a whole order. */
const evaluationsPerSecond = 100_000;

test(`a small transformation runs ${evaluationsPerSecond} times a second`, () => {
  const program = compile(".a.b | {x: .c, y: (.d | length)}");
  const input = { a: { b: { c: 1, d: [1, 2, 3] } } };
  expect(program.run(input)).toEqual([{ x: 1, y: 3 }]);
  const rates = [1, 2, 3].map(() => ratePerSecond(() => program.run(input)));
  expect(Math.max(...rates)).toBeGreaterThan(evaluationsPerSecond);
});

function ratePerSecond(work: () => void): number {
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < 200) {
    for (let i = 0; i < 100; i++) work();
    count += 100;
  }
  return (count * 1000) / (performance.now() - start);
}
