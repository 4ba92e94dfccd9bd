import {
  type Fields,
  flag,
  listOf,
  long,
  type Model,
  model,
  optional,
  optionalText,
  type StartRequest,
  startRequestModel,
  textOr,
} from "@downbeat/engine";

/** One cron expression of a schedule that has several; each fires on its own. */
export type CronSchedule = { readonly cronExpression?: string; readonly zoneId: string };

/** A schedule as a caller writes it. Times of 0 count as absent. */
export type GivenSchedule = {
  readonly name?: string;
  readonly cronExpression?: string;
  readonly zoneId: string;
  readonly cronSchedules: readonly CronSchedule[];
  readonly startWorkflowRequest?: StartRequest;
  readonly runCatchupScheduleInstances: boolean;
  readonly paused: boolean;
  readonly pausedReason?: string;
  readonly scheduleStartTime: number;
  readonly scheduleEndTime: number;
  readonly description?: string;
};

/** A label by which people find it again. */
export type Tag = { readonly key: string; readonly value: string; readonly type: string };

/** What a schedule starts: `input`, `taskToDomain` and `priority` are always there. */
export type ScheduledRequest = StartRequest & { readonly name: string };

/** A schedule that can be fired, in the interface's words. */
export type Schedule = Omit<
  GivenSchedule,
  "name" | "startWorkflowRequest" | "scheduleStartTime" | "scheduleEndTime"
> & {
  readonly name: string;
  readonly startWorkflowRequest: ScheduledRequest;
  readonly scheduleStartTime?: number;
  readonly scheduleEndTime?: number;
  readonly createTime: number;
  readonly updatedTime: number;
  readonly createdBy: string;
  readonly updatedBy: string;
  readonly tags?: readonly Tag[];
};

// Absent optional properties are left out by the readers, which the types of the tables cannot say.
const cronScheduleModel: Model<CronSchedule> = model(
  "CronSchedule",
  () => ({ cronExpression: optionalText, zoneId: textOr("UTC") }) as Fields<CronSchedule>,
);

export const scheduleModel: Model<GivenSchedule> = model(
  "WorkflowSchedule",
  () =>
    ({
      name: optionalText,
      cronExpression: optionalText,
      zoneId: textOr("UTC"),
      cronSchedules: listOf(cronScheduleModel),
      startWorkflowRequest: optional(startRequestModel),
      runCatchupScheduleInstances: flag(false),
      paused: flag(false),
      pausedReason: optionalText,
      scheduleStartTime: long(0),
      scheduleEndTime: long(0),
      description: optionalText,
    }) as Fields<GivenSchedule>,
);
