import { createHash } from "node:crypto";
import type { WorkflowDef } from "@downbeat/engine";
import {
  type Api,
  freeObject,
  json,
  jsonBody,
  listOf,
  notFound,
  nothing,
  optionalInteger,
  type Runtime,
  sendValue,
} from "@downbeat/server";
import { inspectPlan } from "../plan/inspect-plan.ts";
import type { Agents } from "../run/agents.ts";
import { namedAgent, startRequestModel } from "../run/start-request.ts";
import { asObject } from "../run/starts.ts";
import { withoutAbsent } from "../run/views.ts";
import { agentSummaryModel, compiledModel, deployedModel, inspectedModel } from "./models.ts";

const NOTHING_GIVEN = "agentConfig is required when framework is not specified";

/** Agents as definitions: compiled, deployed, looked at, removed. */
export function defineRoutes(api: Api, runtime: Runtime, agents: Agents): void {
  const body = jsonBody(startRequestModel, "The agent, described or named");
  const version = optionalInteger("The latest when left out");
  const asked = (name: string, given: number | undefined) => ({
    name,
    ...(given === undefined ? {} : { version: given }),
  });

  api.post(
    "/agent/compile",
    {
      summary: "The workflow an agent becomes",
      description: "Nothing is stored and nothing runs. A deployed agent, named, is compiled again from its source.",
      body,
      answers: { 200: json(compiledModel, "The definition, and the workers a run may need") },
    },
    async ({ body: sent }, reply) => {
      const request = await agents.settle(startRequestModel(sent, ""));
      const named = namedAgent(request, NOTHING_GIVEN);
      const described = named === undefined ? agents.describe(request) : agents.describeDeployed(agents.find(named));
      const { workflowDef, requiredWorkers, warnings } = agents.compile(described);
      return sendValue(reply, {
        workflowDef,
        requiredWorkers,
        ...(warnings.length === 0 ? {} : { warnings }),
      });
    },
  );

  api.post(
    "/agent/deploy",
    {
      summary: "Deploy an agent",
      description: "An unchanged agent keeps its version, a changed one gets the next.",
      body,
      answers: { 200: json(deployedModel, "Its name and version, and the workers a run may need") },
    },
    async ({ body: sent }, reply) => {
      const request = await agents.settle(startRequestModel(sent, ""));
      const named = namedAgent(request, NOTHING_GIVEN);
      const described = named === undefined ? agents.describe(request) : agents.describeDeployed(agents.find(named));
      const { def, compiled } = await agents.register(described);
      const { requiredWorkers } = compiled;
      return sendValue(reply, { agentName: def.name, version: def.version, requiredWorkers });
    },
  );

  api.post(
    "/agent/inspect-plan",
    {
      summary: "What a plan would become",
      description: "Mistakes in the plan are an answer: `error` says what they are.",
      body: jsonBody(
        { type: "object", properties: { agentConfig: freeObject, plan: freeObject } },
        "An agent of strategy plan_execute, and a plan for it",
      ),
      answers: { 200: json(inspectedModel, "The workflow of the plan, or what is wrong with it") },
    },
    ({ body: sent }, reply) => sendValue(reply, inspectPlan(asObject(sent))),
  );

  api.get(
    "/agent/list",
    { summary: "Deployed agents", answers: { 200: json(listOf(agentSummaryModel), "Latest versions, by name") } },
    (_call, reply) => sendValue(reply, agents.list().map(summary)),
  );

  api.get(
    "/agent/definitions/:name",
    {
      summary: "The workflow of a deployed agent",
      query: { version },
      answers: { 200: json(freeObject, "The definition") },
    },
    ({ params: { name }, query }, reply) => {
      const def = runtime.definitions.findWorkflowDef(name, query.version);
      if (def === undefined) throw notFound(`Definition not found: ${name}`);
      return sendValue(reply, def);
    },
  );

  api.get(
    "/agent/:name",
    { summary: "A deployed agent", query: { version }, answers: { 200: json(freeObject, "As it was described") } },
    ({ params: { name }, query }, reply) => sendValue(reply, agents.sourceOf(agents.find(asked(name, query.version)))),
  );

  api.delete(
    "/agent/:name",
    {
      summary: "Remove a deployed agent",
      description: "That version, or the latest. Runs of it go on.",
      query: { version },
      answers: { 200: nothing("Removed") },
    },
    async ({ params: { name }, query }, reply) => {
      await agents.remove(asked(name, query.version));
      return reply.send();
    },
  );
}

/** AgentSummary. */
function summary(def: WorkflowDef): object {
  const { metadata } = def;
  const sdk = metadata["agent_sdk"];
  const tags = metadata["agent_capabilities"];
  return withoutAbsent({
    name: def.name,
    version: def.version,
    type: typeof sdk === "string" ? sdk : "conductor",
    tags: Array.isArray(tags) ? tags.map(String) : [],
    createTime: def.createTime,
    updateTime: def.updateTime,
    description: def.description,
    checksum: createHash("sha256").update(JSON.stringify(def)).digest("hex"),
    schemaVersion: def.schemaVersion,
    restartable: def.restartable,
    workflowStatusListenerEnabled: def.workflowStatusListenerEnabled,
    ownerEmail: def.ownerEmail,
    inputParameters: def.inputParameters,
    outputParameters: def.outputParameters,
    timeoutPolicy: def.timeoutPolicy,
    timeoutSeconds: def.timeoutSeconds,
    failureWorkflow: def.failureWorkflow,
  });
}
