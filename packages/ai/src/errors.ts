/** A failure that trying again cannot mend: the task ends FAILED_WITH_TERMINAL_ERROR. */
export class TerminalError extends Error {}

/** A failure after which the next attempt, if there is one, comes after so many seconds instead of the usual delay. */
export class RetryLaterError extends Error {
  readonly delaySeconds: number;

  constructor(message: string, delaySeconds: number, options?: ErrorOptions) {
    super(message, options);
    this.delaySeconds = delaySeconds;
  }
}

const REASON_LIMIT = 500;

/** The reason a failed task shows, in the words of the interface. */
export function reasonOf(error: unknown, options: { readonly hasPrefix: boolean }): string {
  const message = messageOf(error);
  const root = messageOf(rootOf(error));
  const whole = root === message || message.includes(root) ? message : `${message} — caused by: ${root}`;
  const prefix = error instanceof TerminalError ? "Non-retryable error: " : "Task execution failed: ";
  return `${options.hasPrefix ? prefix : ""}${whole}`.slice(0, REASON_LIMIT);
}

function rootOf(error: unknown): unknown {
  let root = error;
  for (let depth = 0; depth < 10 && root instanceof Error && root.cause !== undefined; depth += 1) root = root.cause;
  return root;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
