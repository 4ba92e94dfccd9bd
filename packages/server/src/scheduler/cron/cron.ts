export { CronError } from "./cron-error.ts";
export { nextTime } from "./next-time.ts";
export { type CronExpression, parseCron } from "./parse.ts";
export { isZone } from "./zone.ts";
