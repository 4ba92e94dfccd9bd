import { describe, expect, test } from "vitest";
import { readExecutionsSearch, toQueryText } from "./search.ts";

describe("the list's URL", () => {
  test("what cannot be read is left out", () => {
    expect(
      readExecutionsSearch({ status: "FAILED", range: "1y", start: "x", size: 50, topLevel: "no", more: 1 }),
    ).toEqual({
      status: "FAILED",
      size: 50,
    });
  });

  test("filters narrow together, quoted", () => {
    const search = { query: "priority > 3", status: "FAILED,TIMED_OUT", type: "it's", range: "1h" } as const;
    expect(toQueryText(search, 3_600_000)).toBe(
      "priority > 3 AND status IN (FAILED, TIMED_OUT) AND workflowType = 'it\\'s' AND startTime >= 0",
    );
  });

  test("without a moment there is no range: for streams, which only tell what is new", () => {
    expect(toQueryText({ range: "1h" })).toBe("");
  });
});
