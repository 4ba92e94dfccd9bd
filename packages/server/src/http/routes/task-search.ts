import type { Task } from "@downbeat/engine";
import type { FoundTask } from "@downbeat/store";
import { readTasks } from "../../runtime/read-execution.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { showTask } from "../../runtime/show-payloads.ts";
import { taskFields } from "../../search/fields.ts";
import { type Api, json } from "../api.ts";
import { invalidInput } from "../errors.ts";
import { taskPageModel, taskSummaryPageModel } from "../models.ts";
import { sendJson } from "../reply.ts";
import { searchParameters, toSearch } from "../search.ts";
import { maskText } from "../wire/mask.ts";
import { taskSummaryText } from "../wire/summary.ts";

const MOST_HITS = 5000;

/** The outputs of these are put together from other tasks when they are read. */
const isView = ({ taskType }: Task): boolean => taskType === "JOIN" || taskType === "DO_WHILE";

async function viewedOutput(runtime: Runtime, { head, task }: FoundTask): Promise<string> {
  const [text = "{}"] = await readTasks(runtime, head, [task]);
  return JSON.stringify((JSON.parse(text) as { outputData?: unknown }).outputData ?? {});
}

/** Finding tasks. */
export function taskSearchRoutes(api: Api, runtime: Runtime): void {
  const { search } = runtime.store;

  const find = (request: Parameters<typeof toSearch>[0]) => {
    if (request.size > MOST_HITS)
      throw invalidInput(`Cannot return more than ${MOST_HITS} tasks. Please use pagination.`);
    return search.tasks(toSearch(request, taskFields));
  };

  api.get(
    "/tasks/search",
    {
      summary: "Find tasks",
      description: "Sees everything committed before the request.",
      query: searchParameters,
      answers: { 200: json(taskSummaryPageModel, "Summaries") },
    },
    async ({ query }, reply) => {
      const { totalHits, results } = await find(query);
      const asJson = runtime.config["service.app.summary-input-output-json-serialization.enabled"];
      const texts: string[] = [];
      for (const stored of results) {
        const found = await showTask(runtime.payloads, stored, "paths");
        const { maskedFields } = (await runtime.definitions.loadPlan(found.head.defHash)).def;
        const input = maskText(found.input.text, maskedFields);
        const output = isView(found.task)
          ? await viewedOutput(runtime, found)
          : maskText(found.output.text, maskedFields);
        texts.push(taskSummaryText({ ...found, input, output }, { asJson }));
      }
      return sendJson(reply, `{"totalHits":${totalHits},"results":[${texts.join(",")}]}`);
    },
  );

  api.get(
    "/tasks/search-v2",
    { summary: "Find tasks, whole", query: searchParameters, answers: { 200: json(taskPageModel, "Tasks") } },
    async ({ query }, reply) => {
      const { totalHits, results } = await find(query);
      const texts: string[] = [];
      for (const { head, task } of results) texts.push(...(await readTasks(runtime, head, [task])));
      return sendJson(reply, `{"totalHits":${totalHits},"results":[${texts.join(",")}]}`);
    },
  );
}
