import {
  type Head,
  isJsonObject,
  isTerminal,
  type Json,
  type JsonObject,
  type RawJson,
  referenceTaskName,
  type Task,
} from "@downbeat/engine";
import type { Runtime } from "@downbeat/server";
import type { ChatInput } from "./chat-input.ts";
import { type Message, type Role, readToolCall, type ToolCall } from "./messages.ts";

export const CONTINUE = "Please continue where you left off.";

/** What was said in this execution before, to be put after the messages that the task gives. */
export type History = {
  readonly messages: readonly Message[];
  /** The last turn before this one was cut off by the token limit. */
  readonly hitLimit: boolean;
};

type Options = {
  readonly executions: Runtime["store"]["executions"];
  readonly head: Head;
  readonly task: Task;
  readonly input: Pick<ChatInput, "participants" | "previousResponseId">;
  /** Providers that may not be shown the assistant's own words before they go on. */
  readonly hasNoPrefill: boolean;
};

const nothing: History = { messages: [], hitLimit: false };

/**
 * Earlier iterations of the same task with the tools they called, and the tasks that were named as participants, in
 * the order they ran. Reads only where there can be any: a task outside a loop without participants has no history.
 */
export async function loadHistory(options: Options): Promise<History> {
  const { executions, head, task, input } = options;
  if (task.iteration <= 1 && input.participants.size === 0) return nothing;
  const all = await executions.all(head);
  const ended = all.filter((other) => other.no !== task.no && isTerminal(other.status));
  const messages: Message[] = [];
  let hitLimit = false;
  for (const other of ended.filter(({ retried }) => !retried)) {
    const role = input.participants.get(other.ref);
    const isEarlierTurn = other.ref === task.ref && isSameLoop(other, task) && other.iteration < task.iteration;
    if (role === undefined && !isEarlierTurn) continue;
    const output = asObject(await executions.payload(head.id, other.no, "output"));
    const turn = { output, role: role ?? "assistant", isEarlierTurn };
    if (isEarlierTurn) hitLimit = isCutOff(output);
    const said = (await toolMessages(output, ended, options)) ?? resultMessages(turn, options);
    messages.push(...(said ?? (await asTool(other, output, options))));
  }
  return { messages, hitLimit };
}

const isSameLoop = (other: Task, task: Task): boolean => other.scope === task.scope && other.tree === task.tree;

const asObject = ({ value }: RawJson): JsonObject => (isJsonObject(value) ? value : {});

const isCutOff = ({ finishReason }: JsonObject): boolean => finishReason === "LENGTH" || finishReason === "MAX_TOKENS";

type Turn = { readonly output: JsonObject; readonly role: Role; readonly isEarlierTurn: boolean };

/** Undefined for a task that has said nothing: it has no result. */
function resultMessages(
  { output, role, isEarlierTurn }: Turn,
  { input, hasNoPrefill }: Options,
): Message[] | undefined {
  const text = resultText(output["result"]);
  if (text === undefined) return undefined;
  if (isEarlierTurn && isCutOff(output)) {
    return [{ role: "user", message: `You were saying:\n\n${text}\n\n${CONTINUE}` }];
  }
  if (isEarlierTurn && (hasNoPrefill || input.previousResponseId !== undefined)) return [];
  const media = mediaOf(output);
  return [{ role, message: text, ...(media.length === 0 ? {} : { media }) }];
}

/** A participant that does things rather than say them, such as an HTTP task: shown as a tool that was called. */
async function asTool(task: Task, output: JsonObject, { executions, head }: Options): Promise<Message[]> {
  if (Object.keys(output).length === 0 && task.status === "COMPLETED") return [];
  const given = asObject(await executions.payload(head.id, task.no, "input"));
  const call: ToolCall = {
    taskReferenceName: referenceTaskName(task),
    name: task.taskDefName,
    type: task.taskType,
    inputParameters: shownInput(given),
    output: toolOutput(task, output),
  };
  return [{ role: "tool", toolCalls: [call] }];
}

function resultText(result: Json | undefined): string | undefined {
  if (result === undefined || result === null) return undefined;
  if (typeof result === "string") return result;
  if (isJsonObject(result) && result["response"] !== undefined) return resultText(result["response"]);
  return JSON.stringify(result);
}

function mediaOf({ media }: JsonObject): readonly string[] {
  if (!Array.isArray(media)) return [];
  return media.flatMap((item) =>
    isJsonObject(item) && typeof item["location"] === "string" ? [item["location"]] : [],
  );
}

/** A turn that called tools: the calls whose tasks ran, then what each gave. Undefined for a turn without calls. */
async function toolMessages(
  { toolCalls }: JsonObject,
  tasks: readonly Task[],
  { executions, head }: Options,
): Promise<Message[] | undefined> {
  if (!Array.isArray(toolCalls) || toolCalls.length === 0) return undefined;
  const answered: ToolCall[] = [];
  for (const call of toolCalls.map(readToolCall)) {
    for (const task of tasksOf(call, tasks)) {
      const output = asObject(await executions.payload(head.id, task.no, "output"));
      const id = call.taskReferenceName + (task.retryCount > 0 ? `_retry${task.retryCount}` : "");
      const inputParameters = shownInput(call.inputParameters);
      answered.push({ ...call, taskReferenceName: id, inputParameters, output: toolOutput(task, output) });
    }
  }
  if (answered.length === 0) return [];
  return [
    { role: "tool_call", toolCalls: answered.map(({ output: _output, ...call }) => call) },
    ...answered.map((call): Message => ({ role: "tool", toolCalls: [call] })),
  ];
}

/** Its own task, or those of a dynamic fork, which carry the call's id with something behind it. */
function tasksOf({ taskReferenceName: id }: ToolCall, tasks: readonly Task[]): readonly Task[] {
  if (id === "") return [];
  return tasks.filter((task) => {
    const name = referenceTaskName(task);
    return task.ref === id || name === id || task.ref.startsWith(`${id}_`);
  });
}

const hidden: ReadonlySet<string> = new Set(["_agent_state", "method"]);

export const shownInput = (input: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(input).filter(([key]) => !hidden.has(key)));

function toolOutput(task: Task, output: JsonObject): Json {
  if (task.status !== "COMPLETED" && task.status !== "SKIPPED") {
    const error = task.reasonForIncompletion ?? `Tool execution failed (status: ${task.status})`;
    return { status: "FAILED", error };
  }
  return output["result"] ?? (task.taskType === "SUB_WORKFLOW" ? null : output);
}
