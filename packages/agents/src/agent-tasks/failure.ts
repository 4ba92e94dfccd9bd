import { type JsonObject, RawJson, type TaskResult } from "@downbeat/engine";

/** Why a task on an agent failed: for good, or so that trying again may help. */
export class AgentFailure extends Error {
  readonly isTerminal: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isTerminal: boolean }) {
    super(message, options);
    this.isTerminal = options.isTerminal;
  }
}

/** The address of an agent that may not be asked. */
export class AddressRefused extends AgentFailure {
  constructor(message: string) {
    super(message, { isTerminal: true });
  }
}

export const refusal = (message: string): AgentFailure => new AgentFailure(message, { isTerminal: true });

export const textOfError = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A result whose output takes the place of the one before. */
export const result = (status: TaskResult["status"], output: object, more: Partial<TaskResult> = {}): TaskResult => ({
  status,
  outputMode: "replace",
  output: new RawJson(JSON.stringify(output)),
  ...more,
});

/** A failure as a result; what the task has told of so far stays. */
export const failed = (error: unknown, output: JsonObject = {}): TaskResult =>
  result(error instanceof AgentFailure && error.isTerminal ? "FAILED_WITH_TERMINAL_ERROR" : "FAILED", output, {
    reasonForIncompletion: textOfError(error),
  });

/** An address that may not be asked may not be asked the next time either; any other failure may pass. */
export const told = (error: unknown, message: string): Error =>
  error instanceof AddressRefused ? error : new Error(message, { cause: error });
