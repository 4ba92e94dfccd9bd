import {
  findMissingFields,
  isJsonObject,
  normalizeTaskDef,
  type Problem,
  type TaskDef,
  taskDefModel,
  validateTaskDef,
  validateTaskDefList,
} from "@downbeat/engine";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json, nothing } from "../api.ts";
import { jsonBody, kindOf } from "../body.ts";
import { assertValid, invalidInput, notFound } from "../errors.ts";
import { listOf } from "../models.ts";
import { sendValue } from "../reply.ts";

/** Task definitions. */
export function taskDefRoutes(api: Api, runtime: Runtime): void {
  const { definitions, clock, config } = runtime;
  const ownerEmailMandatory = config["service.app.ownerEmailMandatory"];

  const problemsOf = (def: TaskDef, given: unknown, prefix: string): readonly Problem[] =>
    validateTaskDef(def, { prefix, ownerEmailMandatory, missing: findMissingFields(given) });

  api.get(
    "/metadata/taskdefs",
    { summary: "All task definitions", answers: { 200: json(listOf(taskDefModel), "By name") } },
    (_call, reply) => sendValue(reply, definitions.taskDefs()),
  );

  api.get(
    "/metadata/taskdefs/:taskType",
    { summary: "One task definition", answers: { 200: json(taskDefModel, "The definition") } },
    ({ params: { taskType } }, reply) => {
      const def = definitions.findTaskDef(taskType);
      if (def === undefined) throw notFound(`No such taskType found by name: ${taskType}`);
      return sendValue(reply, def);
    },
  );

  api.post(
    "/metadata/taskdefs",
    {
      summary: "Register task definitions; existing names are replaced",
      body: jsonBody(listOf(taskDefModel), "The definitions"),
      answers: { 200: nothing("Registered") },
    },
    async ({ body: list }, reply) => {
      if (list !== null && !Array.isArray(list))
        throw invalidInput(`Expected a list of task definitions as body, got ${kindOf(list)}`);
      const prefix = "registerTaskDef.arg0";
      assertValid(validateTaskDefList(list, prefix));
      const given: readonly unknown[] = list ?? [];
      const defs = given.map((one) => normalizeTaskDef(one));
      assertValid(defs.flatMap((def, index) => problemsOf(def, given[index], `${prefix}[${index}]`)));
      const createTime = clock();
      await definitions.putTaskDefs(defs.map((def) => created(def, createTime)));
      return reply.send();
    },
  );

  api.put(
    "/metadata/taskdefs",
    {
      summary: "Replace a task definition",
      body: jsonBody(taskDefModel, "The definition"),
      answers: { 200: nothing("Replaced") },
    },
    async ({ body }, reply) => {
      if (!isJsonObject(body)) throw invalidInput(`Expected one task definition as body, got ${kindOf(body)}`);
      const def = normalizeTaskDef(body);
      assertValid(problemsOf(def, body, "updateTaskDef.arg0"));
      const existing = definitions.findTaskDef(def.name);
      if (existing === undefined) throw notFound(`No such task by name ${def.name}`);
      const { createTime, createdBy } = existing;
      await definitions.putTaskDefs([
        { ...def, createTime, ...(createdBy === undefined ? {} : { createdBy }), updateTime: clock(), updatedBy: "" },
      ]);
      return reply.send();
    },
  );

  api.delete(
    "/metadata/taskdefs/:taskType",
    { summary: "Delete a task definition", answers: { 200: nothing("Deleted") } },
    async ({ params: { taskType } }, reply) => {
      const existed = await definitions.deleteTaskDef(taskType);
      if (!existed) throw notFound("No such task definition");
      return reply.send();
    },
  );
}

function created(def: TaskDef, createTime: number): TaskDef {
  const { updatedBy: _updatedBy, ...rest } = def;
  return { ...rest, createTime, createdBy: "", updateTime: 0 };
}
