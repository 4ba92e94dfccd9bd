import { SkipForward } from "lucide-react";
import { path } from "../../api/client.ts";
import { type Action, type EntrySubject, readObject } from "../action.ts";

export const skip: Action<EntrySubject> = {
  id: "skip",
  label: "Skip",
  icon: SkipForward,
  obstacle: ({ execution, tasks, ref }) => {
    if (execution.status !== "RUNNING" && execution.status !== "PAUSED") return "The execution has ended";
    return tasks.some((task) => task.referenceTaskName === ref) ? "It was reached already" : undefined;
  },
  preview: ({ ref }) => [
    `When the execution reaches ${ref}, it is passed over as SKIPPED, with the output you give.`,
    "What follows runs as if it had completed.",
  ],
  fields: [{ name: "taskOutput", label: "Output", kind: "json", initial: () => "{}" }],
  toRequest: ({ execution, ref }, values) => ({
    method: "PUT",
    path: path`/workflow/${execution.workflowId}/skiptask/${ref}`,
    body: { taskOutput: readObject(values, "taskOutput") },
  }),
  done: "It will be skipped",
};
