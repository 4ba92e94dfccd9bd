import {
  findMissingFields,
  isJsonObject,
  normalizeTaskDef,
  normalizeWorkflowDef,
  type TaskDef,
  validateTaskDef,
  validateTaskDefList,
  validateWorkflowDefList,
  type WorkflowDef,
} from "@downbeat/engine";
import type { FastifyInstance } from "fastify";
import type { Runtime } from "../runtime/runtime.ts";
import { parseJson } from "./body.ts";
import { checkWorkflowDef } from "./check-definition.ts";
import { assertValid, conflict, invalidInput, notFound } from "./errors.ts";
import { QueryReader } from "./query.ts";
import { sendValue } from "./reply.ts";

type Named = { Params: { name: string; version: string } };

/** Workflow and task definitions. */
export function metadataRoutes(app: FastifyInstance, runtime: Runtime): void {
  const { definitions, clock, config } = runtime;
  const ownerEmailMandatory = config["service.app.ownerEmailMandatory"];

  const validate = async (json: unknown, prefix: string, strict: boolean): Promise<WorkflowDef> => {
    const def = normalizeWorkflowDef(json);
    await checkWorkflowDef(runtime, def, { prefix, strict, missing: findMissingFields(json) });
    assertName(def.name);
    return def;
  };

  const problemsOf = (def: TaskDef, json: unknown, prefix: string) =>
    validateTaskDef(def, { prefix, ownerEmailMandatory, missing: findMissingFields(json) });

  const assertName = (name: string) => {
    if (!config["service.app.workflow.name-validation.enabled"] || /^[A-Za-z0-9_<>{}#\s-]+$/.test(name)) return;
    throw invalidInput(
      `Invalid name '${name}'. Allowed characters are alphanumeric, underscores, spaces, hyphens, and special characters like <, >, {, }, #`,
    );
  };

  app.get("/metadata/workflow", (request, reply) => {
    const classifier = new QueryReader(request.query).text("classifier")?.toLowerCase();
    const defs = definitions.workflowDefs();
    const wanted = defs.filter((def) => classifier === undefined || classifierOf(def).toLowerCase() === classifier);
    return sendValue(reply, wanted);
  });

  app.get("/metadata/workflow/names", (_request, reply) =>
    sendValue(reply, [...new Set(definitions.workflowDefs().map((def) => def.name))]),
  );

  app.get("/metadata/workflow/names-and-versions", (_request, reply) => {
    // A name may be any text, "constructor" too: a map, not an object.
    const byName = Map.groupBy(definitions.workflowDefs().map(summaryOf), ({ name }) => name);
    return sendValue(reply, Object.fromEntries(byName));
  });

  app.get("/metadata/workflow/latest-versions", (_request, reply) =>
    sendValue(reply, definitions.latestWorkflowDefs()),
  );

  app.get<Named>("/metadata/workflow/:name", (request, reply) => {
    const { name } = request.params;
    const version = new QueryReader(request.query).optionalInteger("version");
    const def = definitions.findWorkflowDef(name, version);
    if (def === undefined) throw notFound(`No such workflow found by name: ${name}, version: ${version ?? "null"}`);
    return sendValue(reply, def);
  });

  app.get<Named>("/metadata/workflow/:name/versions", (request, reply) =>
    sendValue(reply, definitions.versionsOf(request.params.name).map(summaryOf)),
  );

  app.post("/metadata/workflow", async (request, reply) => {
    const json = parseJson(request.body);
    const overwrite = new QueryReader(request.query).flag("overwrite", false);
    const draft = normalizeWorkflowDef(json);
    const existing = draft.name === "" ? undefined : definitions.findWorkflowDef(draft.name, draft.version);
    const alreadyExists = () => conflict(`Workflow with ${draft.name}.${draft.version} already exists!`);
    if (existing !== undefined && !overwrite) throw alreadyExists();
    if (existing !== undefined) {
      const def = await validate(json, "updateWorkflowDef.arg0", false);
      await definitions.putWorkflowDef(updated(def, existing, clock()));
    } else {
      const def = await validate(json, "registerWorkflowDef.arg0", false);
      const isNew = await definitions.createWorkflowDef({ ...def, createTime: clock() });
      if (!isNew) throw alreadyExists();
    }
    return reply.send();
  });

  app.put("/metadata/workflow", async (request, reply) => {
    const list = parseJson(request.body);
    if (!Array.isArray(list)) throw invalidInput("Expected a list of workflow definitions as body");
    assertValid(validateWorkflowDefList(list, "updateWorkflowDef.arg0"));
    const defs = await Promise.all(
      list.map((json, index) => validate(json, `updateWorkflowDef.arg0[${index}]`, false)),
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
  });

  app.post("/metadata/workflow/validate", async (request, reply) => {
    await validate(parseJson(request.body), "validateWorkflowDef.arg0", true);
    return reply.send();
  });

  app.delete<Named>("/metadata/workflow/:name/:version", async (request, reply) => {
    const { name, version } = request.params;
    if (!/^-?\d+$/.test(version))
      throw invalidInput(`Expected the version in the path to be a whole number, got "${version}"`);
    const existed = await definitions.deleteWorkflowDef(name, Number(version));
    if (!existed) throw notFound(`No such workflow definition: ${name} version: ${version}`);
    return reply.send();
  });

  app.get("/metadata/taskdefs", (_request, reply) => sendValue(reply, definitions.taskDefs()));

  app.get<Named>("/metadata/taskdefs/:name", (request, reply) => {
    const def = definitions.findTaskDef(request.params.name);
    if (def === undefined) throw notFound(`No such taskType found by name: ${request.params.name}`);
    return sendValue(reply, def);
  });

  app.post("/metadata/taskdefs", async (request, reply) => {
    const list = parseJson(request.body);
    if (list !== null && !Array.isArray(list)) throw invalidInput("Expected a list of task definitions as body");
    const prefix = "registerTaskDef.arg0";
    assertValid(validateTaskDefList(list, prefix));
    const given: readonly unknown[] = list ?? [];
    const defs = given.map((json) => normalizeTaskDef(json));
    assertValid(defs.flatMap((def, index) => problemsOf(def, given[index], `${prefix}[${index}]`)));
    const createTime = clock();
    await definitions.putTaskDefs(defs.map((def) => created(def, createTime)));
    return reply.send();
  });

  app.put("/metadata/taskdefs", async (request, reply) => {
    const json = parseJson(request.body);
    if (!isJsonObject(json)) throw invalidInput("Expected one task definition as body");
    const def = normalizeTaskDef(json);
    assertValid(problemsOf(def, json, "updateTaskDef.arg0"));
    const existing = definitions.findTaskDef(def.name);
    if (existing === undefined) throw notFound(`No such task by name ${def.name}`);
    const { createTime, createdBy } = existing;
    await definitions.putTaskDefs([
      { ...def, createTime, ...(createdBy === undefined ? {} : { createdBy }), updateTime: clock(), updatedBy: "" },
    ]);
    return reply.send();
  });

  app.delete<Named>("/metadata/taskdefs/:name", async (request, reply) => {
    const existed = await definitions.deleteTaskDef(request.params.name);
    if (!existed) throw notFound("No such task definition");
    return reply.send();
  });
}

function created(def: TaskDef, createTime: number): TaskDef {
  const { updatedBy: _updatedBy, ...rest } = def;
  return { ...rest, createTime, createdBy: "", updateTime: 0 };
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

/** What kind of thing a definition is: named by itself, an agent by its marks, else a workflow. */
function classifierOf({ metadata }: WorkflowDef): string {
  const { classifier } = metadata;
  if (typeof classifier === "string" && classifier.trim() !== "") return classifier;
  return "agent_sdk" in metadata || "agentDef" in metadata ? "agent" : "workflow";
}
