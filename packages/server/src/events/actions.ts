import {
  type Event,
  isExecutionId,
  isJsonObject,
  type Json,
  type JsonObject,
  parseTaskId,
  RawJson,
  resolveAgainst,
  type StartEvent,
  taskId as toTaskId,
} from "@downbeat/engine";
import type { Runtime } from "../runtime/runtime.ts";
import { expandJson } from "./expand-json.ts";
import type { EventAction, StartWorkflowAction } from "./handler.ts";

/** What an action does: an event for one execution. `output` is what the record of it says. */
export type Effect = { readonly target: string; readonly event: Event; readonly output: JsonObject };

export type Message = { readonly event: string; readonly messageId: string; readonly payload: Json };

/** What the action is about is not there: there is nothing to do, and nothing to try again. */
export class NotThere extends Error {}

/** What a handler's action does about a message. Throws with the reason why it does nothing. */
export async function effectOf(runtime: Runtime, action: EventAction, message: Message): Promise<Effect> {
  const payload = action.expandInlineJSON ? expandJson(message.payload) : message.payload;
  const resolve = (template: unknown) => resolveAgainst((template ?? {}) as Json, payload) as JsonObject;
  switch (action.action) {
    case "start_workflow":
      return startWorkflow(runtime, action.start_workflow, { ...message, payload });
    case "complete_task":
      return await endTask(runtime, resolve(action.complete_task), "COMPLETED", message);
    case "fail_task":
      return await endTask(runtime, resolve(action.fail_task), "FAILED", message);
    case "terminate_workflow": {
      const { workflowId, terminationReason } = resolve(action.terminate_workflow);
      const reason = typeof terminationReason === "string" ? { reason: terminationReason } : {};
      const target = await existing(runtime, workflowId);
      return { target, event: { kind: "terminate", ...reason }, output: { workflowId: target } };
    }
    case "update_workflow_variables": {
      const { workflowId, variables, appendArray } = resolve(action.update_workflow_variables);
      const target = await existing(runtime, workflowId);
      return {
        target,
        event: {
          kind: "set-variables",
          variables: isJsonObject(variables) ? variables : {},
          appendArray: appendArray === true,
        },
        output: { workflowId: target },
      };
    }
    case "start_agent": {
      const startAgent = runtime.eventAction("start_agent");
      if (startAgent === undefined) throw new Error("start_agent needs service.integrations.ai.enabled");
      return await startAgent(resolve(action.start_agent), message);
    }
    default:
      throw new Error(`Action not supported ${action.action ?? "null"} for event ${message.event}`);
  }
}

/** Both brands' keys: workflows written for either find theirs. */
const eventKeys = ({ event, messageId }: Message): JsonObject => ({
  "conductor.event.messageId": messageId,
  "conductor.event.name": event,
  "service.event.messageId": messageId,
  "service.event.name": event,
});

function startWorkflow(runtime: Runtime, action: StartWorkflowAction | undefined, message: Message): Effect {
  const { name = "", version, input = {}, taskToDomain } = action ?? {};
  const pinned = runtime.definitions.pinRegistered(name, version);
  if (pinned === undefined) throw new Error(`No such workflow defined. name=${name}, version=${version ?? "null"}`);
  const { payload, event } = message;
  const correlationId = resolveAgainst(action?.correlationId ?? null, payload);
  const domains = taskToDomain ?? (isJsonObject(payload) ? payload["taskToDomain"] : undefined);
  const given = { ...(resolveAgainst(input, payload) as JsonObject), ...eventKeys(message) };
  const start: StartEvent = {
    ...runtime.newStart(pinned, new RawJson(JSON.stringify(given))),
    event,
    ...(correlationId === null ? {} : { correlationId: String(correlationId) }),
    ...(isJsonObject(domains) ? { taskToDomain: domains as { [taskType: string]: string } } : {}),
  };
  return { target: start.id, event: start, output: { workflowId: start.id } };
}

async function endTask(
  runtime: Runtime,
  resolved: JsonObject,
  status: "COMPLETED" | "FAILED",
  message: Message,
): Promise<Effect> {
  const { workflowId = null, taskRefName = null, taskId = null, reasonForIncompletion = null, output } = resolved;
  const found = await findTask(runtime, { workflowId, taskRefName, taskId });
  const whole = {
    ...(isJsonObject(output) ? output : {}),
    workflowId,
    taskRefName,
    taskId,
    reasonForIncompletion,
    ...eventKeys(message),
  };
  return {
    target: found.executionId,
    event: {
      kind: "task-result",
      no: found.no,
      result: {
        status,
        output: new RawJson(JSON.stringify(whole)),
        outputMode: "replace",
        ...(typeof reasonForIncompletion === "string" ? { reasonForIncompletion } : {}),
      },
    },
    output: { workflowId: found.executionId, taskId: toTaskId(found.executionId, found.no) },
  };
}

type Sought = Record<"workflowId" | "taskRefName" | "taskId", Json>;

async function findTask(runtime: Runtime, { workflowId, taskRefName, taskId }: Sought) {
  const missing = () =>
    new NotThere(`No task found with taskId: ${taskId}, reference name: ${taskRefName}, workflowId: ${workflowId}`);
  const byId = typeof taskId === "string" ? parseTaskId(taskId) : undefined;
  if (byId !== undefined) {
    if ((await runtime.findTask(byId.executionId, byId.no)) === undefined) throw missing();
    return byId;
  }
  const id = await existing(runtime, workflowId);
  const task = typeof taskRefName === "string" ? await runtime.findOpenTask(id, taskRefName) : undefined;
  if (task === undefined) throw missing();
  return { executionId: id, no: task.no };
}

async function existing(runtime: Runtime, workflowId: Json | undefined): Promise<string> {
  if (typeof workflowId === "string" && isExecutionId(workflowId) && (await runtime.loadHead(workflowId)) !== undefined)
    return workflowId;
  throw new NotThere(`No workflow found with ID: ${workflowId ?? null}`);
}
