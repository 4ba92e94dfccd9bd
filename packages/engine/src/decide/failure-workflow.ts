import { taskId } from "../execution/ids.ts";
import { type Resolved, toJson } from "../expression/raw-json.ts";
import { compileTemplate, resolveTemplate } from "../expression/template.ts";
import { isJsonObject, type Json } from "../json.ts";
import type { Ending } from "./end.ts";
import { scopeOf } from "./scope.ts";
import type { Transition } from "./transition.ts";

/** Starts the definition's failure workflow and notes its id, or why there is none, in the output. */
export function startFailureWorkflow(t: Transition, ending: Ending): void {
  const name = failureWorkflowName(t);
  if (name === undefined || name === "") return;
  const version = t.plan.def.failureWorkflowVersion;
  const def = t.context.findWorkflowDef(name, version);
  let note: string;
  if (def === undefined) {
    note = `Error workflow ${name} failed to start.  reason: No such workflow defined. name=${name}, version=${version ?? "null"}`;
  } else {
    note = t.context.newExecutionId();
    const { head } = t;
    const failedTask = ending.failedTask?.no ?? head.failedTaskNo;
    t.startOther({
      kind: "start",
      id: note,
      defHash: def.hash,
      workflowName: def.name,
      workflowVersion: def.version,
      input: t.workflow("input"),
      failureOf: {
        workflowId: head.id,
        reason: head.reasonForIncompletion ?? "",
        failureStatus: head.status,
        ...(failedTask === undefined ? {} : { failureTaskId: taskId(head.id, failedTask) }),
      },
      taskToDomain: head.taskToDomain,
      ...(head.correlationId === undefined ? {} : { correlationId: head.correlationId }),
    });
  }
  const output = t.workflow("output").value;
  const noted = isJsonObject(output) ? output : { output };
  t.setWorkflow("output", {
    ...noted,
    "conductor.failure_workflow": note,
    "service.failure_workflow": note,
  } as Resolved);
}

/** A literal name, `${...}`, or the old form `$workflow.input.key`. */
function failureWorkflowName(t: Transition): string | undefined {
  const { failureWorkflow } = t.plan.def;
  if (failureWorkflow === undefined || !failureWorkflow.startsWith("$")) return failureWorkflow;
  if (failureWorkflow.startsWith("${")) {
    const value = toJson(resolveTemplate(compileTemplate(failureWorkflow), scopeOf(t, t.head.nextNo)));
    return typeof value === "string" ? value : undefined;
  }
  const key = failureWorkflow.split(".")[2];
  const input: Json = t.workflow("input").value;
  const value = key !== undefined && isJsonObject(input) ? input[key] : undefined;
  return typeof value === "string" ? value : undefined;
}
