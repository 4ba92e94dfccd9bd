import { type Head, referenceTaskName, type Task, taskId } from "@downbeat/engine";
import type { WorkflowParts } from "./workflow.ts";

export const returnStrategies = [
  "TARGET_WORKFLOW",
  "BLOCKING_WORKFLOW",
  "BLOCKING_TASK",
  "BLOCKING_TASK_INPUT",
] as const;

export type ReturnStrategy = (typeof returnStrategies)[number];

/** What every answer of a synchronous wait carries. */
export type SignalAnswer = {
  readonly responseType: ReturnStrategy;
  readonly target: Head;
  readonly requestId: string;
  readonly signalTimeout: boolean;
};

const commonFields = ({ responseType, target, requestId, signalTimeout }: SignalAnswer) => ({
  responseType,
  targetWorkflowId: target.id,
  targetWorkflowStatus: target.status,
  requestId,
  signalTimeout,
});

/** A WorkflowRun: the target itself or the execution that blocks it. */
export function workflowRunText(answer: SignalAnswer, parts: WorkflowParts): string {
  const { head, tasks, input, output, variables } = parts;
  const fields = {
    ...commonFields(answer),
    workflowId: head.id,
    correlationId: head.correlationId,
    priority: head.priority,
    createdBy: head.createdBy,
    createTime: head.createTime,
    updateTime: head.updateTime,
    status: head.status,
  };
  const taskTexts = [...tasks].map((pieces) => pieces.join(""));
  return `${JSON.stringify(fields).slice(0, -1)},"input":${input},"output":${output},"variables":${variables},"tasks":[${taskTexts.join(",")}]}`;
}

export type TaskRunParts = {
  readonly head: Head;
  readonly task: Task;
  readonly input: string;
  readonly output: string;
};

/** A TaskRun: the task that blocks the target. */
export function taskRunText(answer: SignalAnswer, { head, task, input, output }: TaskRunParts): string {
  const fields = {
    ...commonFields(answer),
    workflowId: head.id,
    correlationId: head.correlationId,
    taskType: task.taskType,
    taskId: taskId(head.id, task.no),
    referenceTaskName: referenceTaskName(task),
    retryCount: task.retryCount,
    taskDefName: task.taskDefName,
    retriedTaskId: task.retriedTaskNo === undefined ? undefined : taskId(head.id, task.retriedTaskNo),
    workflowType: head.workflowName,
    reasonForIncompletion: task.reasonForIncompletion,
    priority: task.priority,
    createdBy: task.workerId,
    createTime: task.startTime,
    updateTime: task.updateTime,
    status: task.status,
  };
  return `${JSON.stringify(fields).slice(0, -1)},"input":${input},"output":${output}}`;
}
