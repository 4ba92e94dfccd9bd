import type { WorkflowStatus } from "@downbeat/engine";

const statuses: readonly WorkflowStatus[] = ["RUNNING", "PAUSED", "COMPLETED", "FAILED", "TIMED_OUT", "TERMINATED"];

/** Statuses that a piece of a word, folded, may be a part of. They change too often to be among the texts of signatures. */
export const statusesWith = (piece: string): readonly WorkflowStatus[] =>
  statuses.filter((status) => status.toLowerCase().includes(piece));
