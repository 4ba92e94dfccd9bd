import { describe, expect, test } from "vitest";
import { complete, errorPosition } from "./completion.ts";

const labels = (query: string, types: readonly string[] = []) =>
  complete(query, query.length, types).suggestions.map(({ label }) => label);

/** The query after the first suggestion was taken. */
function taken(query: string, types: readonly string[] = []): string {
  const { from, suggestions } = complete(query, query.length, types);
  return query.slice(0, from) + (suggestions[0]?.insert ?? "");
}

describe("completion of a query", () => {
  test("an empty box offers the fields", () => expect(labels("")).toContain("workflowType"));
  test("a beginning narrows them", () => expect(labels("corr")).toEqual(["correlationId"]));
  test("a field wants an operator", () => expect(labels("status ")).toContain("IN"));
  test("a status wants one of the statuses", () => expect(labels("status = F")).toEqual(["FAILED"]));
  test("a list goes on after a comma", () =>
    expect(taken("status IN (FAILED, TIM")).toBe("status IN (FAILED, TIMED_OUT"));
  test("types are the definitions' names", () => {
    expect(taken("workflowType = or", ["order", "my order"])).toBe("workflowType = order");
    expect(taken("workflowType = 'my", ["order", "my order"])).toBe("workflowType = 'my order'");
  });
  test("after a value comes AND", () => expect(labels("status = FAILED ")).toEqual(["AND"]));
  test("after AND comes a field", () =>
    expect(taken("status = FAILED AND prio")).toBe("status = FAILED AND priority "));
  test("an AND inside quotes is a value", () => expect(labels("workflowType = 'a AND prio", ["order"])).toEqual([]));
});

test("the server's message tells the character", () => {
  expect(errorPosition("Cannot read the query at character 13: expected")).toBe(12);
  expect(errorPosition("no such thing")).toBeUndefined();
});
