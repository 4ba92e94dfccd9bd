import { isJsonObject, type Json, type JsonObject, type TaskResult } from "@downbeat/engine";
import { result } from "./failure.ts";

/** What a remote agent has answered so far, as the task's output shows it. */
export type RemoteTask = {
  readonly state: string;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly text: string;
  readonly artifacts?: readonly Json[];
  readonly agentMessage?: JsonObject;
  readonly task?: JsonObject;
};

/** A task or a message of the protocol; newer agents put it under a name. */
export function readAnswer(answer: JsonObject): RemoteTask {
  const inner = answer["task"] ?? answer["message"];
  const value = isJsonObject(inner) && answer["status"] === undefined && answer["parts"] === undefined ? inner : answer;
  return Array.isArray(value["parts"]) ? readMessage(value) : readTask(value);
}

function readMessage(message: JsonObject): RemoteTask {
  const { taskId, contextId } = message;
  return {
    state: "message",
    ...(typeof taskId === "string" ? { taskId } : {}),
    ...(typeof contextId === "string" ? { contextId } : {}),
    text: textsOf(message["parts"]),
    agentMessage: message,
  };
}

function readTask(task: JsonObject): RemoteTask {
  const status: JsonObject = isJsonObject(task["status"]) ? task["status"] : {};
  const message = isJsonObject(status["message"]) ? status["message"] : undefined;
  const artifacts = Array.isArray(task["artifacts"]) ? (task["artifacts"] as readonly Json[]) : undefined;
  const made = (artifacts ?? []).map((artifact) => (isJsonObject(artifact) ? textsOf(artifact["parts"]) : ""));
  const { id, contextId } = task;
  return {
    state: stateOf(status["state"]),
    ...(typeof id === "string" ? { taskId: id } : {}),
    ...(typeof contextId === "string" ? { contextId } : {}),
    text: made.filter((text) => text !== "").join("\n") || textsOf(message?.["parts"]),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(message === undefined ? {} : { agentMessage: message }),
    task,
  };
}

/** `TASK_STATE_INPUT_REQUIRED` is how some spell `input-required`. */
export function stateOf(state: Json | undefined): string {
  if (typeof state !== "string" || state === "") return "unknown";
  const plain = state
    .replace(/^TASK_STATE_/i, "")
    .toLowerCase()
    .replaceAll("_", "-");
  return plain === "cancelled" ? "canceled" : plain;
}

function textsOf(parts: Json | undefined): string {
  if (!Array.isArray(parts)) return "";
  return parts
    .flatMap((part) => (isJsonObject(part) && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n");
}

const settled: ReadonlySet<string> = new Set(["completed", "input-required", "auth-required", "message"]);
const lost: ReadonlySet<string> = new Set(["failed", "rejected"]);

export const isOver = (state: string): boolean => settled.has(state) || lost.has(state) || state === "canceled";

/** The result of a task whose agent has come to an end, or waits for an answer; undefined while it works. */
export function settledResult(remote: RemoteTask, kept: JsonObject): TaskResult | undefined {
  const { state, text } = remote;
  const output = { ...kept, ...remote };
  const words = text === "" ? "" : `: ${text}`;
  if (settled.has(state)) return result("COMPLETED", output);
  if (state === "canceled")
    return result("CANCELED", output, { reasonForIncompletion: `Remote agent task was canceled${words}` });
  if (!lost.has(state)) return undefined;
  return result("FAILED", output, { reasonForIncompletion: `Remote agent task ended in state '${state}'${words}` });
}
