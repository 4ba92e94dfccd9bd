import type { WorkflowDef } from "../definition/types.ts";
import { taskId } from "../execution/ids.ts";
import { RawJson } from "../expression/raw-json.ts";
import type { SecretPlace } from "../expression/secret-place.ts";
import type { JsonObject } from "../json.ts";
import { Missing, type PinnedDef } from "./context.ts";
import type { Transition } from "./transition.ts";

export type ChildRequest = {
  readonly name: string;
  readonly version: number | undefined;
  readonly definition: WorkflowDef | JsonObject | undefined;
  readonly input: JsonObject;
  /** Where secret references of the definition stand in the input: the child fills them in, not we. */
  readonly secrets: readonly SecretPlace[];
  readonly correlationId: string | undefined;
  readonly taskToDomain: { readonly [taskType: string]: string };
  readonly priority: number;
  /** The SUB_WORKFLOW task that waits for it; undefined when nobody does. */
  readonly parentTaskNo: number | undefined;
};

/** Sends a start for another execution, under an id chosen now: a start that is delivered twice finds the first. */
export function startChild(t: Transition, request: ChildRequest): { readonly id: string } | { readonly error: string } {
  const def = findDefinition(t, request);
  if ("error" in def) return def;
  const id = t.context.newExecutionId();
  const { head } = t;
  t.startOther({
    kind: "start",
    id,
    defHash: def.hash,
    workflowName: def.name,
    workflowVersion: def.version,
    input: new RawJson(JSON.stringify(request.input), request.secrets),
    taskToDomain: request.taskToDomain,
    priority: request.priority,
    ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
    ...(request.parentTaskNo === undefined
      ? {}
      : {
          parentWorkflowId: head.id,
          parentWorkflowTaskId: taskId(head.id, request.parentTaskNo),
          depth: (head.depth ?? 0) + 1,
        }),
    ...(head.test === undefined ? {} : { test: head.test }),
  });
  return { id };
}

function findDefinition(t: Transition, request: ChildRequest): PinnedDef | { readonly error: string } {
  if (request.definition !== undefined) {
    try {
      return t.context.pinDefinition(request.definition);
    } catch (error) {
      if (error instanceof Missing) throw error;
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }
  const found = t.context.findWorkflowDef(request.name, request.version);
  if (found !== undefined) return found;
  return { error: `No such workflow defined. name=${request.name}, version=${request.version ?? "null"}` };
}
