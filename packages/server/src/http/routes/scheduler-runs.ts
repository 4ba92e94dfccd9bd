import type { Runtime } from "../../runtime/runtime.ts";
import { parseRunQuery, parseRunSort, parseRunText } from "../../scheduler/run-search.ts";
import type { Scheduler } from "../../scheduler/scheduler.ts";
import { type Api, json } from "../api.ts";
import { invalidInput } from "../errors.ts";
import { answerModel, scheduleRunPageModel, texts, wholeNumber } from "../models.ts";
import { textOr } from "../parameters.ts";
import { sendValue } from "../reply.ts";
import { searchParameters } from "../search.ts";
import { toRecord } from "../wire/schedule-run.ts";

const statusModel = answerModel("SchedulerStatus", { status: { type: "string" } });
const requeueModel = answerModel("SchedulerRequeue", { "recordIds.size": wholeNumber, sampleIds: texts });

/** What came of schedules, and the scheduler of this node. */
export function schedulerRunRoutes(api: Api, { store }: Runtime, scheduler: Scheduler): void {
  api.get(
    "/scheduler/search/executions",
    {
      summary: "Search the runs of schedules",
      query: {
        ...searchParameters,
        query: textOr("", "Comparisons joined by AND: `scheduleName IN (nightly) AND state = FAILED`"),
        freeText: textOr("*", "A part of the schedule's name, of the workflow's name or of the execution's id"),
      },
      answers: { 200: json(scheduleRunPageModel, "A page of them, latest slot first when nothing else is asked for") },
    },
    async ({ query: { start, size, sort, freeText, query } }, reply) => {
      if (start < 0) throw invalidInput(`Expected start to be 0 or more, got ${start}`);
      if (size < 0) throw invalidInput(`Expected size to be 0 or more, got ${size}`);
      const { totalHits, results } = await store.search.runs({
        where: parseRunQuery(query),
        text: parseRunText(freeText),
        sort: parseRunSort(sort),
        start,
        size,
      });
      return sendValue(reply, { totalHits, results: results.map(toRecord) });
    },
  );

  api.get(
    "/scheduler/admin/pause",
    {
      summary: "Fire no schedules on this node",
      description: "Until it is told to go on, or started again. Other nodes fire them.",
      answers: { 200: json(statusModel, "Done; slots in hand are finished") },
    },
    async (_call, reply) => {
      await scheduler.hold();
      return sendValue(reply, { status: "done" });
    },
  );

  api.get(
    "/scheduler/admin/resume",
    { summary: "Fire schedules on this node again", answers: { 200: json(statusModel, "Done") } },
    (_call, reply) => {
      scheduler.goOn();
      return sendValue(reply, { status: "done" });
    },
  );

  api.get(
    "/scheduler/admin/requeue",
    {
      summary: "Records that were left half done",
      description: "There are none: a slot's record and its execution are one commit.",
      answers: { 200: json(requeueModel, "How many, and some of them") },
    },
    (_call, reply) => sendValue(reply, { sampleIds: [], "recordIds.size": 0 }),
  );
}
