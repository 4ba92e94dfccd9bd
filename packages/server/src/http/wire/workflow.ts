import type { Head, WorkflowDef } from "@downbeat/engine";
import { once } from "./once.ts";
import type { Pieces } from "./pieces.ts";

export type WorkflowParts = {
  readonly head: Head;
  readonly def: WorkflowDef;
  /** Wire texts, in order. Of a large execution they are made while it is sent, so they can be gone through once. */
  readonly tasks: Iterable<Pieces>;
  readonly input: string;
  readonly output: string;
  readonly variables: string;
  /** Some payloads are copied in when it is sent. */
  readonly hasPlaceholders?: boolean;
};

/** The wire form of an execution, as text. */
export function workflowText(parts: WorkflowParts): string {
  let text = "";
  for (const pieces of workflowPieces(parts)) text += pieces.join("");
  return text;
}

/** The same in pieces, some at a time. */
export function* workflowPieces({
  head,
  def,
  tasks,
  input,
  output,
  variables,
}: WorkflowParts): Generator<Pieces, undefined, undefined> {
  const fields = {
    ownerApp: head.ownerApp ?? "",
    createTime: head.createTime,
    updateTime: head.updateTime,
    createdBy: head.createdBy,
    status: head.status,
    endTime: head.endTime,
    workflowId: head.id,
    parentWorkflowId: head.parentWorkflowId,
    parentWorkflowTaskId: head.parentWorkflowTaskId,
    correlationId: head.correlationId,
    reRunFromWorkflowId: head.reRunFromWorkflowId,
    reasonForIncompletion: head.reasonForIncompletion,
    event: head.event,
    taskToDomain: head.taskToDomain,
    failedReferenceTaskNames: head.failedReferenceTaskNames,
    failedTaskNames: head.failedTaskNames,
    externalInputPayloadStoragePath: head.externalInputPayloadStoragePath,
    externalOutputPayloadStoragePath: head.externalOutputPayloadStoragePath,
    priority: head.priority,
    lastRetriedTime: head.lastRetriedTime,
    history: [],
    idempotencyKey: head.idempotencyKey,
    rateLimitKey: head.rateLimitKey,
    rateLimited: false,
    startTime: head.createTime,
    workflowName: head.workflowName,
    workflowVersion: head.workflowVersion,
  };
  yield [JSON.stringify(fields).slice(0, -1), ',"tasks":['];
  let isFirst = true;
  for (const task of tasks) {
    if (!isFirst) yield [","];
    isFirst = false;
    yield task;
  }
  yield ['],"input":', input, ',"output":', output, ',"variables":', variables];
  yield [',"workflowDefinition":', defText(def), "}"];
}

const defText = once((def: WorkflowDef): string => JSON.stringify(def));
