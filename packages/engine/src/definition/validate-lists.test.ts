import { expect, test } from "vitest";
import { validateTaskDefList, validateWorkflowDefList } from "./validate-lists.ts";

test("a list of task definitions must be there and hold something", () => {
  const path = "registerTaskDef.arg0";
  expect(validateTaskDefList([], path)).toEqual([{ path, message: "TaskDefList is empty" }]);
  expect(validateTaskDefList(null, path)).toEqual([{ path, message: "TaskDefList cannot be empty or null" }]);
  expect(validateTaskDefList([{}], path)).toEqual([]);
});

test("a list of workflow definitions must hold something, and nothing that is null", () => {
  const path = "updateWorkflowDef.arg0";
  expect(validateWorkflowDefList([], path)).toEqual([{ path, message: "WorkflowDefList is empty" }]);
  expect(validateWorkflowDefList([{}, null], path)).toEqual([
    { path: "updateWorkflowDef.arg0[1].<list element>", message: "WorkflowDef cannot be null" },
  ]);
  expect(validateWorkflowDefList([{}], path)).toEqual([]);
});
