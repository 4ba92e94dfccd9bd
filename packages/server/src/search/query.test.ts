import { describe, expect, test } from "vitest";
import { taskFields, workflowFields } from "./fields.ts";
import { parseQuery } from "./query.ts";
import { QueryError } from "./query-error.ts";

/** Clauses as short texts: field, operator, values. */
const read = (text: string): unknown[] =>
  parseQuery(text, workflowFields).map(({ field, op, values }) => [field, op, ...values]);

const problem = (text: string): string => {
  try {
    parseQuery(text, workflowFields);
  } catch (error) {
    expect(error).toBeInstanceOf(QueryError);
    return error instanceof Error ? error.message : "";
  }
  throw new Error(`Expected ${text} to be refused`);
};

describe("clauses", () => {
  for (const [text, ...clauses] of [
    ["", ...[]],
    ["  \n ", ...[]],
    ["status=COMPLETED", ["status", "=", "COMPLETED"]],
    ["workflowType = 'order'", ["workflowType", "=", "order"]],
    ['workflowType="or*"', ["workflowType", "=", "or*"]],
    ["workflowType = order flow ", ["workflowType", "=", "order flow"]],
    ["correlationId='a,b'", ["correlationId", "=", "a,b"]],
    ["correlationId=a,b", ["correlationId", "=", "a", "b"]],
    ["correlationId=(a)", ["correlationId", "=", "a"]],
    ["correlationId = 'a AND b'", ["correlationId", "=", "a AND b"]],
    ["correlationId = ' a '", ["correlationId", "=", " a "]],
    ["correlationId = 'it\\'s \\\\ \\n'", ["correlationId", "=", "it's \\ \\n"]],
    ['correlationId = "it\'s"', ["correlationId", "=", "it's"]],
    ["correlationId = O'Brien", ["correlationId", "=", "O'Brien"]],
    ["correlationId = a(1)", ["correlationId", "=", "a(1)"]],
    ["correlationId = sandy", ["correlationId", "=", "sandy"]],
    ['parentWorkflowId=""', ["parentWorkflowId", "=", ""]],
    ["status IN (FAILED,TIMED_OUT)", ["status", "IN", "FAILED", "TIMED_OUT"]],
    ["status in( FAILED , 'TIMED OUT',\"c d\" )", ["status", "IN", "FAILED", "TIMED OUT", "c d"]],
    ["status IN FAILED, TIMED_OUT", ["status", "IN", "FAILED", "TIMED_OUT"]],
    ["status IN (FAILED,)", ["status", "=", "FAILED"]],
    ["workflowType IN ('or*')", ["workflowType", "=", "or*"]],
    ["status != RUNNING", ["status", "!=", "RUNNING"]],
    ["startTime>1700000000000", ["startTime", ">", 1700000000000]],
    ["startTime >= 5 and endTime<= 7", ["startTime", ">=", 5], ["endTime", "<=", 7]],
    ["version<3\tAND\nversion > 1", ["version", "<", 3], ["version", ">", 1]],
    ["executionTime > 1.5", ["executionTime", ">", 1.5]],
    ["startTime > 2023-11-14T22:13:20Z", ["startTime", ">", 1700000000000]],
    ["startTime > '2023-11-14T22:13:20.500+00:00'", ["startTime", ">", 1700000000500]],
    ["startTime > 2023-11-14T22:13", ["startTime", ">", 1699999980000]],
    ["startTime > 2023-11-14", ["startTime", ">", 1699920000000]],
    ["startTime IN (1, 2)", ["startTime", "IN", 1, 2]],
    ["status = RUNNING AND workflowType IN (a, b)", ["status", "=", "RUNNING"], ["workflowType", "IN", "a", "b"]],
  ] as const) {
    test(text === "" ? "nothing" : text, () => expect(read(text)).toEqual(clauses));
  }

  test("tasks have fields of their own", () => {
    expect(parseQuery("queueWaitTime > 10 AND workerId = w", taskFields)).toEqual([
      { field: "queueWaitTime", op: ">", values: [10] },
      { field: "workerId", op: "=", values: ["w"] },
    ]);
  });
});

describe("what cannot be read", () => {
  const operators = "expected one of =, !=, >, >=, <, <= or IN";
  for (const [text, message] of [
    [
      "workflowType",
      `Incorrectly formatted query string: workflowType. Cannot read the query at character 13: ${operators} after workflowType`,
    ],
    [
      "status = A AND hello world AND version = 1",
      `Incorrectly formatted query string: hello world. Cannot read the query at character 22: ${operators} after hello`,
    ],
    [
      "'x'",
      "Incorrectly formatted query string: 'x'. Cannot read the query at character 1: expected a field name, got 'x'",
    ],
    ["=x", "Cannot read the query at character 1: expected a field name, got =x"],
    ["workflowType=='x' AND", "Cannot read the query at character 14: expected a value, got ='x'"],
    ["status = A AND ", "Cannot read the query at character 16: expected a clause after AND"],
    ["status = AND version = 1", "Cannot read the query at character 10: expected a value after ="],
    ["status =", "Cannot read the query at character 9: expected a value after ="],
    ["status IN ()", "Cannot read the query at character 13: expected a value after IN"],
    ["status IN (A, B", "Cannot read the query at character 16: expected , or ), got the end"],
    ["status = 'A", "Cannot read the query at character 10: expected the text to end with '"],
    ["status = 'A' OR 'B'", "Cannot read the query at character 14: expected AND, got OR 'B'"],
    ["version = one", "Cannot read the query at character 11: expected a number for version, got one"],
    ["version IN (1, two)", "Cannot read the query at character 16: expected a number for version, got two"],
    [
      "startTime > yesterday",
      "Cannot read the query at character 13: expected a time in epoch milliseconds or ISO 8601 for startTime, got yesterday",
    ],
    [
      "startTime > 2023-13-01",
      "Cannot read the query at character 13: expected a time in epoch milliseconds or ISO 8601 for startTime, got 2023-13-01",
    ],
    [
      "status = A AND input.x = 1",
      /^Cannot read the query at character 16: unknown field input\.x, known fields are workflowId, /,
    ],
    ["constructor = 1", /^Cannot read the query at character 1: unknown field constructor, /],
  ] as const) {
    test(text, () =>
      expect(problem(text)).toEqual(typeof message === "string" ? message : expect.stringMatching(message)),
    );
  }

  test("too many clauses and too many values", () => {
    expect(problem(Array(101).fill("version = 1").join(" AND "))).toContain("expected at most 100 clauses");
    expect(problem(`version IN (${Array(1001).fill("1").join(",")})`)).toContain("expected at most 1000 values");
  });

  test("a long text is read or refused in no time", () => {
    const startedAt = performance.now();
    for (const part of ["a and ", "'\\", "(", ",", " ", "= ", "in "]) {
      try {
        parseQuery(`status = ${part.repeat(20_000)}`, workflowFields);
      } catch (error) {
        expect(error).toBeInstanceOf(QueryError);
      }
    }
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});
