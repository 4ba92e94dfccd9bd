export type WorkflowStatus = "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "TIMED_OUT" | "TERMINATED";

export type TaskStatus =
  | "SCHEDULED"
  | "IN_PROGRESS"
  | "COMPLETED"
  | "COMPLETED_WITH_ERRORS"
  | "SKIPPED"
  | "FAILED"
  | "FAILED_WITH_TERMINAL_ERROR"
  | "TIMED_OUT"
  | "CANCELED";

/** What a worker may report. */
export type ResultStatus = "IN_PROGRESS" | "COMPLETED" | "FAILED" | "FAILED_WITH_TERMINAL_ERROR";

const workflowTerminal: Record<WorkflowStatus, boolean> = {
  RUNNING: false,
  PAUSED: false,
  COMPLETED: true,
  FAILED: true,
  TIMED_OUT: true,
  TERMINATED: true,
};

type TaskTraits = { readonly terminal: boolean; readonly successful: boolean; readonly retriable: boolean };

const taskTraits: Record<TaskStatus, TaskTraits> = {
  SCHEDULED: { terminal: false, successful: true, retriable: true },
  IN_PROGRESS: { terminal: false, successful: true, retriable: true },
  COMPLETED: { terminal: true, successful: true, retriable: true },
  COMPLETED_WITH_ERRORS: { terminal: true, successful: true, retriable: true },
  SKIPPED: { terminal: true, successful: true, retriable: false },
  FAILED: { terminal: true, successful: false, retriable: true },
  FAILED_WITH_TERMINAL_ERROR: { terminal: true, successful: false, retriable: false },
  TIMED_OUT: { terminal: true, successful: false, retriable: true },
  CANCELED: { terminal: true, successful: false, retriable: false },
};

export const isWorkflowTerminal = (status: WorkflowStatus): boolean => workflowTerminal[status];
export const isTerminal = (status: TaskStatus): boolean => taskTraits[status].terminal;
export const isSuccessful = (status: TaskStatus): boolean => taskTraits[status].successful;
export const isRetriable = (status: TaskStatus): boolean => taskTraits[status].retriable;
export const isUnsuccessful = (status: TaskStatus): boolean =>
  taskTraits[status].terminal && !taskTraits[status].successful;
