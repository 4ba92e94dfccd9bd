import type { FullDefinition } from "../../api/definitions.ts";
import { forEachEntry } from "../../graph/progress.ts";

/** Run as they are in a test: they need no made-up results. */
const runThemselves = new Set([
  "INLINE",
  "JSON_JQ_TRANSFORM",
  "SWITCH",
  "FORK_JOIN",
  "FORK_JOIN_DYNAMIC",
  "JOIN",
  "EXCLUSIVE_JOIN",
  "DO_WHILE",
  "SET_VARIABLE",
  "TERMINATE",
  "NOOP",
  "SUB_WORKFLOW",
]);

/** Requests for the children that a definition starts, with nothing made up yet. */
export function firstChildren({ tasks }: FullDefinition): Readonly<Record<string, object>> {
  const children: Record<string, object> = {};
  forEachEntry(tasks, ({ taskReferenceName, type, subWorkflowParam }) => {
    if (type !== "SUB_WORKFLOW") return;
    children[taskReferenceName] = { name: subWorkflowParam?.name ?? "", taskRefToMockOutput: {} };
  });
  return children;
}

/** One good result for every task that needs one: something to begin with. */
export function firstMocks({ tasks }: FullDefinition): Readonly<Record<string, readonly object[]>> {
  const mocks: Record<string, readonly object[]> = {};
  forEachEntry(tasks, ({ taskReferenceName, type }) => {
    if (!runThemselves.has(type)) mocks[taskReferenceName] = [{ status: "COMPLETED", output: {} }];
  });
  return mocks;
}
