import {
  type Api,
  assertSize,
  flag,
  integer,
  json,
  list,
  type Runtime,
  searchParameters,
  sendJson,
  sendValue,
  summaryOf,
  text,
  toSearch,
  workflowFields,
  workflowModel,
  workflowSummaryPageModel,
} from "@downbeat/server";
import type { ModelCosts } from "../cost/model-costs.ts";
import { runDetail, runObject, runStatus, runTasks, runUsage, runWithUsage, withoutAbsent } from "../run/views.ts";
import {
  detailModel,
  executionPageModel,
  runModel,
  runUsageModel,
  statusModel,
  taskPageModel,
  usageModel,
} from "./models.ts";

const AGENT = ["AGENT", "agent"];

type Clauses = NonNullable<Parameters<typeof toSearch<keyof typeof workflowFields>>[2]>;
type Wanted = Parameters<typeof toSearch>[0] & { readonly classifier: readonly string[] };

const withUsage = {
  ...workflowModel.schema,
  properties: {
    ...(workflowModel.schema as { readonly properties: object }).properties,
    aggregateTokenUsage: usageModel,
  },
};

/** Looking for runs, and looking at one. */
export function executionRoutes(api: Api, runtime: Runtime, costs: ModelCosts): void {
  const { start, size, freeText } = searchParameters;
  const sort = { ...searchParameters.sort, description: "`field:ASC` or `field:DESC`; latest first when left out" };
  const classifier = list("Kinds of executions; agents when left out");

  const find = async (wanted: Wanted, more: Clauses = [], session = "") => {
    assertSize(wanted.size, "searchAgents");
    const kinds = wanted.classifier.length === 0 ? AGENT : wanted.classifier;
    const order = wanted.sort.length === 0 ? ["startTime:DESC"] : wanted.sort;
    const search = toSearch({ ...wanted, sort: order }, workflowFields, [
      { field: "classifier", op: "=", values: kinds },
      ...more,
    ]);
    const page = await runtime.store.search.workflows({
      ...search,
      text: session === "" ? search.text : [...search.text, session],
    });
    const summaries: string[] = [];
    for (const found of page.results) summaries.push(await summaryOf(runtime, found));
    return { totalHits: page.totalHits, summaries };
  };

  api.get(
    "/agent/executions",
    {
      summary: "Find runs",
      query: {
        agentName: text("Of this agent"),
        status: text("In this status; several separated by commas"),
        sessionId: text("Of this session"),
        classifier,
        freeText,
        start,
        size,
        sort,
      },
      answers: { 200: json(executionPageModel, "Summaries") },
    },
    async ({ query: { agentName, status, sessionId, freeText: words, ...wanted } }, reply) => {
      const session = sessionId === undefined ? "" : sessionText(sessionId);
      const { totalHits, summaries } = await find(
        { ...wanted, query: undefined, freeText: words },
        [
          ...(agentName === undefined ? [] : [{ field: "workflowType", op: "=", values: [agentName] } as const]),
          ...(status === undefined ? [] : [{ field: "status", op: "IN", values: status.split(",") } as const]),
        ],
        session,
      );
      return sendValue(reply, { totalHits, results: summaries.map((one) => agentSummary(JSON.parse(one))) });
    },
  );

  api.get(
    "/agent/executions/search",
    {
      summary: "Find runs by a query",
      query: { query: searchParameters.query, freeText, classifier, start, size, sort },
      answers: { 200: json(workflowSummaryPageModel, "Summaries, as of workflows") },
    },
    async ({ query }, reply) => {
      const { totalHits, summaries } = await find(query);
      return sendJson(reply, `{"totalHits":${totalHits},"results":[${summaries.join(",")}]}`);
    },
  );

  api.get(
    "/agent/executions/:id",
    { summary: "A run, and the task it is at", answers: { 200: json(detailModel, "The run") } },
    async ({ params }, reply) => sendValue(reply, await runDetail(runtime, params.id)),
  );

  api.get(
    "/agent/executions/:id/full",
    {
      summary: "The whole execution, with the tokens of everything inside it and what they cost",
      answers: { 200: json(withUsage, "The execution") },
    },
    async ({ params }, reply) => sendJson(reply, await runWithUsage(runtime, costs, params.id)),
  );

  api.get(
    "/agent/executions/:id/usage",
    {
      summary: "Tokens of a run and of everything inside it, and what they cost",
      description:
        "`cost` is made from prices as it is read: those of the setting `service.ai.prices`, else the public ones. Models without a price are in `unpricedModels`.",
      query: { calls: flag(false, "With every call of a model, one by one") },
      answers: { 200: json(runUsageModel, "So far") },
    },
    async ({ params, query }, reply) => sendValue(reply, await runUsage(runtime, costs, params.id, query.calls)),
  );

  api.get(
    "/agent/executions/:id/tasks",
    {
      summary: "Tasks of a run",
      query: { status: list("Only in these statuses"), count: integer(15, "At most this many"), start },
      answers: { 200: json(taskPageModel, "Tasks, and how many of all stand how") },
    },
    async ({ params, query }, reply) => sendValue(reply, await runTasks(runtime, costs, params.id, query)),
  );

  api.get(
    "/agent/execution/:id",
    { summary: "A run with its tasks and tokens", answers: { 200: json(runModel, "The run") } },
    async ({ params }, reply) => sendValue(reply, await runObject(runtime, costs, params.id)),
  );

  api.get(
    "/agent/:id/status",
    { summary: "How a run stands, and what it waits for", answers: { 200: json(statusModel, "The status") } },
    async ({ params }, reply) => sendValue(reply, await runStatus(runtime, params.id)),
  );
}

/** How an input begins: with the session, as a whole. */
const sessionText = (sessionId: string): string => JSON.stringify({ session_id: sessionId, prompt: "" }).slice(1, -4);

/** AgentExecutionSummary, from the summary of a workflow. */
const agentSummary = (found: Record<string, unknown>): object =>
  withoutAbsent({
    executionId: found["workflowId"],
    agentName: found["workflowType"],
    version: found["version"],
    status: found["status"],
    startTime: found["startTime"],
    endTime: found["endTime"],
    updateTime: found["updateTime"],
    executionTime: found["executionTime"],
    input: found["input"],
    output: found["output"],
    createdBy: found["createdBy"],
  });
