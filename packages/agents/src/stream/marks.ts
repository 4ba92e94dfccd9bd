import { isTerminal, PULL_WORKFLOW_MESSAGES, type Task } from "@downbeat/engine";
import { MODEL_CALL } from "../run/usage.ts";

/**
 * A moment in the life of a task that watchers hear of, named so that everybody who looks at the stored task finds the
 * same moments.
 */
export type Moment =
  /** A model is asked. */
  | "thinking"
  /** Its conversation was condensed before it was asked. */
  | "condensed"
  | "called"
  | "returned"
  | "waiting"
  | "handoff"
  | "verdict"
  | "failed";

export type Mark = { readonly moment: Moment; readonly at: number };

/** In a plan's workflow the tools are its tasks. */
const isPlan = (workflowName: string): boolean => /^pe_.*_plan$/.test(workflowName);

const notTools = new Set(["HUMAN", PULL_WORKFLOW_MESSAGES, "INLINE", "SWITCH", "JOIN", "FORK", "SET_VARIABLE"]);
const planTools = new Set(["SIMPLE", "HTTP", "CALL_MCP_TOOL", "SUB_WORKFLOW", "RUN_CODE", "RUN_COMMAND"]);

/** Whether the task is a call of a tool: one of an agent's fork, a prefilled one, or a step of a plan. */
function isToolCall(task: Task, workflowName: string): boolean {
  if (task.ref.startsWith("_fw_") || task.ref.includes("guardrail")) return false;
  if (task.join > 0) return !notTools.has(task.taskType);
  if (/_prefill_\d+$/.test(task.ref)) return true;
  return isPlan(workflowName) && (planTools.has(task.taskType) || task.taskType === task.taskDefName);
}

/** Whether a run inside another is an agent that is handed to: not a router, a plan, or the inside of a guarded team. */
export const isHandoff = (task: Pick<Task, "ref">, parentName: string, childName: string): boolean =>
  childName !== `${task.ref}_wf` && childName !== parentName && !isPlan(childName);

/** The moments of a task so far. Whether something was condensed, or judged, is known when the task is read. */
export function marksOf(task: Task, workflowName: string): readonly Mark[] {
  const { taskType, status, scheduledTime, startTime, endTime } = task;
  const marks: Mark[] = [];
  const hasEnded = isTerminal(status);
  if (taskType === MODEL_CALL) {
    marks.push({ moment: "thinking", at: scheduledTime });
    if (status === "COMPLETED") marks.push({ moment: "condensed", at: endTime });
  }
  if (taskType === "HUMAN" && startTime > 0) marks.push({ moment: "waiting", at: startTime });
  if (taskType === PULL_WORKFLOW_MESSAGES) marks.push({ moment: "waiting", at: scheduledTime });
  const isCall = isToolCall(task, workflowName);
  if (isCall && task.retryCount === 0) marks.push({ moment: "called", at: scheduledTime });
  if (isCall && (status === "COMPLETED" || status === "COMPLETED_WITH_ERRORS"))
    marks.push({ moment: "returned", at: endTime });
  if (taskType === "INLINE" && status === "COMPLETED" && task.ref.includes("guardrail"))
    marks.push({ moment: "verdict", at: endTime });
  if (hasEnded && isFailure(task)) marks.push({ moment: "failed", at: endTime });
  return marks;
}

/** What is tried again has not failed yet. */
const isFailure = ({ status, retried }: Task): boolean =>
  !retried && (status === "FAILED" || status === "FAILED_WITH_TERMINAL_ERROR" || status === "TIMED_OUT");
