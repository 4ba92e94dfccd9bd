import type { Clause, FoundExecution, SearchPage, WorkflowField } from "@downbeat/store";
import { workflowParts } from "../../runtime/read-execution.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { showOwn } from "../../runtime/show-payloads.ts";
import { taskFields, workflowFields } from "../../search/fields.ts";
import { type Api, json } from "../api.ts";
import { assertValid } from "../errors.ts";
import { workflowPageModel, workflowSummaryPageModel } from "../models.ts";
import { flag, list } from "../parameters.ts";
import { type Reply, sendJson } from "../reply.ts";
import { searchParameters, toSearch } from "../search.ts";
import { maskText } from "../wire/mask.ts";
import { workflowSummaryText } from "../wire/summary.ts";
import { workflowText } from "../wire/workflow.ts";

const MOST_HITS = 5000;

const workflowParameters = {
  ...searchParameters,
  classifier: list("Only executions of these kinds: workflow, agent, or one their definitions name"),
  topLevelOnly: flag(false, "No sub-workflows"),
};

/** Finding executions. */
export function workflowSearchRoutes(api: Api, runtime: Runtime): void {
  const { search } = runtime.store;

  const sendSummaries = async (page: SearchPage<FoundExecution>, reply: Reply): Promise<Reply> => {
    const texts: string[] = [];
    for (const found of page.results) texts.push(await summaryOf(runtime, found));
    return sendJson(reply, `{"totalHits":${page.totalHits},"results":[${texts.join(",")}]}`);
  };

  /** Whole executions. Of one that was archived only the summary is left: it is not a hit here. */
  const sendWhole = async ({ totalHits, results }: SearchPage<FoundExecution>, reply: Reply) => {
    const texts: string[] = [];
    for (const found of results) {
      if (found.isArchived) continue;
      const plan = await runtime.definitions.loadPlan(found.head.defHash);
      texts.push(workflowText(workflowParts(await showOwn(runtime.payloads, found, "whole"), plan, [])));
    }
    const hits = totalHits - (results.length - texts.length);
    return sendJson(reply, `{"totalHits":${hits},"results":[${texts.join(",")}]}`);
  };

  type WorkflowRequest = Parameters<typeof toSearch>[0] & {
    readonly classifier: readonly string[];
    readonly topLevelOnly: boolean;
  };

  const findWorkflows = (request: WorkflowRequest, operation: string) => {
    assertSize(request.size, operation);
    const { classifier, topLevelOnly } = request;
    const more: Clause<WorkflowField>[] = [
      ...(classifier.length === 0 ? [] : [{ field: "classifier", op: "IN", values: classifier } as const]),
      ...(topLevelOnly ? [{ field: "parentWorkflowId", op: "=", values: [""] } as const] : []),
    ];
    return search.workflows(toSearch(request, workflowFields, more));
  };

  api.get(
    "/workflow/search",
    {
      summary: "Find executions",
      description: "Sees everything committed before the request.",
      query: workflowParameters,
      answers: { 200: json(workflowSummaryPageModel, "Summaries") },
    },
    async ({ query }, reply) => await sendSummaries(await findWorkflows(query, "searchWorkflows"), reply),
  );

  api.get(
    "/workflow/search-v2",
    {
      summary: "Find executions, whole but for their tasks",
      query: workflowParameters,
      answers: { 200: json(workflowPageModel, "Executions") },
    },
    async ({ query }, reply) => await sendWhole(await findWorkflows(query, "searchWorkflowsV2"), reply),
  );

  api.get(
    "/workflow/search-by-tasks",
    {
      summary: "Find executions by their tasks",
      query: searchParameters,
      answers: { 200: json(workflowSummaryPageModel, "Summaries, each execution once") },
    },
    async ({ query }, reply) => {
      assertSize(query.size, "searchWorkflowsByTasks");
      return await sendSummaries(await search.workflowsByTasks(toSearch(query, taskFields)), reply);
    },
  );

  api.get(
    "/workflow/search-by-tasks-v2",
    {
      summary: "Find executions by their tasks, whole but for their tasks",
      query: searchParameters,
      answers: { 200: json(workflowPageModel, "Executions, each once") },
    },
    async ({ query }, reply) => {
      assertSize(query.size, "searchWorkflowsByTasksV2");
      return await sendWhole(await search.workflowsByTasks(toSearch(query, taskFields)), reply);
    },
  );
}

/** The summary of a found execution, as text, with what its definition hides hidden. */
export async function summaryOf(runtime: Runtime, stored: FoundExecution): Promise<string> {
  const found = await showOwn(runtime.payloads, stored, "paths");
  const asJson = runtime.config["service.app.summary-input-output-json-serialization.enabled"];
  const { maskedFields } = (await runtime.definitions.loadPlan(found.head.defHash)).def;
  const input = maskText(found.input.text, maskedFields);
  const output = maskText(found.output.text, maskedFields);
  return workflowSummaryText({ ...found, input, output }, { asJson });
}

export function assertSize(size: number, operation: string): void {
  if (size <= MOST_HITS) return;
  const message = `Cannot return more than ${MOST_HITS} workflows. Please use pagination.`;
  assertValid([{ path: `${operation}.arg1`, message, invalidValue: String(size) }]);
}
