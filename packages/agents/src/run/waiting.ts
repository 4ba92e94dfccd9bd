import {
  type Head,
  isJsonObject,
  isTerminal,
  type Json,
  type JsonObject,
  PULL_WORKFLOW_MESSAGES,
  type Task,
} from "@downbeat/engine";
import { type Runtime, readTasks } from "@downbeat/server";
import type { WireTask } from "./wire.ts";

/** An open task of a run or of a run inside it. */
export type OpenTask = { readonly head: Head; readonly task: Task };

export const isQuestion = ({ taskType, status }: Task): boolean => taskType === "HUMAN" && status === "IN_PROGRESS";
export const isPull = ({ taskType, status }: Task): boolean =>
  taskType === PULL_WORKFLOW_MESSAGES && !isTerminal(status);

const MOST_RUNS = 10_000;

/** Called with the id of every run that is looked at, before it is. */
export type OnVisit = (id: string) => Promise<void>;

/** The open tasks of a run and of the open runs inside it, the run's own first. */
export async function* openTasks(runtime: Runtime, id: string, onVisit?: OnVisit): AsyncGenerator<OpenTask> {
  const waiting = [id];
  for (let seen = 0; seen < MOST_RUNS; seen++) {
    const next = waiting.shift();
    if (next === undefined) return;
    await onVisit?.(next);
    const head = await runtime.loadHead(next);
    if (head === undefined) continue;
    for (const task of await runtime.store.executions.open(head, Number.MAX_SAFE_INTEGER)) {
      yield { head, task };
      if (task.taskType === "SUB_WORKFLOW" && task.subWorkflowId !== undefined) waiting.push(task.subWorkflowId);
    }
  }
}

/** The tasks a run waits at for a person or a message. */
export async function findWaiting(runtime: Runtime, id: string): Promise<readonly OpenTask[]> {
  const found: OpenTask[] = [];
  for await (const open of openTasks(runtime, id)) if (isQuestion(open.task) || isPull(open.task)) found.push(open);
  return found;
}

/** One task as the interface shows it; undefined when it is gone. */
export async function readTask(runtime: Runtime, { head, task }: OpenTask): Promise<WireTask | undefined> {
  const [text] = await readTasks(runtime, head, [task]);
  return text === undefined ? undefined : (JSON.parse(text) as WireTask);
}

/** Parts of a question's input that are not the question. */
const aboutTheForm = new Set([
  "__humanTaskDefinition",
  "response_schema",
  "response_ui_schema",
  "tool_calls",
  "_description",
  "_agent_state",
  "method",
]);

/** What is asked, for whoever is to answer. */
export function pendingTool({ taskType, referenceTaskName, inputData }: WireTask): JsonObject {
  if (taskType === PULL_WORKFLOW_MESSAGES) return { taskRefName: referenceTaskName, tool_name: null, parameters: null };
  const { tool_calls: calls, response_schema: schema, response_ui_schema: uiSchema } = inputData;
  const asked = Object.fromEntries(Object.entries(inputData).filter(([name]) => !aboutTheForm.has(name)));
  const isToolCall = referenceTaskName.startsWith("call_") || calls === undefined;
  return {
    taskRefName: referenceTaskName,
    tool_name: null,
    parameters: null,
    ...(Array.isArray(calls) ? { toolCalls: calls.filter(isJsonObject).map(toolCall) } : {}),
    ...(isJsonObject(schema) ? { response_schema: schema } : {}),
    ...(isJsonObject(uiSchema) ? { response_ui_schema: uiSchema } : {}),
    ...(isToolCall && Object.keys(asked).length > 0 ? { input: asked } : {}),
  };
}

function toolCall({ name, inputParameters }: JsonObject): JsonObject {
  const given: JsonObject = isJsonObject(inputParameters) ? inputParameters : {};
  return { name: name ?? null, args: withoutInternals(given) };
}

const addedByTheRun = new Set(["method", "_agent_state", "_allowed_commands", "_agent_tool_name", "__today__"]);

/** Arguments as the model gave them. */
export const withoutInternals = (input: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !addedByTheRun.has(name)));

export const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
