import { isJsonObject, type Json, type JsonObject, PULL_WORKFLOW_MESSAGES, type Task } from "@downbeat/engine";
import { type Runtime, readTasks } from "@downbeat/server";
import { pendingTool, withoutInternals } from "../run/waiting.ts";
import { readExecution, type WireTask } from "../run/wire.ts";
import type { Moment } from "./marks.ts";

/** An event as its watchers get it, but for its number. */
export type AgentEvent = { readonly type: string; readonly [name: string]: Json };

/** What happened at a moment of a task; undefined when it was nothing to tell of, or the task is gone. */
export async function eventOfTask(
  runtime: Runtime,
  place: { readonly executionId: string; readonly no: number; readonly epoch: number; readonly moment: Moment },
): Promise<AgentEvent | undefined> {
  const { executionId, no, epoch, moment } = place;
  const head = await runtime.loadHead(executionId);
  const task = head?.epoch !== epoch ? undefined : await runtime.findTask(executionId, no);
  if (head === undefined || task === undefined) return undefined;
  const [text] = await readTasks(runtime, head, [task]);
  if (text === undefined) return undefined;
  const wire = JSON.parse(text) as WireTask;
  if (moment === "handoff") return await handoff(runtime, { head, task });
  const event = ofTask(moment, wire);
  if (event === undefined) return undefined;
  return { ...event, taskId: wire.taskId, executionId, timestamp: timeOf(moment, task) };
}

function timeOf(moment: Moment, { scheduledTime, startTime, endTime }: Task): number {
  if (moment === "thinking" || moment === "called") return scheduledTime;
  return moment === "waiting" ? startTime || scheduledTime : endTime;
}

function ofTask(moment: Moment, task: WireTask): AgentEvent | undefined {
  switch (moment) {
    case "thinking":
      return { type: "thinking", content: task.referenceTaskName };
    case "condensed":
      return condensed(task.inputData["_condensation"]);
    case "called":
      return { type: "tool_call", toolName: toolName(task), ...refOf(task), args: argumentsOf(task) };
    case "returned":
      return { type: "tool_result", toolName: toolName(task), ...refOf(task), result: resultOf(task) };
    case "waiting":
      return {
        type: "waiting",
        pendingTool:
          task.taskType === PULL_WORKFLOW_MESSAGES ? { taskRefName: task.referenceTaskName } : pendingTool(task),
      };
    case "verdict":
      return verdict(task);
    case "failed":
      return {
        type: "error",
        toolName: task.referenceTaskName,
        content: task.status === "TIMED_OUT" ? "Task timed out" : (task.reasonForIncompletion ?? "Task failed"),
      };
    default:
      return undefined;
  }
}

/** Whether there is anything to tell of a moment that may be none. */
export async function isTold(runtime: Runtime, id: string, no: number, moment: Moment): Promise<boolean> {
  const { executions } = runtime.store;
  if (moment === "condensed") return (await executions.payload(id, no, "input")).text.includes('"_condensation"');
  if (moment !== "verdict") return true;
  const { value } = await executions.payload(id, no, "output");
  return isJsonObject(value) && isVerdict(value["result"]);
}

const isVerdict = (result: Json | undefined): result is JsonObject =>
  isJsonObject(result) && typeof result["passed"] === "boolean";

function condensed(note: Json | undefined): AgentEvent | undefined {
  if (!isJsonObject(note)) return undefined;
  const { trigger = "", messagesBefore = 0, messagesAfter = 0, exchangesCondensed = 0 } = note;
  return { type: "context_condensed", content: trigger, messagesBefore, messagesAfter, exchangesCondensed };
}

/** Which call it is: a model may call a tool twice at once, and a call that is tried again keeps its reference. */
const refOf = ({ referenceTaskName }: WireTask) => ({ taskRefName: referenceTaskName });

const toolName = ({ inputData, outputData, taskDefName }: WireTask): string => {
  const named = inputData["method"] ?? outputData["function"];
  return typeof named === "string" && named !== "" ? named : taskDefName;
};

/** What the model asked for, without what the run adds. */
function argumentsOf({ taskType, inputData }: WireTask): JsonObject {
  const inner = inputData["arguments"];
  const isWrapped = taskType === "CALL_MCP_TOOL" || taskType === "RUN_CODE" || taskType === "RUN_COMMAND";
  return isWrapped && isJsonObject(inner) ? inner : withoutInternals(inputData);
}

function resultOf({ taskType, outputData, status, reasonForIncompletion }: WireTask): Json {
  if (status !== "COMPLETED") return { error: reasonForIncompletion ?? "The tool failed" };
  const response = outputData["response"];
  if (taskType === "HTTP" && isJsonObject(response)) return response["body"] ?? null;
  return outputData["result"] ?? outputData;
}

function verdict({ outputData, referenceTaskName }: WireTask): AgentEvent | undefined {
  const result = outputData["result"];
  if (!isVerdict(result)) return undefined;
  const guardrailName = result["guardrail_name"] ?? referenceTaskName;
  return result["passed"]
    ? { type: "guardrail_pass", guardrailName }
    : { type: "guardrail_fail", guardrailName, content: result["message"] ?? "" };
}

type Handed = { readonly head: { readonly id: string }; readonly task: Task };

async function handoff(runtime: Runtime, { head, task }: Handed): Promise<AgentEvent | undefined> {
  const { subWorkflowId = "", startTime, scheduledTime } = task;
  const child = await runtime.loadHead(subWorkflowId);
  const name = child?.workflowName;
  if (name === undefined) return undefined;
  return { type: "handoff", target: agentName(name), executionId: head.id, timestamp: startTime || scheduledTime };
}

const INSIDE = /^.+_(?:handoff|agent|step|sequential|parallel|round_robin|router|swarm|random|manual)_\d+_/;

/** The agent behind a workflow's made-up name. */
const agentName = (workflowName: string): string =>
  workflowName
    .replace(/(__\d+)+$/, "")
    .replace(/_swarm_wf$|_wf$/, "")
    .replace(INSIDE, "");

/** How a run ended; undefined when it has not. */
export async function eventOfEnd(runtime: Runtime, id: string): Promise<AgentEvent | undefined> {
  const { status, output, endTime, reasonForIncompletion } = await readExecution(runtime, id, false);
  const common = { executionId: id, timestamp: endTime };
  if (status === "COMPLETED") return { type: "done", output, ...common };
  if (status === "RUNNING" || status === "PAUSED") return undefined;
  return { type: "error", toolName: "workflow", content: reasonForIncompletion ?? "Workflow terminated", ...common };
}
