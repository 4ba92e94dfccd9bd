import type { JsonObject } from "@downbeat/engine";
import type { ScheduleRun } from "@downbeat/store";

/** The record of a run as the interface shows it. */
export const toRecord = (run: ScheduleRun): JsonObject => ({
  executionId: run.id,
  scheduleName: run.schedule,
  scheduledTime: run.slotAt,
  executionTime: run.firedAt,
  workflowName: run.workflowName,
  ...(run.workflowId === undefined ? {} : { workflowId: run.workflowId }),
  ...(run.reason === undefined ? {} : { reason: run.reason }),
  startWorkflowRequest: JSON.parse(run.request) as JsonObject,
  state: run.state,
  zoneId: run.zone,
});
