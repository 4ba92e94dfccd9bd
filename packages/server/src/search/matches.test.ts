import type { Head } from "@downbeat/engine";
import type { Clause, WorkflowField } from "@downbeat/store";
import { expect, test } from "vitest";
import { matches } from "./matches.ts";

const head = {
  id: "01900000-0000-7000-8000-000000000000",
  workflowName: "Orders",
  workflowVersion: 2,
  status: "FAILED",
  createTime: 100,
  updateTime: 150,
  endTime: 200,
  priority: 0,
  correlationId: "c-1",
  failedReferenceTaskNames: ["a", "b"],
} as unknown as Head;

const clause = (field: WorkflowField, op: Clause<WorkflowField>["op"], ...values: (string | number)[]) =>
  ({ field, op, values }) as const;

test.each([
  [clause("workflowType", "=", "Orders"), true],
  [clause("workflowType", "=", "orders"), false],
  [clause("workflowType", "=", "ord*"), true],
  [clause("workflowType", "IN", "ord*"), false],
  [clause("workflowType", "!=", "*x*"), true],
  [clause("status", "IN", "RUNNING", "FAILED"), true],
  [clause("version", ">", 1), true],
  [clause("version", ">=", 3), false],
  [clause("startTime", "<", 101), true],
  [clause("endTime", "<=", 199), false],
  [clause("executionTime", "=", 100), true],
  [clause("parentWorkflowId", "=", ""), true],
  [clause("failedReferenceTaskNames", "=", "a,b"), true],
  [clause("classifier", "=", "WORKFLOW"), true],
])("%j is %s", (where, expected) => {
  expect(matches([where], head, { metadata: {} })).toBe(expected);
  expect(matches([clause("correlationId", "=", "c-1"), where], head, undefined)).toBe(expected);
  expect(matches([where, clause("correlationId", "=", "other")], head, { metadata: {} })).toBe(false);
});
