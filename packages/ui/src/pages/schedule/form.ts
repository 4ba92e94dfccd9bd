import type { Schedule } from "../../api/schedules.ts";
import type { JsonObject } from "../../api/types.ts";

export type CronTime = { readonly cronExpression: string; readonly zoneId: string };

/** When a schedule fires: its list of times, or its one. */
export function timesOf({ cronSchedules = [], cronExpression = "", zoneId = "UTC" }: Schedule): readonly CronTime[] {
  if (cronSchedules.length === 0) return [{ cronExpression, zoneId }];
  return cronSchedules.map((one) => ({ cronExpression: one.cronExpression, zoneId: one.zoneId ?? "UTC" }));
}

/** What the form for a schedule holds. */
export type ScheduleForm = {
  readonly name: string;
  readonly description: string;
  readonly times: readonly CronTime[];
  readonly workflow: string;
  readonly version: string;
  readonly correlationId: string;
  readonly input: string;
  readonly catchesUp: boolean;
};

export function toForm(schedule: Schedule | undefined, zoneId: string): ScheduleForm {
  const request = schedule?.startWorkflowRequest;
  return {
    name: schedule?.name ?? "",
    description: schedule?.description ?? "",
    times: schedule === undefined ? [{ cronExpression: "0 0 9 * * MON-FRI", zoneId }] : timesOf(schedule),
    workflow: request?.name ?? "",
    version: request?.version === undefined ? "" : String(request.version),
    correlationId: request?.correlationId ?? "",
    input: JSON.stringify(request?.input ?? {}, null, 2),
    catchesUp: schedule?.runCatchupScheduleInstances ?? false,
  };
}

/** The schedule to save. What the form does not ask for stays as it was. Throws when the input is no JSON. */
export function toSchedule(form: ScheduleForm, before: Schedule | undefined): JsonObject {
  const { nextRunTime: _next, cronSchedules: _times, cronExpression: _cron, zoneId: _zone, ...kept } = before ?? {};
  const {
    name: _name,
    version: _version,
    input: _input,
    correlationId: _id,
    ...request
  } = before?.startWorkflowRequest ?? {};
  const [first] = form.times;
  const when = form.times.length === 1 ? { ...first } : { cronSchedules: form.times };
  return {
    ...kept,
    name: form.name,
    ...(form.description === "" ? {} : { description: form.description }),
    ...when,
    runCatchupScheduleInstances: form.catchesUp,
    startWorkflowRequest: {
      ...request,
      name: form.workflow,
      ...(form.version === "" ? {} : { version: Number(form.version) }),
      ...(form.correlationId === "" ? {} : { correlationId: form.correlationId }),
      input: JSON.parse(form.input.trim() === "" ? "{}" : form.input),
    },
  } as JsonObject;
}
