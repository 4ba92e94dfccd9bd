import { type Head, referenceTaskName, type Task, taskId, type WorkflowTask } from "@downbeat/engine";
import { alikeEntryPieces, defText, entryText } from "./entry-text.ts";
import { once } from "./once.ts";
import type { Pieces } from "./pieces.ts";

/** Everything a task's JSON is made of. Payloads are JSON text and go in as they are. */
export type TaskParts = {
  readonly head: Head;
  readonly task: Task;
  readonly entry: WorkflowTask;
  /** One that `entry` differs from in name and parameters alone; the name is the task's. */
  readonly entryModel?: WorkflowTask;
  readonly input: string | Pieces;
  readonly output: string;
  readonly runtimeMetadata?: Readonly<Record<string, string>>;
};

/** The wire form of a task, as text. */
export const taskText = (parts: TaskParts): string => taskPieces(parts).join("");

/** The same in pieces, most of which exist already. */
export function taskPieces(parts: TaskParts): Pieces {
  const { head, task, input, output, runtimeMetadata } = parts;
  const { id } = head;
  // Never scheduled: there without anything of its definition, and out of the order.
  const wasPassed = task.status === "SKIPPED" && task.seq === 0;
  const iteration = head.loops[task.no]?.iteration ?? task.iteration;
  const own = {
    taskType: task.taskType,
    status: task.status,
    referenceTaskName: referenceTaskName(task),
    retryCount: task.retryCount,
    seq: task.seq,
    correlationId: head.correlationId,
    pollCount: task.pollCount,
    taskDefName: task.taskDefName,
    scheduledTime: task.scheduledTime,
    startTime: task.startTime,
    endTime: task.endTime,
    updateTime: task.updateTime,
    startDelayInSeconds: task.startDelayInSeconds,
    retriedTaskId: task.retriedTaskNo === undefined ? undefined : taskId(id, task.retriedTaskNo),
    retried: task.retried,
    executed: task.executed && task.isLast !== true && !wasPassed,
    workflowInstanceId: id,
    workflowType: wasPassed ? undefined : head.workflowName,
    taskId: taskId(id, task.no),
    reasonForIncompletion: task.reasonForIncompletion,
    callbackAfterSeconds: task.callbackAfterSeconds,
    workerId: task.workerId,
    domain: task.domain,
    workflowPriority: task.priority,
    iteration,
    subWorkflowId: task.subWorkflowId,
    subworkflowChanged: task.subworkflowChanged ?? false,
    externalInputPayloadStoragePath: task.externalInputPayloadStoragePath,
    externalOutputPayloadStoragePath: task.externalOutputPayloadStoragePath,
    queueWaitTime: task.startTime > 0 && task.scheduledTime > 0 ? Math.max(0, task.startTime - task.scheduledTime) : 0,
    loopOverTask: iteration > 0,
    runtimeMetadata,
  };
  const pieces = [JSON.stringify(own).slice(0, -1), SAME_OF_ALL];
  if (typeof input === "string") pieces.push(input);
  else for (const piece of input) pieces.push(piece);
  pieces.push(',"outputData":', output, ',"workflowTask":', ...entryPiecesOf(parts), definitionFields(parts));
  return pieces;
}

/** What all tasks have before their input. */
const SAME_OF_ALL =
  ',"callbackFromWorker":true,"firstStartTime":0,"executionMetadata":{"additionalContext":{},"empty":true,"additionalContextMap":{}},"inputData":';

/** What all tasks of an entry share at their end, but for those that were skipped. */
function definitionFields({ task, entry }: TaskParts): string {
  return task.status === "SKIPPED" ? skippedFields(entry) : workedFields(entry);
}

const workedFields = once((entry: WorkflowTask): string => fieldsOf(entry, !systemTypes.has(entry.type)));
const skippedFields = once((entry: WorkflowTask): string => fieldsOf(entry, false));

function fieldsOf({ type, taskDefinition: def }: WorkflowTask, isWorker: boolean): string {
  const hasLimit = isWorker || type === "HTTP" || type === "DO_WHILE";
  const fields = {
    responseTimeoutSeconds: isWorker ? (def?.responseTimeoutSeconds ?? 0) : 0,
    rateLimitPerFrequency: hasLimit ? (def?.rateLimitPerFrequency ?? 0) : 0,
    rateLimitFrequencyInSeconds: hasLimit ? (def?.rateLimitFrequencyInSeconds ?? 0) : 0,
    executionNameSpace: def?.executionNameSpace,
    isolationGroupId: def?.isolationGroupId,
  };
  return `,${JSON.stringify(fields).slice(1, -1)},"taskDefinition":${def === undefined ? "null" : defText(def)}}`;
}

const systemTypes = new Set([
  "HTTP",
  "INLINE",
  "LAMBDA",
  "JSON_JQ_TRANSFORM",
  "SWITCH",
  "DECISION",
  "FORK_JOIN",
  "FORK_JOIN_DYNAMIC",
  "JOIN",
  "EXCLUSIVE_JOIN",
  "DO_WHILE",
  "WAIT",
  "HUMAN",
  "YIELD",
  "PULL_WORKFLOW_MESSAGES",
  "SUB_WORKFLOW",
  "START_WORKFLOW",
  "SET_VARIABLE",
  "TERMINATE",
  "EVENT",
  "NOOP",
]);

const knownEntry = once((entry: WorkflowTask): Pieces => [entryText(entry)]);

/** Entries are shared by all tasks made from them: their text is made once, but for what those with a model have of their own. */
function entryPiecesOf({ task, entry, entryModel }: TaskParts): Pieces {
  if (entryModel === undefined) return knownEntry(entry);
  return alikeEntryPieces(entryModel, { taskReferenceName: task.ref, inputParameters: entry.inputParameters });
}
