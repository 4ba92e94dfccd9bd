import { Pause } from "lucide-react";
import { path } from "../../api/client.ts";
import { isTaskOpen } from "../../lib/status.ts";
import { type Action, listNames, type Subject } from "../action.ts";

export const pause: Action<Subject> = {
  id: "pause",
  label: "Pause",
  icon: Pause,
  obstacle: ({ execution }) => (execution.status === "RUNNING" ? undefined : "It is not running"),
  preview: ({ tasks }) => {
    const open = tasks.filter(({ status }) => isTaskOpen(status));
    return [
      "Nothing more is scheduled until it is resumed.",
      open.length === 0
        ? "No task is open."
        : `What is open goes on: ${listNames(open.map((t) => t.referenceTaskName))}.`,
    ];
  },
  fields: [],
  toRequest: ({ execution }) => ({ method: "PUT", path: path`/workflow/${execution.workflowId}/pause` }),
  done: "Paused",
};
