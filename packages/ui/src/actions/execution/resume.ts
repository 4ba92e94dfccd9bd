import { Play } from "lucide-react";
import { path } from "../../api/client.ts";
import type { Action, Subject } from "../action.ts";

export const resume: Action<Subject> = {
  id: "resume",
  label: "Resume",
  icon: Play,
  obstacle: ({ execution }) => (execution.status === "PAUSED" ? undefined : "It is not paused"),
  preview: () => ["It goes on where it stands."],
  fields: [],
  toRequest: ({ execution }) => ({ method: "PUT", path: path`/workflow/${execution.workflowId}/resume` }),
  done: "Resumed",
};
