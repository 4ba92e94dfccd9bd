import { referenceTaskName, taskId } from "@downbeat/engine";
import type { FoundExecution, FoundTask } from "@downbeat/store";
import { javaText } from "./java-text.ts";

/** Payloads as JSON text, with what the definition hides already hidden. */
type Payloads = { readonly input: string; readonly output: string };

export type SummaryOptions = {
  /** Input and output as JSON instead of `{key=value}`. */
  readonly asJson: boolean;
};

/** The summary of an execution, as text. */
export function workflowSummaryText(
  { head, classifier, ...payloads }: Pick<FoundExecution, "head" | "classifier"> & Payloads,
  { asJson }: SummaryOptions,
): string {
  const { input, output } = shown(payloads, asJson);
  return JSON.stringify({
    workflowType: head.workflowName,
    version: head.workflowVersion,
    workflowId: head.id,
    correlationId: head.correlationId,
    startTime: isoTime(head.createTime),
    updateTime: isoTime(head.updateTime),
    endTime: head.endTime > 0 ? isoTime(head.endTime) : undefined,
    status: head.status,
    input,
    output,
    reasonForIncompletion: head.reasonForIncompletion,
    executionTime: head.endTime > 0 ? head.endTime - head.createTime : 0,
    event: head.event,
    failedReferenceTaskNames: head.failedReferenceTaskNames.join(","),
    externalInputPayloadStoragePath: unlessBlank(head.externalInputPayloadStoragePath),
    externalOutputPayloadStoragePath: unlessBlank(head.externalOutputPayloadStoragePath),
    priority: head.priority,
    failedTaskNames: head.failedTaskNames,
    createdBy: head.createdBy,
    taskToDomain: head.taskToDomain,
    idempotencyKey: head.idempotencyKey,
    parentWorkflowId: head.parentWorkflowId ?? "",
    classifier,
    inputSize: input.length,
    outputSize: output.length,
  });
}

/** The summary of a task, as text. */
export function taskSummaryText(
  { head, task, ...payloads }: Pick<FoundTask, "head" | "task"> & Payloads,
  { asJson }: SummaryOptions,
): string {
  const hasStarted = task.startTime > 0;
  return JSON.stringify({
    workflowId: head.id,
    workflowType: head.workflowName,
    correlationId: head.correlationId,
    scheduledTime: isoTime(task.scheduledTime),
    startTime: isoTime(task.startTime),
    updateTime: isoTime(task.updateTime),
    endTime: isoTime(task.endTime),
    status: task.status,
    reasonForIncompletion: task.reasonForIncompletion,
    executionTime: hasStarted && task.endTime > 0 ? task.endTime - task.startTime : 0,
    queueWaitTime: hasStarted && task.scheduledTime > 0 ? Math.max(0, task.startTime - task.scheduledTime) : 0,
    taskDefName: task.taskDefName,
    taskType: task.taskType,
    referenceTaskName: referenceTaskName(task),
    ...shown(payloads, asJson),
    taskId: taskId(head.id, task.no),
    externalInputPayloadStoragePath: unlessBlank(task.externalInputPayloadStoragePath),
    externalOutputPayloadStoragePath: unlessBlank(task.externalOutputPayloadStoragePath),
    workflowPriority: task.priority,
    domain: task.domain,
  });
}

/** A list of summaries is no place for megabytes: who wants them reads the execution. */
const LONGEST_PAYLOAD = 100_000;

const shown = ({ input, output }: Payloads, asJson: boolean): Payloads => {
  const show = (text: string) => {
    const cut = text.length > LONGEST_PAYLOAD ? text.slice(0, LONGEST_PAYLOAD) : text;
    return asJson ? cut : javaText(cut);
  };
  return { input: show(input), output: show(output) };
};

const unlessBlank = (text: string | undefined): string | undefined => (text?.trim() === "" ? undefined : text);

/** The last moment a date can name: callers choose some times, and one too far away must not fail a page of others. */
const LAST_MOMENT = 8.64e15;
const isoTime = (at: number): string => new Date(Math.min(at, LAST_MOMENT)).toISOString();
