import type { JsonObject } from "@downbeat/engine";
import type { ScheduleRun } from "@downbeat/store";
import type { Schedule, ScheduledRequest } from "./schedule.ts";

/** Runs that somebody asked for are of no cron expression. */
export const BY_HAND = -1;

const LONGEST_REASON = 999;

/** One firing of a schedule, before anything came of it. */
export type Firing = {
  readonly schedule: Schedule;
  readonly entry: number;
  readonly slotAt: number;
  readonly firedAt: number;
  readonly runId: string;
  readonly cronExpression: string;
  readonly zone: string;
};

/** The record of a run that has started an execution. */
export const toRun = ({ schedule, entry, slotAt, firedAt, runId, zone }: Firing): ScheduleRun => ({
  id: runId,
  schedule: schedule.name,
  entry,
  slotAt,
  firedAt,
  workflowName: schedule.startWorkflowRequest.name,
  state: "EXECUTED",
  zone,
  request: JSON.stringify(schedule.startWorkflowRequest),
});

export const toFailedRun = (firing: Firing, reason: string): ScheduleRun => ({
  ...toRun(firing),
  state: "FAILED",
  reason: reason.slice(0, LONGEST_REASON),
});

/** What the started execution finds in its input beside what the schedule gives it. */
export const injectedInput = ({ schedule, slotAt, firedAt, runId, cronExpression, zone }: Firing): JsonObject => ({
  _scheduledTime: slotAt,
  _executedTime: firedAt,
  _startedByScheduler: schedule.name,
  _executionId: runId,
  _schedulerCron: `${cronExpression} ${zone}`,
});

/** The schedule's request with its templates filled in. Placeholders nobody knows stay. */
export function requestOf(firing: Firing): ScheduledRequest {
  const { schedule, slotAt, firedAt, runId } = firing;
  const { startWorkflowRequest: request, createdBy } = schedule;
  const known: Readonly<Record<string, string>> = {
    scheduledTime: String(slotAt),
    executedTime: String(firedAt),
    scheduleName: schedule.name,
    executionId: runId,
  };
  const correlationId = request.correlationId?.replace(
    /\$\{(scheduledTime|executedTime|scheduleName|executionId)\}/g,
    (_placeholder, name: string) => known[name] ?? "",
  );
  return {
    ...request,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(createdBy === "" ? {} : { createdBy }),
  };
}
