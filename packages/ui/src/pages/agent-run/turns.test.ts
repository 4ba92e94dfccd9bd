import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../api/agent-feed.ts";
import { toItems } from "./turns.ts";

let last = 0;
const event = (type: string, more: Partial<AgentEvent> = {}): AgentEvent => ({
  id: ++last,
  type,
  executionId: "run",
  timestamp: 0,
  ...more,
});
const thinks = (ref: string, more: Partial<AgentEvent> = {}) =>
  event("thinking", { content: ref, taskId: ref, ...more });

describe("a run as turns", () => {
  test("a model has spoken when something follows in the same run", () => {
    const items = toItems([thinks("a_llm__1"), thinks("b_llm__1", { executionId: "inside" })]);
    expect(items).toMatchObject([
      { kind: "model", agent: "a", turn: 1, isOver: false },
      { kind: "model", agent: "b", turn: 1, isOver: false },
    ]);
    const more = toItems([thinks("a_llm__1"), event("tool_call", { toolName: "x" }), thinks("a_llm__2")]);
    expect(more).toMatchObject([{ isOver: true }, { kind: "tool" }, { turn: 2, isOver: false }]);
  });

  test("of two calls of one tool at once each has its own result", () => {
    const call = (taskRefName: string) => event("tool_call", { toolName: "find", taskRefName });
    const result = (taskRefName: string) =>
      event("tool_result", { toolName: "find", taskRefName, result: taskRefName });
    const items = toItems([call("one"), call("two"), result("two"), result("one")]);
    expect(items.map((item) => (item.kind === "tool" ? item.result?.result : undefined))).toEqual(["one", "two"]);
  });

  test("a framework's results belong to the oldest call that is open", () => {
    const items = toItems([
      event("tool_call", { toolName: "find", args: { q: 1 } }),
      event("tool_result", { toolName: "find", result: 1 }),
      event("tool_call", { toolName: "find", args: { q: 2 } }),
      event("tool_result", { toolName: "other", result: 3 }),
    ]);
    expect(items.map((item) => (item.kind === "tool" ? item.result?.result : ""))).toEqual([1, undefined, 3]);
  });

  test("a pause is a note, a question is not", () => {
    const items = toItems([event("waiting", { pendingTool: {} }), event("waiting", { taskId: "h", pendingTool: {} })]);
    expect(items.map(({ kind }) => kind)).toEqual(["note", "question"]);
  });
});
