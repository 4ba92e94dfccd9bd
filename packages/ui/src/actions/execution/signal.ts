import { BellRing } from "lucide-react";
import { path } from "../../api/client.ts";
import { isTaskOpen } from "../../lib/status.ts";
import { type Action, listNames, readObject, type Subject } from "../action.ts";

const waitingTypes = new Set(["WAIT", "HUMAN", "WAIT_FOR_WEBHOOK", "YIELD"]);

const waiting = ({ tasks }: Subject) =>
  tasks.filter(({ status, taskType }) => isTaskOpen(status) && waitingTypes.has(taskType));

export const signal: Action<Subject> = {
  id: "signal",
  label: "Signal",
  icon: BellRing,
  obstacle: (subject) => {
    if (subject.execution.status !== "RUNNING") return "It is not running";
    return waiting(subject).length === 0 ? "It does not wait for a signal" : undefined;
  },
  preview: (subject) => [
    `It waits at ${listNames(waiting(subject).map((task) => task.referenceTaskName))}.`,
    "The first of them ends with the status and the output you give, and what follows runs.",
  ],
  fields: [
    { name: "status", label: "Status", kind: { options: ["COMPLETED", "FAILED"] }, initial: () => "COMPLETED" },
    { name: "output", label: "Output", kind: "json", initial: () => "{}" },
  ],
  toRequest: ({ execution }, values) => ({
    method: "POST",
    path: path`/tasks/${execution.workflowId}/${values["status"] ?? "COMPLETED"}/signal`,
    body: readObject(values, "output"),
  }),
  done: "Signalled",
};
