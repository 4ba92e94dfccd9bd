/** A failure that trying again cannot mend: the task ends FAILED_WITH_TERMINAL_ERROR. */
export class TerminalError extends Error {
  /** Shown as it is, whatever words the type puts before others. */
  readonly isBare: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isBare?: boolean } = {}) {
    super(message, options);
    this.isBare = options.isBare ?? false;
  }
}

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
  const whole = message.includes(root) ? message : `${message} — caused by: ${root}`;
  return `${options.hasPrefix ? prefixOf(error) : ""}${whole}`.slice(0, REASON_LIMIT);
}

function prefixOf(error: unknown): string {
  if (!(error instanceof TerminalError)) return "Task execution failed: ";
  return error.isBare ? "" : "Non-retryable error: ";
}

function rootOf(error: unknown): unknown {
  let root = error;
  for (let depth = 0; depth < 10 && root instanceof Error && root.cause !== undefined; depth += 1) root = root.cause;
  return root;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
