import { RotateCcw } from "lucide-react";
import { path } from "../../api/client.ts";
import { isExecutionOpen } from "../../lib/status.ts";
import type { Action, Subject } from "../action.ts";

export const restart: Action<Subject> = {
  id: "restart",
  label: "Restart",
  icon: RotateCcw,
  obstacle: ({ execution }) => (isExecutionOpen(execution.status) ? "It has not ended" : undefined),
  preview: ({ execution, tasks }) => [
    "It starts anew from the beginning, under the same id and with the same input.",
    `Its ${tasks.length} tasks and its output are given up.`,
    `It runs version ${execution.workflowVersion} of ${execution.workflowName}, unless you choose the latest.`,
  ],
  fields: [{ name: "useLatestDefinitions", label: "With the latest definition", kind: "flag", initial: () => "false" }],
  toRequest: ({ execution }, { useLatestDefinitions }) => ({
    method: "POST",
    path: path`/workflow/${execution.workflowId}/restart`,
    query: { useLatestDefinitions: useLatestDefinitions === "true" ? true : undefined },
  }),
  done: "Restarted",
};
