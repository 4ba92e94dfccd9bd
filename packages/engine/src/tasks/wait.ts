import { waitingWork } from "../decide/deadlines.ts";
import { completed, failedForGood, type Outcome } from "../decide/outcome.ts";
import { isPlainObject } from "../decide/schedule.ts";
import { renderText } from "../expression/render-text.ts";
import type { Json, JsonObject } from "../json.ts";
import type { TaskType } from "../registry.ts";
import { parseWaitDuration } from "../time/wait-duration.ts";
import { parseWaitUntil } from "../time/wait-until.ts";

const FOREVER_SECONDS = 2_147_483_647;

/** WAIT: until a time, for a duration, or for a signal. */
export const wait: TaskType = {
  type: "WAIT",
  mode: "waits",
  initialStatus: "IN_PROGRESS",
  run(t, task, entry) {
    const input = t.input(task.no).value;
    const end = waitEnd(isPlainObject(input) ? (input as JsonObject) : {}, t.now);
    if (end.kind === "invalid") return failedForGood(end.reason);
    const until = end.kind === "signal" ? 0 : end.at;
    const started = t.patchTask(task.no, {
      startTime: t.now,
      callbackAfterSeconds: until === 0 ? FOREVER_SECONDS : Math.max(0, Math.round((until - t.now) / 1000)),
      ...(until === 0 ? {} : { waitTimeout: until }),
    });
    if (until > 0 && until <= t.now) return endOfWait();
    t.putWork(task.no, waitingWork(started, entry, until));
    return undefined;
  },
  onTimer(t, task): Outcome | undefined {
    return task.waitTimeout !== undefined && t.now >= task.waitTimeout ? endOfWait() : undefined;
  },
};

const endOfWait = (): Outcome => completed();

type WaitEnd =
  | { readonly kind: "signal" }
  | { readonly kind: "at"; readonly at: number }
  | { readonly kind: "invalid"; readonly reason: string };

function waitEnd(input: JsonObject, now: number): WaitEnd {
  const duration = textOf(input["duration"]);
  const until = textOf(input["until"]);
  if (duration !== "" && until !== "") {
    return { kind: "invalid", reason: "Both 'duration' and 'until' specified. Please provide only one input" };
  }
  if (duration !== "") {
    const ms = parseWaitDuration(duration);
    return ms === undefined
      ? { kind: "invalid", reason: `Not valid duration: ${duration}` }
      : { kind: "at", at: now + ms };
  }
  if (until !== "") {
    const at = parseWaitUntil(until);
    return at === undefined
      ? { kind: "invalid", reason: `Invalid/Unsupported Wait Until format.  Provided: ${until}` }
      : { kind: "at", at };
  }
  return { kind: "signal" };
}

const textOf = (value: Json | undefined): string =>
  value === undefined || value === null ? "" : renderText(value).trim();
