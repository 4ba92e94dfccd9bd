import type { Runtime } from "../../runtime/runtime.ts";
import type { Schedule } from "../../scheduler/schedule.ts";
import { scheduleModel } from "../../scheduler/schedule.ts";
import { InvalidSchedule } from "../../scheduler/schedule-rules.ts";
import { findSchedules } from "../../scheduler/schedule-search.ts";
import type { Scheduler } from "../../scheduler/scheduler.ts";
import { nextSlots } from "../../scheduler/slots.ts";
import { type Api, json, nothing } from "../api.ts";
import { jsonBody, textsBody } from "../body.ts";
import { invalidInput, notFound } from "../errors.ts";
import {
  bulkResponseModel,
  listOf,
  scheduleAnswer,
  schedulePageModel,
  scheduleRunModel,
  wholeNumber,
} from "../models.ts";
import { integer, optionalFlag, text, textOr } from "../parameters.ts";
import { type Reply, sendValue } from "../reply.ts";
import { toRecord } from "../wire/schedule-run.ts";

const MOST_TIMES = 1000;

/** Schedules: what is started when. */
export function schedulerRoutes(api: Api, { clock }: Runtime, scheduler: Scheduler): void {
  const { schedules } = scheduler;
  const done = { 200: nothing() };
  const one = { 200: json(scheduleAnswer, "The schedule") };

  const noSuchSchedule = (name: string) => notFound(`Schedule '${name}' not found`);

  const existing = (name: string): Schedule => {
    const schedule = schedules.find(name);
    if (schedule === undefined) throw noSuchSchedule(name);
    return schedule;
  };

  const shown = (schedule: Schedule) => {
    const nextRunTime = scheduler.nextRunTime(schedule);
    return nextRunTime === undefined ? schedule : { ...schedule, nextRunTime };
  };

  /** Each name for itself. */
  const eachOf = async (
    names: readonly string[],
    change: (name: string) => Promise<boolean>,
    reply: Reply,
  ): Promise<Reply> => {
    const failed = new Map<string, string>();
    const bulkSuccessfulResults: string[] = [];
    for (const name of names) {
      if (await change(name)) bulkSuccessfulResults.push(name);
      else failed.set(name, noSuchSchedule(name).message);
    }
    return sendValue(reply, { bulkErrorResults: Object.fromEntries(failed), bulkSuccessfulResults });
  };

  api.post(
    "/scheduler/schedules",
    {
      summary: "Create a schedule, or replace it",
      description:
        "Its next slot is the first one after now. A schedule that cannot be fired is refused with the field and the reason.",
      body: jsonBody(scheduleModel, "The schedule; its name tells which one it is"),
      answers: one,
    },
    async ({ body }, reply) => {
      try {
        return sendValue(reply, shown(await schedules.save(scheduleModel(body, ""))));
      } catch (error) {
        if (error instanceof InvalidSchedule) throw invalidInput(error.message);
        throw error;
      }
    },
  );

  api.get(
    "/scheduler/schedules",
    {
      summary: "All schedules",
      query: { workflowName: text("Only those that start this workflow") },
      answers: { 200: json(listOf(scheduleAnswer), "By name") },
    },
    ({ query: { workflowName } }, reply) => {
      const wanted = schedules
        .all()
        .filter(({ startWorkflowRequest: { name } }) => workflowName === undefined || name === workflowName);
      return sendValue(reply, wanted.map(shown));
    },
  );

  api.get(
    "/scheduler/schedules/search",
    {
      summary: "Search schedules",
      query: {
        workflowName: text("The workflow they start"),
        scheduleName: text("A part of their name, in any case"),
        paused: optionalFlag("Only those that are paused, or only those that are not"),
        freeText: textOr("*", "A part of the name, of the workflow's name or of the description"),
        start: integer(0, "Hits to pass over"),
        size: integer(100, "At most this many"),
        sort: text("`name`, `createTime`, `updatedTime` or `nextRunTime`, with `:ASC` or `:DESC`"),
      },
      answers: { 200: json(schedulePageModel, "A page of them, by name when nothing else is asked for") },
    },
    ({ query: { start, size, ...wanted } }, reply) => {
      if (start < 0) throw invalidInput(`Expected start to be 0 or more, got ${start}`);
      if (size < 0) throw invalidInput(`Expected size to be 0 or more, got ${size}`);
      const found = findSchedules(schedules.all(), wanted, (schedule) => scheduler.nextRunTime(schedule));
      return sendValue(reply, { totalHits: found.length, results: found.slice(start, start + size).map(shown) });
    },
  );

  api.get("/scheduler/schedules/:name", { summary: "A schedule", answers: one }, ({ params: { name } }, reply) =>
    sendValue(reply, shown(existing(name))),
  );

  api.delete(
    "/scheduler/schedules/:name",
    {
      summary: "Delete a schedule",
      description: "Its records stay.",
      answers: { 204: nothing("Gone, or never there") },
    },
    async ({ params: { name } }, reply) => {
      await schedules.remove(name);
      return reply.code(204).send();
    },
  );

  api.put(
    "/scheduler/schedules/:name/pause",
    { summary: "Pause a schedule", query: { reason: text("Kept as pausedReason") }, answers: done },
    async ({ params: { name }, query: { reason } }, reply) => {
      if (!(await schedules.pause(name, reason))) throw noSuchSchedule(name);
      return reply.send();
    },
  );

  api.put(
    "/scheduler/schedules/:name/resume",
    {
      summary: "Resume a paused schedule",
      description: "Slots that passed meanwhile are not made up for. One that is not paused stays as it is.",
      answers: done,
    },
    async ({ params: { name } }, reply) => {
      if (!(await schedules.resume(name))) throw noSuchSchedule(name);
      return reply.send();
    },
  );

  api.put(
    "/scheduler/bulk/pause",
    {
      summary: "Pause several schedules",
      body: textsBody("Their names"),
      answers: { 200: json(bulkResponseModel, "Which") },
    },
    ({ body }, reply) => eachOf(body, (name) => schedules.pause(name, undefined), reply),
  );

  api.put(
    "/scheduler/bulk/resume",
    {
      summary: "Resume several schedules",
      body: textsBody("Their names"),
      answers: { 200: json(bulkResponseModel, "Which") },
    },
    ({ body }, reply) => eachOf(body, (name) => schedules.resume(name), reply),
  );

  api.post(
    "/scheduler/schedules/:name/run",
    {
      summary: "Run a schedule now",
      description: "Beside its slots, and also while it is paused. The answer is the record, as for a slot.",
      answers: { 200: json(scheduleRunModel, "What came of it") },
    },
    async ({ params: { name } }, reply) => sendValue(reply, toRecord(await scheduler.runNow(existing(name)))),
  );

  api.get(
    "/scheduler/schedules/:name/next",
    {
      summary: "The next slots of a schedule",
      description: "Within its start and end, in its own time zones, also while it is paused.",
      query: { limit: integer(20, `At most this many, and ${MOST_TIMES}`) },
      answers: { 200: json(listOf(wholeNumber), "Epoch milliseconds") },
    },
    ({ params: { name }, query: { limit } }, reply) =>
      sendValue(reply, nextSlots(existing(name), clock(), Math.max(0, Math.min(limit, MOST_TIMES)))),
  );
}
