import { isJsonObject, type JsonObject, RawJson, type TaskResult } from "@downbeat/engine";
import type { Config, Executor, OutsideCall } from "@downbeat/server";
import { SandboxRefusal } from "./refusal.ts";
import type { IsolatedResult } from "./run-isolated.ts";
import { createSandbox } from "./sandbox.ts";

/** Task types of the tools the server runs itself. */
export const RUN_CODE = "RUN_CODE";
export const RUN_COMMAND = "RUN_COMMAND";

/** Runs command and code tools. What the model asked for stands in `arguments`; the rest is the agent's own setting. */
export function sandboxExecutors(config: Config): readonly Executor[] {
  const concurrency = config["service.agents.sandbox.concurrency"];
  const sandbox = createSandbox({
    isEnabled: config["service.agents.sandbox.enabled"],
    allowNetwork: config["service.agents.sandbox.network"],
    maxRuns: concurrency,
    limits: { timeoutMs: config["service.agents.sandbox.timeout"] },
  });
  const executor = (type: string, run: (call: OutsideCall) => Promise<IsolatedResult>): Executor => ({
    type,
    concurrency,
    run: (call) => reported(() => run(call)),
  });
  return [
    executor(RUN_CODE, ({ input, signal }) => {
      const asked = askedFor(input);
      const allowedLanguages = textsIn(input["allowedLanguages"]);
      return sandbox.runCode({
        code: String(asked["code"] ?? ""),
        language: String(asked["language"] ?? allowedLanguages[0] ?? ""),
        allowedLanguages,
        ...timeLimit(input),
        signal,
      });
    }),
    executor(RUN_COMMAND, ({ input, signal }) => {
      const asked = askedFor(input);
      return sandbox.runCommand({
        command: String(asked["command"] ?? ""),
        ...(Array.isArray(asked["args"]) ? { args: textsIn(asked["args"]) } : {}),
        shell: asked["shell"] === true,
        allowShell: input["allowShell"] === true,
        allowedCommands: textsIn(input["allowedCommands"]),
        ...timeLimit(input),
        signal,
      });
    }),
  ];
}

const askedFor = (input: JsonObject): JsonObject => (isJsonObject(input["arguments"]) ? input["arguments"] : {});
const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

function timeLimit(input: JsonObject): { readonly timeoutMs?: number } {
  const seconds = input["timeoutSeconds"];
  return typeof seconds === "number" && seconds > 0 ? { timeoutMs: seconds * 1000 } : {};
}

/** A program that fails is an answer for the model; one that may not run is a failure that trying again does not mend. */
async function reported(run: () => Promise<IsolatedResult>): Promise<TaskResult> {
  try {
    const { outcome, exitCode, stdout, stderr } = await run();
    const status = outcome === "exited" && exitCode === 0 ? "success" : "error";
    const result = { status, outcome, ...(exitCode === undefined ? {} : { exit_code: exitCode }), stdout, stderr };
    return { status: "COMPLETED", outputMode: "replace", output: new RawJson(JSON.stringify({ result })) };
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error;
    return {
      status: "FAILED_WITH_TERMINAL_ERROR",
      outputMode: "replace",
      reasonForIncompletion: error.message,
    };
  }
}
