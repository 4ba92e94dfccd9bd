import { type Head, isJsonObject, type Json, type JsonObject, type RawJson, type Task } from "@downbeat/engine";
import type { ChatInput } from "./chat-input.ts";
import { type Message, type Role, readToolCall, type ToolCall } from "./messages.ts";
import type { Past, PastTask, Said } from "./past.ts";
import type { Pasts } from "./pasts.ts";

export const CONTINUE = "Please continue where you left off.";

/** What was said in this execution before, to be put after the messages that the task gives. */
export type History = {
  readonly messages: readonly Message[];
  /** The last turn before this one was cut off by the token limit. */
  readonly hitLimit: boolean;
};

type Options = {
  readonly pasts: Pasts;
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
export async function loadHistory({ pasts, head, task, input, hasNoPrefill }: Options): Promise<History> {
  if (task.iteration <= 1 && input.participants.size === 0) return nothing;
  const hidesOwnWords = hasNoPrefill || input.previousResponseId !== undefined;
  return await pasts.use(head, async (past) => {
    const messages: Message[] = [];
    let hitLimit = false;
    for (const other of past.ended) {
      if (other.retried || other.no === task.no) continue;
      const role = input.participants.get(other.ref);
      const isEarlierTurn = other.ref === task.ref && isSameLoop(other, task) && other.iteration < task.iteration;
      if (role === undefined && !isEarlierTurn) continue;
      const turn: Turn = { head, past, task: other, role: role ?? "assistant", isEarlierTurn, hidesOwnWords };
      const name = `${other.no} ${turn.role} ${isEarlierTurn} ${hidesOwnWords}`;
      const said = past.findSaid(name) ?? past.keepSaid(name, await listen(turn));
      if (isEarlierTurn) hitLimit = said.isCutOff;
      messages.push(...said.messages);
    }
    return { messages, hitLimit };
  });
}

const isSameLoop = (other: PastTask, task: Task): boolean => other.scope === task.scope && other.tree === task.tree;

type Turn = {
  readonly head: Head;
  readonly past: Past;
  readonly task: PastTask;
  readonly role: Role;
  readonly isEarlierTurn: boolean;
  readonly hidesOwnWords: boolean;
};

async function listen(turn: Turn): Promise<Said> {
  const output = asObject(await turn.past.payload(turn.head, turn.task.no, "output"));
  const calls = callsIn(output);
  const messages =
    calls.length > 0 ? await toolMessages(calls, turn) : (resultMessages(output, turn) ?? (await asTool(output, turn)));
  return { messages, isCutOff: isCutOff(output), callIds: calls.map(({ taskReferenceName }) => taskReferenceName) };
}

function callsIn({ toolCalls }: JsonObject): readonly ToolCall[] {
  return Array.isArray(toolCalls) ? toolCalls.map(readToolCall) : [];
}

const asObject = ({ value }: RawJson): JsonObject => (isJsonObject(value) ? value : {});

const isCutOff = ({ finishReason }: JsonObject): boolean => finishReason === "LENGTH" || finishReason === "MAX_TOKENS";

/** Undefined for a task that has said nothing: it has no result. */
function resultMessages(
  output: JsonObject,
  { role, isEarlierTurn, hidesOwnWords }: Turn,
): readonly Message[] | undefined {
  const text = resultText(output["result"]);
  if (text === undefined) return undefined;
  if (isEarlierTurn && isCutOff(output)) {
    return [{ role: "user", message: `You were saying:\n\n${text}\n\n${CONTINUE}` }];
  }
  if (isEarlierTurn && hidesOwnWords) return [];
  const media = mediaOf(output);
  return [{ role, message: text, ...(media.length === 0 ? {} : { media }) }];
}

/** A participant that does things rather than say them, such as an HTTP task: shown as a tool that was called. */
async function asTool(output: JsonObject, { head, past, task }: Turn): Promise<readonly Message[]> {
  if (Object.keys(output).length === 0 && task.status === "COMPLETED") return [];
  const given = asObject(await past.payload(head, task.no, "input"));
  const call: ToolCall = {
    taskReferenceName: task.name,
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

/** A turn that called tools: the calls whose tasks ran, then what each gave. */
async function toolMessages(calls: readonly ToolCall[], { head, past }: Turn): Promise<readonly Message[]> {
  const answered: ToolCall[] = [];
  for (const call of calls) {
    for (const task of past.answersTo(call.taskReferenceName)) {
      const output = asObject(await past.payload(head, task.no, "output"));
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

const hidden: ReadonlySet<string> = new Set(["_agent_state", "method"]);

export const shownInput = (input: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(input).filter(([key]) => !hidden.has(key)));

function toolOutput(task: PastTask, output: JsonObject): Json {
  if (task.status !== "COMPLETED" && task.status !== "SKIPPED") {
    const error = task.reasonForIncompletion ?? `Tool execution failed (status: ${task.status})`;
    return { status: "FAILED", error };
  }
  return output["result"] ?? (task.taskType === "SUB_WORKFLOW" ? null : output);
}
