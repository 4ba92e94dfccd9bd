import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { createLogger, type LogOptions } from "./log.ts";

function logInto(options: Partial<LogOptions>) {
  const lines: string[] = [];
  const log = createLogger({
    level: "debug",
    format: "json",
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
    write: (line) => lines.push(line),
    ...options,
  });
  return { log, lines };
}

const parsed = (lines: string[]) => lines.map((line) => JSON.parse(line));

test("a JSON line holds time, level, message and fields", () => {
  const { log, lines } = logInto({});
  log.info("started", { port: 8080 });
  expect(lines).toEqual(['{"time":"2026-01-02T03:04:05.000Z","level":"info","message":"started","port":8080}\n']);
});

test("a child adds its fields to each message, and the message's own win", () => {
  const { log, lines } = logInto({});
  log.child({ node: "a", part: "http" }).child({ part: "queue" }).warn("late", { byMs: 5 });
  expect(parsed(lines)[0]).toMatchObject({ node: "a", part: "queue", byMs: 5 });
});

test("a field cannot take the place of the message or the level", () => {
  const { log, lines } = logInto({});
  log.error("real", { message: "false", level: "info", time: 0 });
  expect(parsed(lines)[0]).toMatchObject({ message: "real", level: "error", time: "2026-01-02T03:04:05.000Z" });
});

test.each([
  ["debug", 4],
  ["warn", 2],
  ["error", 1],
  ["off", 0],
] as const)("at level %s %i of four messages are logged", (level, count) => {
  const { log, lines } = logInto({ level });
  log.debug("a");
  log.info("b");
  log.warn("c");
  log.error("d");
  expect(lines).toHaveLength(count);
});

test("an error is logged with its stack and its causes", () => {
  const { log, lines } = logInto({});
  log.error("failed", { error: new Error("outer", { cause: new TypeError("inner") }) });
  expect(parsed(lines)[0].error).toMatchObject({
    name: "Error",
    message: "outer",
    stack: expect.stringContaining("log.test.ts"),
    cause: { name: "TypeError", message: "inner" },
  });
});

test("fields that JSON cannot hold are logged as well as they can be", () => {
  const { log, lines } = logInto({});
  const circle: Record<string, unknown> = { n: 1n };
  circle.self = circle;
  const shared = { a: 1 };
  log.info("odd", { circle, first: shared, second: shared });
  expect(parsed(lines)[0]).toMatchObject({
    circle: { n: "1", self: "[circular]" },
    first: { a: 1 },
    second: { a: 1 },
  });
});

test("logging never throws", () => {
  const hostile = {
    get trap() {
      throw new Error("no");
    },
  };
  for (const format of ["json", "pretty"] as const) {
    const { log, lines } = logInto({ format });
    log.info("hostile", { hostile });
    expect(lines.join("")).toContain("[unprintable: no]");
  }
  const { log } = logInto({
    write: () => {
      throw new Error("disk full");
    },
  });
  expect(() => log.info("lost")).not.toThrow();
});

test("a line for people holds the fields after the message", () => {
  const { log, lines } = logInto({ format: "pretty" });
  log.info("started", { port: 8080, name: "two words", path: "/api", list: [1], gone: undefined });
  expect(stripVTControlCharacters(lines[0] ?? "")).toBe(
    '2026-01-02T03:04:05.000Z INFO  started port=8080 name="two words" path=/api list=[1]\n',
  );
});

test("a line for people cannot be split by what is logged", () => {
  const { log, lines } = logInto({ format: "pretty" });
  log.info("one\nERROR two", { name: "a\nb" });
  expect(stripVTControlCharacters(lines[0] ?? "")).toBe(
    '2026-01-02T03:04:05.000Z INFO  one\\nERROR two name="a\\nb"\n',
  );
});

test("a line for people is followed by the stack of its error", () => {
  const { log, lines } = logInto({ format: "pretty" });
  log.error("failed", { error: new Error("outer", { cause: new Error("inner") }) });
  expect(lines[0]).toMatch(/failed error=outer\n {4}Error: outer\n {8}at /);
  expect(lines[0]).toContain("caused by: Error: inner");
});
