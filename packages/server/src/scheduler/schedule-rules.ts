import { CronError, isZone, parseCron } from "./cron/cron.ts";
import type { CronSchedule, GivenSchedule, Schedule } from "./schedule.ts";

/** An index takes no longer names. */
const LONGEST_NAME = 500;

/** Why a schedule cannot be saved, in words that name the field. */
export class InvalidSchedule extends Error {
  override readonly name = "InvalidSchedule";
}

/** What of a schedule the caller decides, checked. Throws InvalidSchedule. */
export function checkSchedule(
  given: GivenSchedule,
): Omit<Schedule, "createTime" | "updatedTime" | "createdBy" | "updatedBy"> {
  const { name = "", startWorkflowRequest: request, scheduleStartTime, scheduleEndTime, ...rest } = given;
  must(name.trim() !== "", "Schedule name is required");
  must(
    name.length <= LONGEST_NAME,
    `Expected a schedule name of at most ${LONGEST_NAME} characters, got ${name.length}`,
  );
  const workflowName = request?.name ?? "";
  must(workflowName.trim() !== "", "startWorkflowRequest.name is required");
  checkCron(given);
  must(
    scheduleStartTime <= 0 || scheduleEndTime <= 0 || scheduleEndTime > scheduleStartTime,
    "scheduleEndTime must be after scheduleStartTime",
  );
  const priority = request?.priority ?? 0;
  must(priority >= 0, `priority: ${priority} should be minimum 0`);
  must(priority <= 99, `priority: ${priority} should be maximum 99`);
  return {
    name,
    ...rest,
    startWorkflowRequest: {
      ...request,
      name: workflowName,
      input: request?.input ?? {},
      taskToDomain: request?.taskToDomain ?? {},
      priority,
    },
    ...(scheduleStartTime > 0 ? { scheduleStartTime } : {}),
    ...(scheduleEndTime > 0 ? { scheduleEndTime } : {}),
  };
}

/** The cron expressions that count: a list of them replaces the one. */
export const cronsOf = ({
  cronExpression,
  zoneId,
  cronSchedules,
}: Pick<Schedule, "cronExpression" | "zoneId" | "cronSchedules">) =>
  cronSchedules.length > 0 ? cronSchedules : [{ ...(cronExpression === undefined ? {} : { cronExpression }), zoneId }];

/** A blank zone is UTC. */
export const zoneOf = ({ zoneId }: CronSchedule): string => (zoneId.trim() === "" ? "UTC" : zoneId);

function checkCron(given: GivenSchedule): void {
  for (const [index, cron] of cronsOf(given).entries()) {
    const place = given.cronSchedules.length > 0 ? ` in cronSchedules[${index}]` : "";
    const expression = cron.cronExpression ?? "";
    must(expression.trim() !== "", `cronExpression is required${place}`);
    try {
      parseCron(expression);
    } catch (error) {
      if (error instanceof CronError) throw new InvalidSchedule(`${error.message}${place}`, { cause: error });
      throw error;
    }
    must(isZone(zoneOf(cron)), `Unknown time-zone ID: ${cron.zoneId}${place}`);
  }
}

function must(isTrue: boolean, problem: string): void {
  if (!isTrue) throw new InvalidSchedule(problem);
}
