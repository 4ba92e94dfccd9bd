import type { Runtime } from "../../runtime/runtime.ts";
import { CronError, type CronExpression, isZone, nextTime, parseCron } from "../../scheduler/cron/cron.ts";
import { type Api, json } from "../api.ts";
import { invalidInput } from "../errors.ts";
import { listOf, wholeNumber } from "../models.ts";
import { integer, optionalInteger, requiredText, textOr } from "../parameters.ts";
import { sendValue } from "../reply.ts";

const MOST_TIMES = 1000;

/** What cron expressions mean. */
export function schedulerTimeRoutes(api: Api, { clock, config }: Runtime): void {
  api.get(
    "/scheduler/nextFewSchedules",
    {
      summary: "The next times of a cron expression",
      query: {
        cronExpression: requiredText("Six fields: second, minute, hour, day of month, month, day of week"),
        scheduleStartTime: optionalInteger("Earliest time, epoch milliseconds; now when left out"),
        scheduleEndTime: optionalInteger("Latest time, epoch milliseconds"),
        limit: integer(5, `At most this many, and ${MOST_TIMES}`),
        zoneId: textOr(config["service.scheduler.schedulerTimeZone"], "Time zone the expression is read in"),
      },
      answers: { 200: json(listOf(wholeNumber), "Epoch milliseconds; nothing is created") },
    },
    ({ query: { cronExpression, scheduleStartTime = 0, scheduleEndTime = 0, limit, zoneId } }, reply) => {
      if (!isZone(zoneId)) throw invalidInput(`Unknown time-zone ID: ${zoneId}`);
      const cron = parse(cronExpression);
      const end = scheduleEndTime > 0 ? scheduleEndTime : Number.POSITIVE_INFINITY;
      const times: number[] = [];
      // The start itself counts.
      let after = Math.max(scheduleStartTime - 1, scheduleStartTime > 0 ? 0 : clock());
      while (times.length < Math.min(limit, MOST_TIMES)) {
        const next = nextTime(cron, after, zoneId);
        if (next === undefined || next > end) break;
        times.push(next);
        after = next;
      }
      return sendValue(reply, times);
    },
  );
}

function parse(cronExpression: string): CronExpression {
  try {
    return parseCron(cronExpression);
  } catch (error) {
    if (error instanceof CronError) throw invalidInput(error.message);
    throw error;
  }
}
