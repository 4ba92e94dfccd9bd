import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get, path } from "./client.ts";
import type { JsonObject, Page } from "./types.ts";

export type Schedule = {
  readonly name: string;
  readonly description?: string;
  readonly cronExpression?: string;
  readonly zoneId?: string;
  readonly cronSchedules?: readonly { readonly cronExpression: string; readonly zoneId?: string }[];
  readonly runCatchupScheduleInstances?: boolean;
  readonly paused: boolean;
  readonly pausedReason?: string;
  readonly scheduleStartTime?: number;
  readonly scheduleEndTime?: number;
  readonly nextRunTime?: number;
  readonly startWorkflowRequest: {
    readonly name: string;
    readonly version?: number;
    readonly input?: JsonObject;
    readonly correlationId?: string;
  };
};

/** What came of one slot. */
export type ScheduleRun = {
  readonly executionId: string;
  readonly scheduleName: string;
  readonly scheduledTime: number;
  readonly executionTime: number;
  readonly workflowName: string;
  readonly workflowId?: string;
  readonly state: string;
  readonly reason?: string;
};

export const schedulesKey = ["schedules"] as const;

/** All schedules, by name. */
export const useSchedules = () =>
  useQuery({
    queryKey: schedulesKey,
    queryFn: ({ signal }) => get<readonly Schedule[]>("/scheduler/schedules", {}, signal),
  });

export const useSchedule = (name: string) =>
  useQuery({
    queryKey: [...schedulesKey, "one", name],
    queryFn: ({ signal }) => get<Schedule>(path`/scheduler/schedules/${name}`, {}, signal),
  });

const SLOTS_SHOWN = 20;

/** The next slots of a schedule, also while it is paused. */
export const useNextSlots = (name: string) =>
  useQuery({
    queryKey: [...schedulesKey, "next", name],
    queryFn: ({ signal }) =>
      get<readonly number[]>(path`/scheduler/schedules/${name}/next`, { limit: SLOTS_SHOWN }, signal),
  });

const RUNS_SHOWN = 100;

/** What came of a schedule's slots, latest first. */
export const useScheduleRuns = (name: string) =>
  useQuery({
    queryKey: [...schedulesKey, "runs", name],
    queryFn: ({ signal }) =>
      get<Page<ScheduleRun>>(
        "/scheduler/search/executions",
        { query: `scheduleName IN ('${name.replaceAll("'", "\\'")}')`, size: RUNS_SHOWN },
        signal,
      ),
  });

/** The next times of an expression that is being written; fails with what is wrong with it. */
export const useCronTimes = (cronExpression: string, zoneId: string) =>
  useQuery({
    queryKey: ["cron-times", cronExpression, zoneId],
    enabled: cronExpression.trim() !== "",
    queryFn: ({ signal }) =>
      get<readonly number[]>("/scheduler/nextFewSchedules", { cronExpression, zoneId, limit: SLOTS_SHOWN }, signal),
    placeholderData: keepPreviousData,
  });
