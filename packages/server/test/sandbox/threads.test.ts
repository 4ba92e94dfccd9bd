import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { openSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { aSandbox, error, value } from "./scripts.ts";

function openForTest(options: SandboxOptions = {}): Sandbox {
  const sandbox = aSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Inside one built-in for minutes: only ending the thread ends it. */
const stuck = "'x'.repeat(3e7).indexOf('x'.repeat(1e6) + 'y')";
const stuckOptions = { timeoutMs: 200, memoryBytes: 64 * 1024 * 1024 };
const stuckTimeout = { kind: "timeout", message: "Script not evaluated within 0.2 seconds, interrupted." };

describe("a call", () => {
  test("gives a promise while the thread starts, and its outcome at once when the script is short", async () => {
    const sandbox = openForTest({ inlineWaitMs: 10_000 });
    const first = sandbox.evaluate("1", "{}");
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toEqual(value("1"));
    expect(sandbox.evaluate("2", "{}")).toEqual(value("2"));
    expect(sandbox.checkSyntax("2 +")).toMatch(/^SyntaxError/);
  });

  test("gives a promise when the script takes longer than the caller waits", async () => {
    const sandbox = openForTest({ inlineWaitMs: 3 });
    await sandbox.evaluate("1", "{}");
    const before = performance.now();
    const call = sandbox.evaluate("var end = Date.now() + 100; while (Date.now() < end); 'done'", "{}");
    expect(performance.now() - before).toBeLessThan(60);
    expect(call).toBeInstanceOf(Promise);
    expect(await call).toEqual(value('"done"'));
  });

  test.each([
    ["waited for", 10_000],
    ["answered by a message", 0],
  ])("carries more than fits into the shared memory, both ways, when %s", async (_name, inlineWaitMs) => {
    const sandbox = openForTest({ inlineWaitMs, memoryBytes: 64 * 1024 * 1024 });
    const long = JSON.stringify("ü".repeat(500_000));
    await sandbox.evaluate("1", "{}");
    expect(await sandbox.evaluate("$.length", long)).toEqual(value("500000"));
    expect(await sandbox.evaluate("'ü'.repeat($)", "500000")).toEqual(value(long));
    expect(await sandbox.evaluate("$", long)).toEqual(value(long));
    expect(await sandbox.evaluate(`${" ".repeat(500_000)}$`, "1")).toEqual(value("1"));
    expect(await sandbox.evaluate("$", "1")).toEqual(value("1"));
  });
});

describe("a thread that does not answer", () => {
  test("is ended, and the calls behind it run on another", async () => {
    const sandbox = openForTest(stuckOptions);
    await sandbox.evaluate("1", "{}");
    const calls = [sandbox.evaluate(stuck, "{}"), sandbox.evaluate("'a'", "{}"), sandbox.evaluate("'b'", "{}")];
    expect(await Promise.all(calls)).toEqual([stuckTimeout, value('"a"'), value('"b"')]);
    expect(await sandbox.evaluate("'c'", "{}")).toEqual(value('"c"'));
  });

  test("is ended again and again", async () => {
    const sandbox = openForTest({ ...stuckOptions, threads: 2 });
    const calls = Array.from({ length: 4 }, () => sandbox.evaluate(stuck, "{}"));
    expect(await Promise.all(calls)).toEqual([stuckTimeout, stuckTimeout, stuckTimeout, stuckTimeout]);
    expect(await sandbox.evaluate("1", "{}")).toEqual(value("1"));
  });

  test("does not take an answer away that came in time", async () => {
    const sandbox = openForTest({ timeoutMs: 100, inlineWaitMs: 0 });
    await sandbox.evaluate("1", "{}");
    const call = sandbox.evaluate("'in time'", "{}");
    const end = performance.now() + 500;
    while (performance.now() < end);
    expect(await call).toEqual(value('"in time"'));
  });
});

describe("threads", () => {
  test("let short scripts pass a long one", async () => {
    const sandbox = openForTest({ threads: 2, timeoutMs: 60_000 });
    await sandbox.evaluate("1", "{}");
    const long = sandbox.evaluate("for (;;);", "{}");
    for (let i = 0; i < 20; i++) {
      expect(await sandbox.evaluate("$.i", JSON.stringify({ i }))).toEqual(value(`${i}`));
    }
    await sandbox.close();
    expect(await long).toMatchObject({ kind: "error" });
  });

  test("serve many calls at once, each with its own answer", async () => {
    const sandbox = openForTest({ threads: 2, inlineWaitMs: 0 });
    const calls = Array.from({ length: 500 }, (_, i) => sandbox.evaluate("$.i * 2", JSON.stringify({ i })));
    expect(await Promise.all(calls)).toEqual(calls.map((_, i) => value(`${i * 2}`)));
  });

  test("that cannot start give an error instead of a promise that never settles", async () => {
    const sandbox = openForTest({ memoryBytes: 1000 });
    const calls = [sandbox.evaluate("1", "{}"), sandbox.evaluate("2", "{}")];
    for (const outcome of await Promise.all(calls)) {
      expect(outcome).toMatchObject({ kind: "error", message: expect.stringContaining("InternalError") });
    }
    expect(await sandbox.evaluate("3", "{}")).toMatchObject({ kind: "error" });
  });
});

describe("close", () => {
  const closed = error("InternalError: the script sandbox is closed");

  test("ends what runs and what waits, and everything that comes later", async () => {
    const sandbox = aSandbox({ timeoutMs: 20_000 });
    await sandbox.evaluate("1", "{}");
    const calls = [sandbox.evaluate("for (;;);", "{}"), sandbox.evaluate("1", "{}")];
    await sandbox.close();
    expect(await Promise.all(calls)).toEqual([closed, closed]);
    expect(sandbox.evaluate("1", "{}")).toEqual(closed);
    expect(sandbox.checkSyntax("1")).toBe(closed.kind === "error" ? closed.message : "");
    await sandbox.close();
  });

  test("may come before a thread has started", async () => {
    const sandbox = aSandbox();
    const call = sandbox.evaluate("1", "{}");
    await sandbox.close();
    expect(await call).toEqual(closed);
  });
});

describe("a process", () => {
  const run = promisify(execFile);
  const sandboxUrl = new URL("../../src/sandbox/sandbox.ts", import.meta.url).href;

  test("ends although a sandbox is open, but not before a call has its answer", async () => {
    const program = `
      import { openSandbox } from ${JSON.stringify(sandboxUrl)};
      const sandbox = openSandbox();
      const call = await sandbox.evaluate("var end = Date.now() + 100; while (Date.now() < end); 'slow'", "{}");
      process.stdout.write(call.text);`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { timeout: 15_000 });
    expect(stdout).toBe('"slow"');
  });
});

test("options out of range are refused", () => {
  expect(() => openSandbox({ stackBytes: 64 * 1024 * 1024 })).toThrow("Expected stackBytes to be from 1 to 4194304");
  expect(() => openSandbox({ memoryBytes: 0 })).toThrow("Expected memoryBytes to be from 1 to 1073741824, got 0");
});
