import type { TaskResult } from "@downbeat/engine";
import type { Executor } from "@downbeat/server";
import type { AiServices, AiTask } from "./ai-task.ts";
import { RetryLaterError, reasonOf, TerminalError } from "./errors.ts";

/** Runs one task type on this server, under one of its names. */
export const aiExecutor = (task: AiTask, type: string, services: AiServices): Executor => ({
  type,
  concurrency: task.concurrency ?? services.config["service.ai.concurrency"],
  async run(call) {
    try {
      return await task.run(call, services);
    } catch (error) {
      return failure(task, error);
    }
  },
});

function failure(task: AiTask, error: unknown): TaskResult {
  const reason = reasonOf(error, { hasPrefix: task.prefixesReasons !== false });
  return {
    status: error instanceof TerminalError ? "FAILED_WITH_TERMINAL_ERROR" : "FAILED",
    outputMode: "merge",
    reasonForIncompletion: reason,
    ...(error instanceof RetryLaterError ? { retryDelaySeconds: error.delaySeconds } : {}),
  };
}
