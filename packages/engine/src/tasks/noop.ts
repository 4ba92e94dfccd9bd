import { completed } from "../decide/outcome.ts";
import type { TaskType } from "../registry.ts";

/** NOOP: completes at once; its inputParameters are neither resolved nor kept. */
export const noop: TaskType = {
  type: "NOOP",
  mode: "instant",
  initialStatus: "IN_PROGRESS",
  mapInput: () => ({}),
  run: () => completed(),
};
