import { describe, expect, test } from "vitest";
import { type Answer, Engine, type EngineSettings } from "./engine.ts";

const mebibyte = 1024 * 1024;

async function anEngine(settings: Partial<EngineSettings> = {}): Promise<Engine> {
  return Engine.open({ timeoutMs: 2000, memoryBytes: 64 * mebibyte, stackBytes: mebibyte / 4, ...settings });
}

function evaluate(engine: Engine, source: string, input: unknown = {}): string {
  const answer: Answer = engine.evaluate(source, Buffer.from(JSON.stringify(input)));
  return `${answer.kind} ${Buffer.from(answer.text).toString()}`;
}

describe("an engine", () => {
  test("whose wasm trapped gives an error, and works when renewed, with the scripts it had compiled", async () => {
    // More than the stack of this thread: the wasm overflows before QuickJS counts too many frames.
    const engine = await anEngine({ stackBytes: 4 * mebibyte });
    for (let i = 0; i < 3; i++) {
      expect(evaluate(engine, "$.a + 1", { a: i })).toBe(`value ${i + 1}`);
    }
    const trapped = evaluate(engine, "var f = () => { f() }; f()");
    expect(trapped).toBe("error Error evaluating the script `RangeError: Maximum call stack size exceeded`");
    expect(engine.needsRenewal).toBe(true);
    await engine.renew();
    expect(engine.needsRenewal).toBe(false);
    expect(evaluate(engine, "$.a + 1", { a: 9 })).toBe("value 10");
    expect(evaluate(engine, "[typeof f, $.a]", { a: 9 })).toBe('value ["undefined",9]');
  });

  test("gives back the memory of a script that took much", async () => {
    const engine = await anEngine();
    expect(evaluate(engine, "'x'.repeat(4e7).length")).toBe("value 40000000");
    expect(engine.needsRenewal).toBe(true);
    await engine.renew();
    expect(engine.needsRenewal).toBe(false);
    expect(evaluate(engine, "1")).toBe("value 1");
  });

  test("evaluates more scripts than it keeps compiled", async () => {
    const engine = await anEngine();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 1100; i++) {
        const outcome = evaluate(engine, `$.a + ${i}`, { a: round });
        if (outcome !== `value ${round + i}`) {
          expect(outcome).toBe(`value ${round + i}`);
        }
      }
    }
  });

  test("evaluates a script that is too large to be kept compiled", async () => {
    const engine = await anEngine();
    const source = `${"var x = { a: [1, 2, 3], b: $.a };\n".repeat(4000)}x.b`;
    for (let i = 0; i < 3; i++) {
      expect(evaluate(engine, source, { a: i })).toBe(`value ${i}`);
    }
  });

  test("keeps the scripts that alternate apart", async () => {
    const engine = await anEngine();
    for (let i = 0; i < 5; i++) {
      expect(evaluate(engine, "var f = () => $.n; f()", { n: i })).toBe(`value ${i}`);
      expect(evaluate(engine, "typeof f", {})).toBe('value "undefined"');
      expect(evaluate(engine, "let f = 'text'; f + $.n", { n: i })).toBe(`value "text${i}"`);
    }
  });
});
