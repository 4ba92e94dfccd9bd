import { isJsonObject, type JsonObject } from "@downbeat/engine";
import type { Runtime } from "@downbeat/server";
import { findText } from "../frameworks/raw.ts";
import { isPull, isQuestion, type OnVisit, openTasks } from "../run/waiting.ts";
import { readExecution, type WireExecution } from "../run/wire.ts";

/** Of an agent, or of any workflow. */
export type FacadeKind = "agent" | "workflow";

const ended: ReadonlyMap<string, string> = new Map([
  ["COMPLETED", "completed"],
  ["FAILED", "failed"],
  ["TIMED_OUT", "failed"],
  ["TERMINATED", "canceled"],
]);

export const isFinal = (state: string): boolean => ["completed", "failed", "canceled"].includes(state);

export type Task = {
  readonly kind: "task";
  readonly id: string;
  readonly contextId: string;
  readonly status: { readonly state: string; readonly timestamp: string; readonly message?: object };
  readonly artifacts?: readonly object[];
};

/** An execution as a task of the protocol. Throws a 404. */
export async function readA2aTask(runtime: Runtime, kind: FacadeKind, id: string, onVisit?: OnVisit): Promise<Task> {
  const run = await readExecution(runtime, id, false);
  const contextId = contextOf(run);
  const state = ended.get(run.status) ?? (await openState(runtime, kind, run, onVisit));
  const said = wordsFor(state, run);
  const message = said === undefined ? {} : { message: messageOf(said, id, contextId, state) };
  return {
    kind: "task",
    id,
    contextId,
    status: { state, timestamp: new Date(run.endTime || run.startTime).toISOString(), ...message },
    ...(state === "completed" ? { artifacts: [artifactOf(kind, run.output)] } : {}),
  };
}

const contextOf = ({ workflowId, input }: WireExecution): string =>
  findText(input, "_a2a_context_id") ?? findText(input, "session_id") ?? workflowId;

async function openState(
  runtime: Runtime,
  kind: FacadeKind,
  { workflowId, status }: WireExecution,
  onVisit: OnVisit | undefined,
): Promise<string> {
  if (status !== "RUNNING") return "working";
  for await (const { head, task } of openTasks(runtime, workflowId, onVisit)) {
    if (kind === "agent" && (isQuestion(task) || isPull(task))) return "input-required";
    if (kind === "workflow" && head.id === workflowId && isWaiting(task)) return "input-required";
  }
  return "working";
}

export const isWaiting = ({ taskType, status }: { readonly taskType: string; readonly status: string }): boolean =>
  (taskType === "HUMAN" || taskType === "WAIT") && status === "IN_PROGRESS";

function wordsFor(state: string, { workflowId, reasonForIncompletion }: WireExecution): string | undefined {
  if (state === "input-required") return `Waiting for an answer: send a message with the task id ${workflowId}`;
  return state === "failed" || state === "canceled" ? reasonForIncompletion : undefined;
}

/** The same state is told in the same words, under the same id. */
const messageOf = (text: string, taskId: string, contextId: string, state: string): object => ({
  kind: "message",
  role: "agent",
  messageId: `${taskId}-${state}`,
  taskId,
  contextId,
  parts: [{ kind: "text", text }],
});

function artifactOf(kind: FacadeKind, output: JsonObject): object {
  const result = output["result"];
  const text = typeof result === "string" ? result : JSON.stringify(result ?? null);
  return {
    artifactId: `${kind}-output`,
    name: "output",
    parts: [
      // Clients that know texts alone show this one.
      ...(kind === "agent" ? [{ kind: "text", text }] : []),
      { kind: "data", data: isJsonObject(output) ? output : {} },
    ],
  };
}
