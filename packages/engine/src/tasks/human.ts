import type { TaskType } from "../registry.ts";

/** HUMAN: open until someone updates or signals it. */
export const human: TaskType = { type: "HUMAN", mode: "waits", initialStatus: "IN_PROGRESS" };
