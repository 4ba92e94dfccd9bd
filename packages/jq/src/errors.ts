import { formatJson } from "./tojson.ts";

/** A failure while a program runs. `value` is what `catch` sees: the message, or whatever was given to `error(x)`. */
export class JqError extends Error {
  override readonly name: string = "JqError";
  readonly value: unknown;

  constructor(value: unknown, options?: ErrorOptions) {
    super(typeof value === "string" ? value : `${formatJson(value, 1000)} (not a string)`, options);
    this.value = value;
  }
}

/**
 * A failure that ends the program: a budget is used up, or `halt` was called. `try` in a jq program never catches it,
 * otherwise a hostile program could catch its own limit and go on.
 */
export class JqAbort extends JqError {
  override readonly name = "JqAbort";
}

/** The program text is not valid jq. `position` counts UTF-16 units from 0; `line` and `column` count from 1. */
export class JqSyntaxError extends Error {
  override readonly name = "JqSyntaxError";
  readonly position: number;
  readonly line: number;
  readonly column: number;

  constructor(message: string, { source, position, cause }: { source: string; position: number; cause?: unknown }) {
    const before = source.slice(0, position);
    const line = before.split("\n").length;
    const column = position - before.lastIndexOf("\n");
    super(`${message} at line ${line}, column ${column}`, { cause });
    this.position = position;
    this.line = line;
    this.column = column;
  }
}
