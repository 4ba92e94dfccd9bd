/** How a status looks. A status nobody told us of is quiet: grey, with its own name. */
export type Tone = "running" | "good" | "bad" | "late" | "held" | "stopped" | "quiet";

const tones: Readonly<Record<string, Tone>> = {
  RUNNING: "running",
  COMPLETED: "good",
  FAILED: "bad",
  TIMED_OUT: "late",
  TERMINATED: "stopped",
  PAUSED: "held",
  SCHEDULED: "held",
  IN_PROGRESS: "running",
  COMPLETED_WITH_ERRORS: "late",
  FAILED_WITH_TERMINAL_ERROR: "bad",
  CANCELED: "stopped",
  SKIPPED: "quiet",
  ACTIVE: "good",
  INACTIVE: "quiet",
  EXECUTED: "good",
  UPLOADED: "good",
  UPLOADING: "held",
};

export const toneOf = (status: string): Tone => (Object.hasOwn(tones, status) ? (tones[status] ?? "quiet") : "quiet");

/** "FAILED_WITH_TERMINAL_ERROR" → "Failed with terminal error" */
export function statusLabel(status: string): string {
  const text = status.toLowerCase().replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const workflowStatuses = ["RUNNING", "PAUSED", "COMPLETED", "FAILED", "TIMED_OUT", "TERMINATED"] as const;

const openTaskStatuses = new Set(["SCHEDULED", "IN_PROGRESS"]);
export const isTaskOpen = (status: string): boolean => openTaskStatuses.has(status);

const failedTaskStatuses = new Set(["FAILED", "FAILED_WITH_TERMINAL_ERROR", "TIMED_OUT"]);
export const isTaskFailed = (status: string): boolean => failedTaskStatuses.has(status);

const openStatuses = new Set(["RUNNING", "PAUSED"]);
export const isExecutionOpen = (status: string): boolean => openStatuses.has(status);
