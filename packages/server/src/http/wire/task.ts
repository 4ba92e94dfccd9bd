import { type Head, referenceTaskName, type Task, taskId, type WorkflowTask } from "@downbeat/engine";
import { defText, entryPieces, type Pieces } from "./entry-text.ts";

/** Everything a task's JSON is made of. Payloads are JSON text and go in as they are. */
export type TaskParts = {
  readonly head: Head;
  readonly task: Task;
  readonly entry: WorkflowTask;
  /** One that `entry` differs from in name and parameters alone. */
  readonly entryModel?: WorkflowTask;
  readonly input: string | Pieces;
  readonly output: string;
  readonly runtimeMetadata?: Readonly<Record<string, string>>;
};

/** The wire form of a task, as text. */
export const taskText = (parts: TaskParts): string => taskPieces(parts).join("");

/** The same in pieces, most of which exist already. */
export function taskPieces(parts: TaskParts): Pieces {
  const { head, task, entry, input, output, runtimeMetadata } = parts;
  const def = entry.taskDefinition;
  const isWorker = task.status !== "SKIPPED" && !systemTypes.has(entry.type);
  const hasLimit = isWorker || entry.type === "HTTP" || entry.type === "DO_WHILE";
  const { id } = head;
  // Never scheduled: there without anything of its definition, and out of the order.
  const wasPassed = task.status === "SKIPPED" && task.seq === 0;
  const fields = {
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
    callbackFromWorker: true,
    responseTimeoutSeconds: isWorker ? (def?.responseTimeoutSeconds ?? 0) : 0,
    workflowInstanceId: id,
    workflowType: wasPassed ? undefined : head.workflowName,
    taskId: taskId(id, task.no),
    reasonForIncompletion: task.reasonForIncompletion,
    callbackAfterSeconds: task.callbackAfterSeconds,
    workerId: task.workerId,
    domain: task.domain,
    rateLimitPerFrequency: hasLimit ? (def?.rateLimitPerFrequency ?? 0) : 0,
    rateLimitFrequencyInSeconds: hasLimit ? (def?.rateLimitFrequencyInSeconds ?? 0) : 0,
    workflowPriority: task.priority,
    iteration: head.loops[task.no]?.iteration ?? task.iteration,
    subWorkflowId: task.subWorkflowId,
    subworkflowChanged: task.subworkflowChanged ?? false,
    firstStartTime: 0,
    executionNameSpace: def?.executionNameSpace,
    isolationGroupId: def?.isolationGroupId,
    externalInputPayloadStoragePath: task.externalInputPayloadStoragePath,
    externalOutputPayloadStoragePath: task.externalOutputPayloadStoragePath,
    executionMetadata: noMetadata,
    queueWaitTime: task.startTime > 0 && task.scheduledTime > 0 ? Math.max(0, task.startTime - task.scheduledTime) : 0,
    loopOverTask: (head.loops[task.no]?.iteration ?? task.iteration) > 0,
    runtimeMetadata,
  };
  const pieces = [JSON.stringify(fields).slice(0, -1), ',"inputData":'];
  if (typeof input === "string") pieces.push(input);
  else for (const piece of input) pieces.push(piece);
  pieces.push(',"outputData":', output, ',"workflowTask":', ...entryPiecesOf(parts));
  pieces.push(',"taskDefinition":', def === undefined ? "null" : defText(def), "}");
  return pieces;
}

const noMetadata = { additionalContext: {}, empty: true, additionalContextMap: {} };

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

const knownPieces = new WeakMap<WorkflowTask, Pieces>();

/** Entries are shared by all tasks made from them: their text is made once. One that has a model is a task's own. */
function entryPiecesOf({ entry, entryModel }: TaskParts): Pieces {
  if (entryModel !== undefined) return entryPieces(entry, entryModel);
  let pieces = knownPieces.get(entry);
  if (pieces === undefined) {
    pieces = entryPieces(entry);
    knownPieces.set(entry, pieces);
  }
  return pieces;
}
