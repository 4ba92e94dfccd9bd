import { expect, test } from "vitest";
import { ApiError } from "../../api/client.ts";
import { toAgentProblems } from "./problems.ts";

test("a problem is shown where the server says it is, in words without the request around it", () => {
  const told = new ApiError("Expected agentConfig.tools[1].name to be text, got 7", { status: 400 });
  expect(toAgentProblems(told)).toEqual([
    { message: "Expected tools[1].name to be text, got 7", steps: ["tools", "1", "name"] },
  ]);
});

test("a problem of the whole is shown at its beginning", () => {
  const told = new ApiError("Invalid agent name 'a b'", { status: 400 });
  expect(toAgentProblems(told)).toEqual([{ message: "Invalid agent name 'a b'", steps: [] }]);
});
