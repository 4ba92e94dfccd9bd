import { describe, expect, test } from "vitest";
import { workflowFields } from "./fields.ts";
import { parseFreeText } from "./free-text.ts";
import { QueryError } from "./query-error.ts";

const read = (text: string | undefined): unknown => {
  const { where, text: words } = parseFreeText(text, workflowFields);
  return [...where.map(({ field, op, values }) => [field, op, ...values]), ...words];
};

describe("free text", () => {
  for (const [text, ...expected] of [
    [undefined],
    [""],
    ["*"],
    [" ** "],
    ["%"],
    ["order 17", "order 17"],
    [" order  17 ", "order  17"],
    ['"order 17"', "order 17"],
    ["'it\\'s'", "it's"],
    ["or*17", "or*17"],
    ["or%17", "or*17"],
    ["{x=1, y=2}", "{x=1, y=2}"],
    ["http://host:80/x", "http://host:80/x"],
    ["kind:large", "kind:large"],
    ['"a" and "b"', '"a" and "b"'],
    ["workflowType:order", ["workflowType", "=", "order"]],
    ['workflowType:"order flow"', ["workflowType", "=", "order flow"]],
    ["workflowType:or*", ["workflowType", "=", "or*"]],
    ["version:2", ["version", "=", 2]],
    ["startTime:2023-11-14T22:13:20Z", ["startTime", "=", 1700000000000]],
    ["status:*"],
    ["status:FAILED card", ["status", "=", "FAILED"], "card"],
    ["status:FAILED AND workflowType:'a b'", ["status", "=", "FAILED"], ["workflowType", "=", "a b"]],
    ["card AND status:FAILED", ["status", "=", "FAILED"], "card"],
    ["xstatus:FAILED", "xstatus:FAILED"],
    ["AND", "AND"],
  ] as const) {
    test(String(text), () => expect(read(text)).toEqual(expected));
  }

  test("a comparison with something that is no number is refused with its place", () => {
    expect(() => read("card version:two")).toThrow(
      new QueryError("Cannot read the free text at character 14: expected a number for version, got two"),
    );
  });
});
