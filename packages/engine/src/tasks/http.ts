import type { TaskType } from "../registry.ts";

/** HTTP: a call the server makes itself, outside the transition. */
export const http: TaskType = {
  type: "HTTP",
  mode: "outside",
  initialStatus: "SCHEDULED",
  mapInput: ({ entry, resolved }) => ({ asyncComplete: entry.task.asyncComplete, ...resolved }),
};
