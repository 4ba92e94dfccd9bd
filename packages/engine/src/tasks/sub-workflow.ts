import { waitingWork } from "../decide/deadlines.ts";
import { failed, failedForGood, MappingFailure } from "../decide/outcome.ts";
import { secretsUnder } from "../decide/run-input.ts";
import { scopeOf } from "../decide/scope.ts";
import { startChild } from "../decide/start-child.ts";
import type { WorkflowDef } from "../definition/types.ts";
import { toJson } from "../expression/raw-json.ts";
import { resolveTemplate } from "../expression/template.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { TaskType } from "../registry.ts";

/** SUB_WORKFLOW: starts a child execution and ends with it. */
export const subWorkflow: TaskType = {
  type: "SUB_WORKFLOW",
  mode: "waits",
  initialStatus: "SCHEDULED",
  parametersUnder: "workflowInput",
  mapInput({ t, entry, resolved }) {
    if (entry.subWorkflow === undefined) {
      // A task that became a SUB_WORKFLOW at run time brings its parameters in its input.
      if (entry.task.type === "DYNAMIC") return dynamicInput(toJson(resolved) as JsonObject);
      throw new MappingFailure(
        `Task ${entry.task.name} is defined as sub-workflow and is missing subWorkflowParams. Please check the workflow definition`,
      );
    }
    const param = toJson(resolveTemplate(entry.subWorkflow, scopeOf(t, t.head.nextNo))) as JsonObject;
    const inline = entry.task.subWorkflowParam?.workflowDefinition;
    const definition: Json =
      typeof inline === "object" ? (inline as unknown as JsonObject) : (param["workflowDefinition"] ?? null);
    const own = isJsonObject(definition) ? definition : {};
    const name = own["name"] ?? param["name"] ?? null;
    const version = definition === null ? toVersion(param["version"]) : null;
    const isLatest = definition === null && typeof name === "string" && (version === null || version === 0);
    return {
      subWorkflowName: name,
      subWorkflowVersion: isLatest ? (t.context.findWorkflowDef(name, undefined)?.version ?? null) : version,
      subWorkflowDefinition: definition,
      subWorkflowTaskToDomain: param["taskToDomain"] ?? null,
      priority: param["priority"] ?? null,
      idempotencyKey: param["idempotencyKey"] ?? null,
      idempotencyStrategy: param["idempotencyStrategy"] ?? null,
      workflowInput: resolved,
    };
  },
  run(t, task, entry) {
    const input = t.input(task.no).value as JsonObject;
    const name = input["subWorkflowName"];
    const definition = input["subWorkflowDefinition"];
    const workflowInput = isJsonObject(input["workflowInput"]) ? input["workflowInput"] : {};
    const isInline = isJsonObject(definition);
    if (!isInline && (typeof name !== "string" || name === ""))
      return failed("Expected subWorkflowParam.name to be a text, got nothing");
    const { maxDepth } = t.context.settings;
    if ((t.head.depth ?? 0) >= maxDepth) return failedForGood(`Sub-workflows may be nested ${maxDepth} deep at most`);
    const version = toVersion(input["subWorkflowVersion"]);
    const domains = input["subWorkflowTaskToDomain"];
    const priority = toVersion(input["priority"]);
    const started = startChild(t, {
      name: String(name ?? ""),
      version: version === null || version === 0 ? undefined : version,
      definition: isInline ? (definition as unknown as WorkflowDef) : undefined,
      secrets: secretsUnder(task, "workflowInput"),
      input: isInline ? { ...workflowInput, _systemMetadata: { dynamic: true } } : workflowInput,
      correlationId: t.head.correlationId,
      taskToDomain: isJsonObject(domains) ? (domains as { [type: string]: string }) : t.head.taskToDomain,
      priority: priority ?? 0,
      parentTaskNo: task.no,
    });
    if ("error" in started) {
      t.patchTask(task.no, { pollCount: 1 });
      return failed(started.error);
    }
    t.setOutput(task.no, { subWorkflowId: started.id });
    const running = t.patchTask(task.no, {
      status: "IN_PROGRESS",
      subWorkflowId: started.id,
      startTime: t.now,
      updateTime: t.now,
      pollCount: 1,
    });
    t.putWork(task.no, waitingWork(running, entry, 0));
    return undefined;
  },
};

function dynamicInput(input: JsonObject): JsonObject {
  const { subWorkflowName, subWorkflowVersion, ...rest } = input;
  return {
    ...input,
    subWorkflowName: subWorkflowName ?? null,
    subWorkflowVersion: toVersion(subWorkflowVersion),
    workflowInput: rest,
  };
}

function toVersion(value: Json | undefined): number | null {
  if (typeof value === "number") return Math.trunc(value);
  if (typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  return null;
}
