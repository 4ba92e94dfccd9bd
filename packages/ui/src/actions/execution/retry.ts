import { RefreshCw } from "lucide-react";
import { path } from "../../api/client.ts";
import { isExecutionOpen, isTaskFailed } from "../../lib/status.ts";
import { type Action, listNames, type Subject } from "../action.ts";

export const retry: Action<Subject> = {
  id: "retry",
  label: "Retry",
  icon: RefreshCw,
  obstacle: ({ execution }) => {
    if (isExecutionOpen(execution.status)) return "It has not ended";
    return execution.status === "COMPLETED" ? "It completed: there is nothing to retry" : undefined;
  },
  preview: ({ execution, tasks }) => {
    const failed = execution.failedReferenceTaskNames.length
      ? execution.failedReferenceTaskNames
      : [...new Set(tasks.filter(({ status }) => isTaskFailed(status)).map((task) => task.referenceTaskName))];
    return [
      failed.length === 0
        ? "What was cut off is scheduled again."
        : `Tried again, each as a new attempt: ${listNames(failed)}.`,
      "Everything that completed stays as it is.",
    ];
  },
  fields: [
    {
      name: "resumeSubworkflowTasks",
      label: "Go on inside failed sub-workflows instead of starting new ones",
      kind: "flag",
      initial: () => "false",
    },
  ],
  toRequest: ({ execution }, { resumeSubworkflowTasks }) => ({
    method: "POST",
    path: path`/workflow/${execution.workflowId}/retry`,
    query: { resumeSubworkflowTasks: resumeSubworkflowTasks === "true" ? true : undefined },
  }),
  done: "Retried",
};
