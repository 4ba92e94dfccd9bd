import type { TaskType } from "../registry.ts";

/** YIELD: a wait that only a signal or an update ends. */
export const yieldTask: TaskType = { type: "YIELD", mode: "waits", initialStatus: "IN_PROGRESS" };
