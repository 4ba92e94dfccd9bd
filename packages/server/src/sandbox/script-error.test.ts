import { describe, expect, test } from "vitest";
import { evaluationError, syntaxError } from "./script-error.ts";

describe("the text of an error", () => {
  test("has the line of the innermost frame that is the script", () => {
    const stack = "    at parse (native)\n    at f (script:7:3)\n    at <eval> (script:9:1)\n";
    const thrown = { text: "Error: no", place: { source: "", stack, columnShift: 0 } };
    expect(evaluationError(thrown)).toBe("Error evaluating the script `Error: no` at line 7");
  });

  test("has no line when no frame is the script", () => {
    expect(evaluationError({ text: "no" })).toBe("Error evaluating the script `no`");
    const place = { source: "", stack: "    at f (native)\n", columnShift: 0 };
    expect(evaluationError({ text: "no", place })).toBe("Error evaluating the script `no`");
  });

  test("of the parser has its line", () => {
    const place = { source: "", stack: "    at script:3:14\n", columnShift: 0 };
    expect(syntaxError({ text: "SyntaxError: unexpected end", place })).toBe("SyntaxError: Unexpected end at line 3");
  });

  test.each([
    ["$.order.total()", 14, 0, "$.order.total is not a function"],
    ["$.total()", 8 + 5, 5, "$.total is not a function"],
    ["  new  Order()", 13, 0, "Order is not a constructor"],
    ["($.a || 1)()", 11, 0, "not a function"],
    ["größe()", 6, 0, "größe is not a function"],
  ])("names what was called: %s", (source, column, columnShift, message) => {
    const place = { source, stack: `    at <eval> (script:1:${column})\n`, columnShift };
    expect(evaluationError({ text: "TypeError: not a function", place })).toContain(`\`TypeError: ${message}\``);
  });

  test("names nothing when the call failed in a built-in", () => {
    const place = { source: "[].map(5)", stack: "    at map (native)\n    at <eval> (script:1:7)\n", columnShift: 0 };
    expect(evaluationError({ text: "TypeError: not a function", place })).toContain("`TypeError: not a function`");
  });
});
