import type { Schedule } from "./schedule.ts";

export type WantedSchedules = {
  readonly workflowName: string | undefined;
  readonly scheduleName: string | undefined;
  readonly paused: boolean | undefined;
  readonly freeText: string;
  readonly sort: string | undefined;
};

/** Those that are wanted, in the order that is asked for; by name when it is none. */
export function findSchedules(
  all: readonly Schedule[],
  { workflowName, scheduleName, paused, freeText, sort }: WantedSchedules,
  nextRunTime: (schedule: Schedule) => number | undefined,
): readonly Schedule[] {
  const text = /^[*\s]*$/.test(freeText) ? "" : freeText.trim();
  const found = all.filter(
    (schedule) =>
      (workflowName === undefined || schedule.startWorkflowRequest.name === workflowName) &&
      (scheduleName === undefined || contains(schedule.name, scheduleName)) &&
      (paused === undefined || schedule.paused === paused) &&
      (text === "" || textsOf(schedule).some((one) => contains(one, text))),
  );
  const [field = "", order = "ASC"] = (sort ?? "").split(":").map((part) => part.trim());
  const direction = order.toUpperCase() === "DESC" ? -1 : 1;
  const keyOf = (schedule: Schedule): number | undefined => {
    switch (field) {
      case "createTime":
        return schedule.createTime;
      case "updatedTime":
        return schedule.updatedTime;
      case "nextRunTime":
        return nextRunTime(schedule);
      default:
        return 0;
    }
  };
  const keys = new Map(found.map((schedule) => [schedule, keyOf(schedule)]));
  return found.sort((a, b) => {
    const [one = Number.POSITIVE_INFINITY, other = Number.POSITIVE_INFINITY] = [keys.get(a), keys.get(b)];
    if (one !== other) return one < other ? -direction : direction;
    return a.name < b.name ? -direction : direction;
  });
}

const textsOf = ({ name, startWorkflowRequest, description = "" }: Schedule): readonly string[] => [
  name,
  startWorkflowRequest.name,
  description,
];

const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());
