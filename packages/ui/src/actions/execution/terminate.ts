import { CircleStop } from "lucide-react";
import { path } from "../../api/client.ts";
import { isExecutionOpen, isTaskOpen } from "../../lib/status.ts";
import { type Action, listNames, type Subject } from "../action.ts";

export const terminate: Action<Subject> = {
  id: "terminate",
  label: "Terminate",
  icon: CircleStop,
  isDanger: true,
  obstacle: ({ execution }) => (isExecutionOpen(execution.status) ? undefined : "It has ended"),
  preview: ({ execution, tasks }) => {
    const open = tasks.filter(({ status }) => isTaskOpen(status));
    const failure = execution.workflowDefinition.failureWorkflow;
    return [
      "It ends now, as TERMINATED.",
      open.length === 0 ? "No task is open." : `Cancelled: ${listNames(open.map((task) => task.referenceTaskName))}.`,
      ...(failure ? [`Its failure workflow, ${failure}, starts only if you say so.`] : []),
    ];
  },
  fields: [
    { name: "reason", label: "Reason", kind: "text", hint: "Kept with the execution", initial: () => "" },
    { name: "triggerFailureWorkflow", label: "Start its failure workflow", kind: "flag", initial: () => "false" },
  ],
  toRequest: ({ execution }, { reason = "", triggerFailureWorkflow }) => ({
    method: "DELETE",
    path: path`/workflow/${execution.workflowId}`,
    query: {
      reason: reason.trim() === "" ? undefined : reason.trim(),
      triggerFailureWorkflow: triggerFailureWorkflow === "true" ? true : undefined,
    },
  }),
  done: "Terminated",
};
