import { PencilLine } from "lucide-react";
import { isTaskOpen } from "../../lib/status.ts";
import { type Action, readObject, type TaskSubject } from "../action.ts";

export const update: Action<TaskSubject> = {
  id: "update",
  label: "Update",
  icon: PencilLine,
  obstacle: ({ task }) => (isTaskOpen(task.status) ? undefined : "The task has ended"),
  preview: ({ task }) => [
    `${task.referenceTaskName} is updated as if its worker had reported this.`,
    "When it ends, what follows runs; a worker that still has it will be refused.",
  ],
  fields: [
    {
      name: "status",
      label: "Status",
      kind: { options: ["COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR", "IN_PROGRESS"] },
      initial: () => "COMPLETED",
    },
    { name: "outputData", label: "Output", kind: "json", initial: () => "{}" },
    { name: "reason", label: "Reason", kind: "text", hint: "Where it failed", initial: () => "" },
  ],
  toRequest: ({ task }, values) => ({
    method: "POST",
    path: "/tasks",
    body: {
      workflowInstanceId: task.workflowId,
      taskId: task.taskId,
      status: values["status"],
      outputData: readObject(values, "outputData"),
      ...(values["reason"] ? { reasonForIncompletion: values["reason"] } : {}),
    },
  }),
  done: "Updated",
};
