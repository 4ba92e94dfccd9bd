import type { TaskType } from "../registry.ts";

/** SIMPLE: polled by workers under the entry's name. */
export const simple: TaskType = { type: "SIMPLE", mode: "worker", initialStatus: "SCHEDULED" };

/** Every type nobody registered: a worker task, queued under the type. */
export const worker: TaskType = { type: "USER_DEFINED", mode: "worker", initialStatus: "SCHEDULED" };
