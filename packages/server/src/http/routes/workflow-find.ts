import type { Clause, FoundExecution, WorkflowField } from "@downbeat/store";
import { readWorkflow, workflowParts } from "../../runtime/read-execution.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { showOwn } from "../../runtime/show-payloads.ts";
import { type Api, json } from "../api.ts";
import { optionsBody, textsBody } from "../body.ts";
import { invalidInput } from "../errors.ts";
import { listOf, mapOf, texts, workflowModel } from "../models.ts";
import { flag, integer, optionalInteger } from "../parameters.ts";
import { sendJson, sendValue } from "../reply.ts";
import { workflowText } from "../wire/workflow.ts";

const PAGE = 1000;

const correlatedQuery = {
  includeClosed: flag(false, "Ended and paused ones too"),
  includeTasks: flag(false, "With their tasks"),
};

type CorrelatedOptions = { readonly includeClosed: boolean; readonly includeTasks: boolean };

/** Executions by what they were started with. */
export function workflowFindRoutes(api: Api, runtime: Runtime): void {
  api.get(
    "/workflow/running/:name",
    {
      summary: "Ids of executions of a definition",
      description: "Those that are not over; with both times, all that were created between them.",
      query: {
        version: integer(1, "Version of the definition"),
        startTime: optionalInteger("Epoch milliseconds"),
        endTime: optionalInteger("Epoch milliseconds"),
      },
      answers: { 200: json(texts, "Ids, oldest first") },
    },
    async ({ params: { name }, query: { version, startTime = 0, endTime = 0 } }, reply) => {
      const isBetween = startTime !== 0 && endTime !== 0;
      const which: Clause<WorkflowField>[] = isBetween
        ? [
            { field: "startTime", op: ">=", values: [startTime] },
            { field: "startTime", op: "<=", values: [endTime] },
          ]
        : [{ field: "status", op: "IN", values: ["RUNNING", "PAUSED"] }];
      const ids: string[] = [];
      for (;;) {
        const page = await runtime.store.search.workflowIds(
          {
            where: [
              { field: "workflowType", op: "IN", values: [name] },
              { field: "version", op: "=", values: [version] },
              ...which,
            ],
            text: [],
          },
          ids.at(-1),
          PAGE,
        );
        ids.push(...page);
        if (page.length < PAGE) return sendValue(reply, ids);
      }
    },
  );

  api.get(
    "/workflow/:name/correlated/:correlationId",
    {
      summary: "Executions with a correlation id",
      query: correlatedQuery,
      answers: { 200: json(listOf(workflowModel), "Oldest first") },
    },
    async ({ params: { name, correlationId }, query }, reply) =>
      sendJson(reply, `[${(await correlated(runtime, [name], correlationId, query)).join(",")}]`),
  );

  api.post(
    "/workflow/:name/correlated",
    {
      summary: "Executions of one definition by correlation ids",
      query: correlatedQuery,
      body: textsBody("Correlation ids"),
      answers: { 200: json(mapOf(listOf(workflowModel)), "By correlation id, every one of them") },
    },
    async ({ params: { name }, query, body: ids }, reply) =>
      sendJson(reply, await correlatedText(runtime, [name], ids, query)),
  );

  api.post(
    "/workflow/correlated/batch",
    {
      summary: "Executions of several definitions by correlation ids",
      query: correlatedQuery,
      body: optionsBody(
        { type: "object", properties: { correlationIds: texts, workflowNames: texts } },
        "Correlation ids, and names of definitions",
      ),
      answers: { 200: json(mapOf(listOf(workflowModel)), "By correlation id, every one of them") },
    },
    async ({ query, body }, reply) =>
      sendJson(
        reply,
        await correlatedText(runtime, textsOf(body, "workflowNames"), textsOf(body, "correlationIds"), query),
      ),
  );
}

function textsOf(body: { readonly [key: string]: unknown }, key: string): readonly string[] {
  const list = body[key] ?? [];
  if (!Array.isArray(list) || !list.every((item) => typeof item === "string"))
    throw invalidInput(`Expected ${key} to be a list of texts`);
  return list;
}

async function correlatedText(
  runtime: Runtime,
  names: readonly string[],
  ids: readonly string[],
  options: CorrelatedOptions,
): Promise<string> {
  const entries: string[] = [];
  for (const id of new Set(ids)) {
    const found = await correlated(runtime, names, id, options);
    entries.push(`${JSON.stringify(id)}:[${found.join(",")}]`);
  }
  return `{${entries.join(",")}}`;
}

async function correlated(
  runtime: Runtime,
  names: readonly string[],
  correlationId: string,
  { includeClosed, includeTasks }: CorrelatedOptions,
): Promise<string[]> {
  const found: FoundExecution[] = [];
  for (let start = 0; names.length > 0; start += PAGE) {
    const { results } = await runtime.store.search.workflows({
      where: [
        { field: "correlationId", op: "IN", values: [correlationId] },
        { field: "workflowType", op: "IN", values: names },
        ...(includeClosed ? [] : [{ field: "status", op: "IN", values: ["RUNNING"] } as const]),
      ],
      text: [],
      sort: [],
      start,
      size: PAGE,
    });
    found.push(...results.filter(({ isArchived }) => !isArchived));
    if (results.length < PAGE) break;
  }
  const workflows: string[] = [];
  for (const one of found) {
    const whole = includeTasks
      ? await readWorkflow(runtime, one.head.id, { includeTasks })
      : workflowText(
          workflowParts(
            await showOwn(runtime.payloads, one, "whole"),
            await runtime.definitions.loadPlan(one.head.defHash),
            [],
          ),
        );
    if (whole !== undefined) workflows.push(whole);
  }
  return workflows;
}
