import type { Head, WorkflowDef } from "@downbeat/engine";

export type WorkflowParts = {
  readonly head: Head;
  readonly def: WorkflowDef;
  /** Wire texts, each in pieces, in order. */
  readonly tasks: readonly (readonly string[])[];
  readonly input: string;
  readonly output: string;
  readonly variables: string;
};

/** The wire form of an execution, as text. */
export const workflowText = (parts: WorkflowParts): string => workflowPieces(parts).join("");

/** The same in pieces: one text of many megabytes would be copied more than once on its way out. */
export function workflowPieces({ head, def, tasks, input, output, variables }: WorkflowParts): readonly string[] {
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
  const pieces = [JSON.stringify(fields).slice(0, -1), ',"tasks":['];
  for (const [index, task] of tasks.entries()) {
    if (index > 0) pieces.push(",");
    pieces.push(...task);
  }
  pieces.push('],"input":', input, ',"output":', output, ',"variables":', variables);
  pieces.push(',"workflowDefinition":', defText(def), "}");
  return pieces;
}

const defTexts = new WeakMap<WorkflowDef, string>();

function defText(def: WorkflowDef): string {
  let text = defTexts.get(def);
  if (text === undefined) {
    text = JSON.stringify(def);
    defTexts.set(def, text);
  }
  return text;
}
