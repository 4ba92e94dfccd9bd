import { Trash2 } from "lucide-react";
import { path } from "../../api/client.ts";
import { isExecutionOpen } from "../../lib/status.ts";
import type { Action, Subject } from "../action.ts";

export const remove: Action<Subject> = {
  id: "remove",
  label: "Remove",
  icon: Trash2,
  isDanger: true,
  obstacle: () => undefined,
  preview: ({ execution, tasks }) => [
    ...(isExecutionOpen(execution.status) ? ["It is terminated first."] : []),
    `The execution, its ${tasks.length} tasks and their logs are removed for good. This cannot be undone.`,
  ],
  fields: [{ name: "archiveWorkflow", label: "Keep its summary in search", kind: "flag", initial: () => "true" }],
  toRequest: ({ execution }, { archiveWorkflow }) => ({
    method: "DELETE",
    path: path`/workflow/${execution.workflowId}/remove`,
    query: { archiveWorkflow: archiveWorkflow === "true" },
  }),
  done: "Removed",
};
