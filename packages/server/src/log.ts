import { styleText } from "node:util";

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Readonly<Record<string, unknown>>;

/** Logging never throws and never waits: a message that cannot be shown is shown as well as it can be. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds the fields to each of its messages. */
  child(fields: LogFields): Logger;
}

export interface LogOptions {
  readonly level: LogLevel | "off";
  readonly format: "pretty" | "json";
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Where lines go: by default warnings and errors to stderr, the rest to stdout. */
  readonly write?: (line: string, level: LogLevel) => void;
}

export function createLogger(options: LogOptions): Logger {
  const { level, format, now, write = writeToProcess } = options;
  const render = format === "json" ? renderJson : renderPretty;
  const threshold = severity[level];

  function log(entryLevel: LogLevel, message: string, fields: LogFields): void {
    if (severity[entryLevel] < threshold) {
      return;
    }
    try {
      write(`${render({ at: now(), level: entryLevel, message, fields })}\n`, entryLevel);
    } catch {
      // Nothing is left to report to, and the caller's work matters more than its log line.
    }
  }

  function withFields(own: LogFields): Logger {
    return {
      debug: (message, fields) => log("debug", message, { ...own, ...fields }),
      info: (message, fields) => log("info", message, { ...own, ...fields }),
      warn: (message, fields) => log("warn", message, { ...own, ...fields }),
      error: (message, fields) => log("error", message, { ...own, ...fields }),
      child: (fields) => withFields({ ...own, ...fields }),
    };
  }
  return withFields({});
}

interface Entry {
  readonly at: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

const severity: Record<LogLevel | "off", number> = { debug: 10, info: 20, warn: 30, error: 40, off: 100 };

const colors = { debug: "gray", info: "green", warn: "yellow", error: "red" } as const;

function renderJson({ at, level, message, fields }: Entry): string {
  const own = { time: new Date(at).toISOString(), level, message };
  // Assigned twice: first for the order of the keys, then so that a field of the same name cannot take its place.
  return toJson(Object.assign({ ...own }, fields, own));
}

function renderPretty({ at, level, message, fields }: Entry): string {
  const stream = streamOf(level);
  const time = styleText("gray", new Date(at).toISOString(), { stream });
  const head = `${time} ${styleText(colors[level], level.toUpperCase().padEnd(5), { stream })} ${oneLine(message)}`;
  let line = head;
  let stacks = "";
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Error) {
      line += ` ${name}=${showField(value.message)}`;
      stacks += `\n${describeStack(value)}`;
    } else if (value !== undefined) {
      line += ` ${name}=${showField(value)}`;
    }
  }
  return line + stacks;
}

function showField(value: unknown): string {
  const text = typeof value === "string" ? value : toJson(value);
  return typeof value === "string" && !/^[^\s"=]+$/.test(text) ? JSON.stringify(text) : oneLine(text);
}

/** Line breaks and control characters would let a message pass itself off as several. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1));
}

function describeStack(error: Error): string {
  const own = (error.stack ?? String(error)).replaceAll(/^/gm, "    ");
  return error.cause instanceof Error && error.cause !== error
    ? `${own}\n    caused by: ${oneLine(String(error.cause))}`
    : own;
}

/** JSON of anything: errors with their cause, bigints as text, circles and throwing getters named instead of followed. */
function toJson(value: unknown): string {
  const above: unknown[] = [];
  try {
    return (
      JSON.stringify(value, function (this: unknown, _key, item: unknown) {
        while (above.length > 0 && above.at(-1) !== this) {
          above.pop();
        }
        if (typeof item === "bigint") {
          return String(item);
        }
        if (typeof item !== "object" || item === null) {
          return item;
        }
        if (above.includes(item) || above.length > 20) {
          return "[circular]";
        }
        const plain = item instanceof Error ? plainError(item) : item;
        above.push(plain);
        return plain;
      }) ?? String(value)
    );
  } catch (error) {
    return JSON.stringify(`[unprintable: ${error instanceof Error ? error.message : "unknown"}]`);
  }
}

function plainError(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause === undefined ? {} : { cause }) };
}

function streamOf(level: LogLevel): NodeJS.WriteStream {
  return level === "warn" || level === "error" ? process.stderr : process.stdout;
}

let isGuarded = false;

function writeToProcess(line: string, level: LogLevel): void {
  if (!isGuarded) {
    isGuarded = true;
    for (const stream of [process.stdout, process.stderr]) {
      // Whoever read our output may go away; without a listener the broken pipe would end the server.
      stream.on("error", () => undefined);
    }
  }
  streamOf(level).write(line);
}
