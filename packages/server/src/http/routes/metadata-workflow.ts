import {
  classifierOf,
  findMissingFields,
  normalizeWorkflowDef,
  validateWorkflowDefList,
  type WorkflowDef,
  workflowDefModel,
} from "@downbeat/engine";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json, nothing } from "../api.ts";
import { jsonBody, kindOf } from "../body.ts";
import { checkWorkflowDef } from "../check-definition.ts";
import { assertValid, conflict, invalidInput, notFound } from "../errors.ts";
import { bulkResponseModel, definitionSummaryModel, listOf, mapOf, texts } from "../models.ts";
import { flag, optionalInteger, text } from "../parameters.ts";
import { sendValue } from "../reply.ts";

/** Workflow definitions. */
export function workflowDefRoutes(api: Api, runtime: Runtime): void {
  const { definitions, clock, config } = runtime;

  const validate = async (given: unknown, prefix: string, strict: boolean): Promise<WorkflowDef> => {
    const def = normalizeWorkflowDef(given);
    await checkWorkflowDef(runtime, def, { prefix, strict, missing: findMissingFields(given) });
    assertName(def.name);
    return def;
  };

  const assertName = (name: string) => {
    if (!config["service.app.workflow.name-validation.enabled"] || /^[A-Za-z0-9_<>{}#\s-]+$/.test(name)) return;
    throw invalidInput(
      `Invalid name '${name}'. Allowed characters are alphanumeric, underscores, spaces, hyphens, and special characters like <, >, {, }, #`,
    );
  };

  api.get(
    "/metadata/workflow",
    {
      summary: "All workflow definitions, every version",
      query: { classifier: text("Only definitions of this kind: workflow, agent, or one they name themselves") },
      answers: { 200: json(listOf(workflowDefModel), "By name, then version") },
    },
    ({ query }, reply) => {
      const classifier = query.classifier?.toLowerCase();
      const defs = definitions.workflowDefs();
      const wanted = defs.filter((def) => classifier === undefined || classifierOf(def).toLowerCase() === classifier);
      return sendValue(reply, wanted);
    },
  );

  api.get(
    "/metadata/workflow/names",
    { summary: "Names of all workflow definitions", answers: { 200: json(texts, "Each once, sorted") } },
    (_call, reply) => sendValue(reply, [...new Set(definitions.workflowDefs().map((def) => def.name))]),
  );

  api.get(
    "/metadata/workflow/names-and-versions",
    {
      summary: "Names and versions of all workflow definitions",
      answers: { 200: json(mapOf(listOf(definitionSummaryModel)), "Versions by name, ascending") },
    },
    (_call, reply) => {
      // A name may be any text, "constructor" too: a map, not an object.
      const byName = Map.groupBy(definitions.workflowDefs().map(summaryOf), ({ name }) => name);
      return sendValue(reply, Object.fromEntries(byName));
    },
  );

  api.get(
    "/metadata/workflow/latest-versions",
    {
      summary: "The latest version of each workflow definition",
      answers: { 200: json(listOf(workflowDefModel), "By name") },
    },
    (_call, reply) => sendValue(reply, definitions.latestWorkflowDefs()),
  );

  api.get(
    "/metadata/workflow/:name",
    {
      summary: "One workflow definition",
      query: { version: optionalInteger("The latest when left out") },
      answers: { 200: json(workflowDefModel, "The definition") },
    },
    ({ params: { name }, query: { version } }, reply) => {
      const def = definitions.findWorkflowDef(name, version);
      if (def === undefined) throw notFound(`No such workflow found by name: ${name}, version: ${version ?? "null"}`);
      return sendValue(reply, def);
    },
  );

  api.get(
    "/metadata/workflow/:name/versions",
    {
      summary: "Versions of one workflow definition",
      answers: { 200: json(listOf(definitionSummaryModel), "Ascending; empty for an unknown name") },
    },
    ({ params: { name } }, reply) =>
      sendValue(
        reply,
        definitions.versionsOf(name).map(({ version, createTime }) => ({ name, version, createTime })),
      ),
  );

  api.post(
    "/metadata/workflow",
    {
      summary: "Register a workflow definition",
      query: { overwrite: flag(false, "Replace a definition of the same name and version") },
      body: jsonBody(workflowDefModel, "The definition"),
      answers: { 200: nothing("Registered") },
    },
    async ({ query: { overwrite }, body }, reply) => {
      const draft = normalizeWorkflowDef(body);
      const existing = draft.name === "" ? undefined : definitions.findWorkflowDef(draft.name, draft.version);
      const alreadyExists = () => conflict(`Workflow with ${draft.name}.${draft.version} already exists!`);
      if (existing !== undefined && !overwrite) throw alreadyExists();
      if (existing !== undefined) {
        const def = await validate(body, "updateWorkflowDef.arg0", false);
        await definitions.putWorkflowDef(updated(def, existing, clock()));
      } else {
        const def = await validate(body, "registerWorkflowDef.arg0", false);
        const isNew = await definitions.createWorkflowDef({ ...def, createTime: clock() });
        if (!isNew) throw alreadyExists();
      }
      return reply.send();
    },
  );

  api.put(
    "/metadata/workflow",
    {
      summary: "Register or replace workflow definitions",
      body: jsonBody(listOf(workflowDefModel), "The definitions; when one is invalid none is stored"),
      answers: { 200: json(bulkResponseModel, "Names that were stored, and messages for those that were not") },
    },
    async ({ body: list }, reply) => {
      if (!Array.isArray(list))
        throw invalidInput(`Expected a list of workflow definitions as body, got ${kindOf(list)}`);
      assertValid(validateWorkflowDefList(list, "updateWorkflowDef.arg0"));
      const defs = await Promise.all(
        list.map((given, index) => validate(given, `updateWorkflowDef.arg0[${index}]`, false)),
      );
      const errors = new Map<string, string>();
      const bulkSuccessfulResults: string[] = [];
      for (const def of defs) {
        try {
          await definitions.putWorkflowDef(updated(def, definitions.findWorkflowDef(def.name, def.version), clock()));
          bulkSuccessfulResults.push(def.name);
        } catch (error) {
          // The interface answers for each definition: one that cannot be stored does not stop the others.
          errors.set(def.name, error instanceof Error ? error.message : String(error));
        }
      }
      return sendValue(reply, { bulkErrorResults: Object.fromEntries(errors), bulkSuccessfulResults });
    },
  );

  api.post(
    "/metadata/workflow/validate",
    {
      summary: "Check a workflow definition without storing it",
      body: jsonBody(workflowDefModel, "The definition"),
      answers: { 200: nothing("It is valid") },
    },
    async ({ body }, reply) => {
      await validate(body, "validateWorkflowDef.arg0", true);
      return reply.send();
    },
  );

  api.delete(
    "/metadata/workflow/:name/:version",
    {
      summary: "Delete one version of a workflow definition",
      description: "Executions of it are kept and go on.",
      answers: { 200: nothing("Deleted") },
    },
    async ({ params: { name, version } }, reply) => {
      if (!/^-?\d+$/.test(version))
        throw invalidInput(`Expected the version in the path to be a whole number, got "${version}"`);
      const existed = await definitions.deleteWorkflowDef(name, Number(version));
      if (!existed) throw notFound(`No such workflow definition: ${name} version: ${version}`);
      return reply.send();
    },
  );
}

const updated = (def: WorkflowDef, existing: WorkflowDef | undefined, now: number): WorkflowDef => ({
  ...def,
  createTime: def.createTime === 0 ? (existing?.createTime ?? 0) : def.createTime,
  updateTime: now,
});

const summaryOf = ({ name, version, createTime, updateTime }: WorkflowDef) => ({
  name,
  version,
  createTime,
  updateTime,
});
