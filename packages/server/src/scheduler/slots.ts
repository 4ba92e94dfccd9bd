import { type CronExpression, nextTime, parseCron } from "./cron/cron.ts";
import type { Schedule } from "./schedule.ts";
import { cronsOf, zoneOf } from "./schedule-rules.ts";

/** The slots of one of a schedule's cron expressions, within the schedule's window. */
export type Slots = {
  readonly cronExpression: string;
  readonly zone: string;
  /** The first one after a time (epoch ms); undefined when there is none. */
  readonly after: (time: number) => number | undefined;
};

/** One for each cron expression, in order. */
export function slotsOf(schedule: Schedule): readonly Slots[] {
  const { scheduleStartTime = 0, scheduleEndTime = Number.POSITIVE_INFINITY } = schedule;
  return cronsOf(schedule).map((cron) => {
    const { cronExpression = "" } = cron;
    const zone = zoneOf(cron);
    let parsed: CronExpression | undefined;
    return {
      cronExpression,
      zone,
      after(time) {
        parsed ??= parseCron(cronExpression);
        // Start and end themselves count.
        const slot = nextTime(parsed, Math.max(time, scheduleStartTime - 1), zone);
        return slot === undefined || slot > scheduleEndTime ? undefined : slot;
      },
    };
  });
}

/** The next slots of a schedule after a time, whichever expression they are of: the first `most`. */
export function nextSlots(schedule: Schedule, time: number, most: number): readonly number[] {
  const times = new Set<number>();
  for (const { after } of slotsOf(schedule)) {
    let slot = after(time);
    for (let count = 0; slot !== undefined && count < most; count++) {
      times.add(slot);
      slot = after(slot);
    }
  }
  return [...times].sort((a, b) => a - b).slice(0, most);
}
