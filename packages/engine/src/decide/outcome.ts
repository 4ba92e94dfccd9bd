import type { TaskStatus } from "../execution/status.ts";
import { ExpressionFailure } from "../expression/expression-failure.ts";
import type { Resolved } from "../expression/raw-json.ts";

/** How a task's own work came out. */
export type Outcome = {
  readonly status: Exclude<TaskStatus, "SCHEDULED">;
  readonly output?: Resolved;
  readonly reason?: string;
};

export const completed = (output: Resolved = {}): Outcome => ({ status: "COMPLETED", output });
export const failed = (reason: string, output?: Resolved): Outcome => ({
  status: "FAILED",
  reason,
  ...(output === undefined ? {} : { output }),
});
export const failedForGood = (reason: string, output?: Resolved): Outcome => ({
  status: "FAILED_WITH_TERMINAL_ERROR",
  reason,
  ...(output === undefined ? {} : { output }),
});

/** A definition that cannot be mapped to tasks: the execution fails with this text and no failed task. */
export class MappingFailure extends ExpressionFailure {}
