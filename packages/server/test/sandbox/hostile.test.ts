import { afterAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { aSandbox, error, value } from "./scripts.ts";

const impatient = aSandbox({ timeoutMs: 100 });
const patient = aSandbox({ timeoutMs: 15_000, memoryBytes: 12 * 1024 * 1024 });
afterAll(() => Promise.all([impatient.close(), patient.close()]));

async function expectHealthy(sandbox: Sandbox): Promise<void> {
  expect(await sandbox.evaluate("$.a + 1", '{"a":1}')).toEqual(value("2"));
}

describe("an endless script is interrupted", () => {
  const timeout = { kind: "timeout", message: "Script not evaluated within 0.1 seconds, interrupted." };

  test.each([
    ["a loop", "for (;;);"],
    ["a loop that catches everything", "while (true) { try { for (;;); } catch (e) {} }"],
    ["a loop that starts again when it ends", "try { for (;;); } finally { for (;;); }"],
    ["a getter of the result", "({ get a() { for (;;); } })"],
    ["a proxy as the result", "new Proxy({}, { ownKeys() { for (;;); } })"],
    ["the text of what was thrown", "throw { toString() { for (;;); } }"],
    ["a generator", "for (var x of (function* () { for (;;) yield 1 })());"],
    ["a sort", "[3, 2, 1].sort(() => { for (;;); })"],
    ["a regular expression", "/^(a+)+$/.test('a'.repeat(40) + 'b')"],
  ])("in %s", async (_name, source) => {
    expect(await impatient.evaluate(source, "{}")).toEqual(timeout);
    expect(await impatient.evaluate(source, "{}")).toEqual(timeout);
    await expectHealthy(impatient);
  });

  test.each([
    ["a search in long strings", "'x'.repeat(3e6).indexOf('x'.repeat(1e6) + 'y')"],
    ["the text of a very deep list", "var a = []; for (var i = 0; i < 1e5; i++) a = [a]; a"],
    ["a large power", "(2n ** 500000n) ** 3n % 7n; (3n ** 900000n).toString().length"],
  ])("in %s, which the engine cannot stop", async (_name, source) => {
    const outcome = await impatient.evaluate(source, "{}");
    expect(outcome.kind).not.toBe("value");
    await expectHealthy(impatient);
  });
});

describe("a script that takes memory gets an error", () => {
  const exhausted = expect.objectContaining({ kind: "error", message: expect.stringContaining("out of memory") });

  test.each([
    ["a string", "'x'.repeat(1e9)"],
    ["strings that double", "var a = []; for (var s = 'x'; ; s += s) a.push(s.toUpperCase())"],
    ["a list", "var a = []; for (;;) a.push(new Array(1000).fill(1))"],
    ["a list with a length", "new Array(1e8).fill(0)"],
    ["bytes", "var a = []; for (;;) a.push(new Uint8Array(1e6))"],
    ["bytes at once", "new ArrayBuffer(2e9)"],
    ["a map", "var m = new Map(); for (var i = 0; ; i++) m.set(i, 'v' + i)"],
    ["closures", "var f = () => 1; for (;;) f = ((g) => () => g)(f)"],
    ["a source", "eval('[' + '1,'.repeat(3e6) + ']')"],
    ["a result that unfolds", "var a = ['xxxxxxxx']; for (var i = 0; i < 30; i++) a = [a, a]; a"],
  ])("for %s", async (_name, source) => {
    expect(await patient.evaluate(source, "{}")).toEqual(exhausted);
    await expectHealthy(patient);
  });

  test("and may go on when it caught that", async () => {
    const source = "try { 'x'.repeat(1e9) } catch (e) { 'caught ' + e.message }";
    expect(await patient.evaluate(source, "{}")).toEqual(value('"caught out of memory"'));
  });

  test("for an input that is too large", async () => {
    const input = JSON.stringify(Array.from({ length: 400_000 }, (_, i) => ({ i })));
    expect(await patient.evaluate("1", input)).toEqual(exhausted);
    await expectHealthy(patient);
  });
});

describe("a script that goes too deep gets an error", () => {
  const tooDeep = "RangeError: Maximum call stack size exceeded";

  test("in a function", async () => {
    expect(await patient.evaluate("function f() { f() } f()", "{}")).toEqual(error(tooDeep, " at line 1"));
    await expectHealthy(patient);
  });

  test.each([
    ["a callback", "function f() { [1].map(f) } f()"],
    ["a conversion", "var o = { toString() { return '' + o } }; '' + o"],
    ["a proxy", "var p = {}; for (var i = 0; i < 50000; i++) p = new Proxy(p, {}); p.x"],
    ["a constructor", "class A { constructor() { new A() } } new A()"],
    ["JSON", "JSON.parse('['.repeat(1e6))"],
    ["a source", "eval('('.repeat(1e6))"],
    ["a flattening", "var x = []; x[0] = x; x.flat(Infinity)"],
    ["generators", "function* g() { yield* g() } [...g()]"],
    ["a sort", "function f() { [2, 1].sort(f) } f()"],
    ["a replacement", "function f() { 'a'.replace(/a/, f) } f()"],
  ])("in %s", async (_name, source) => {
    const outcome = await patient.evaluate(source, "{}");
    expect(outcome).toMatchObject({ kind: "error", message: expect.stringContaining(tooDeep) });
    await expectHealthy(patient);
  });

  test("but thousands of calls are fine", async () => {
    expect(await patient.evaluate("function f(n) { return n && f(n - 1) + 1 } f(4000)", "{}")).toEqual(value("4000"));
  });
});
