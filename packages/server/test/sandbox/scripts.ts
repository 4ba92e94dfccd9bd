import { openSandbox, type Sandbox, type SandboxOptions, type ScriptOutcome } from "../../src/sandbox/sandbox.ts";

/** A sandbox for the tests of a file; `close` it after them. */
export function aSandbox(options: SandboxOptions = {}): Sandbox {
  return openSandbox({ timeoutMs: 2000, memoryBytes: 16 * 1024 * 1024, threads: 1, ...options });
}

/**
 * The outcomes of three evaluations on the same thread, without repetitions: a text is run as it is when it comes for
 * the first time, and kept compiled from the second, which must not make a difference.
 */
export async function outcomes(sandbox: Sandbox, source: string, input: unknown = {}): Promise<ScriptOutcome[]> {
  const distinct = new Map<string, ScriptOutcome>();
  for (let i = 0; i < 3; i++) {
    const outcome = await sandbox.evaluate(source, JSON.stringify(input));
    distinct.set(JSON.stringify(outcome), outcome);
  }
  return [...distinct.values()];
}

export const value = (text: string): ScriptOutcome => ({ kind: "value", text });

export const error = (thrown: string, place = ""): ScriptOutcome => ({
  kind: "error",
  message: `Error evaluating the script \`${thrown}\`${place}`,
});
