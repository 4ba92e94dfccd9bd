import type { TaskStatus } from "./status.ts";

/**
 * One attempt at one task of an execution, without its payloads. Input and output live apart (see `View`), so that
 * ending a task does not rewrite its input.
 */
export type Task = {
  /** Number inside the execution: part of the task id, never reused. */
  readonly no: number;
  /** Position in the wire's task list. Equals `no` until a rerun removes tasks. */
  readonly seq: number;
  /** Reference name of the definition's entry, without iteration suffixes. */
  readonly ref: string;
  /** Iteration path of the loops around it: "" outside loops, "3", or "2__3" in a loop inside a loop. */
  readonly iter: string;
  /** Number of the DO_WHILE task around it; 0 for none. */
  readonly scope: number;
  /** Number of the dynamically forked task whose entry tree holds this task's entry; 0: the definition itself. */
  readonly tree: number;
  /** Number of the JOIN that a dynamically forked task reports to; 0 for none. */
  readonly join: number;
  readonly taskType: string;
  readonly taskDefName: string;
  readonly status: TaskStatus;
  readonly retryCount: number;
  readonly retried: boolean;
  /** Its successors have been scheduled; the engine never looks at it again. */
  readonly executed: boolean;
  /** Opened again after it had been followed up: its successors are there already and are not scheduled again. */
  readonly hasSuccessors?: boolean;
  /** The execution completed with it. The wire does not call such a task executed. */
  readonly isLast?: boolean;
  readonly scheduledTime: number;
  readonly firstScheduledTime: number;
  readonly startTime: number;
  readonly endTime: number;
  readonly updateTime: number;
  readonly startDelayInSeconds: number;
  readonly callbackAfterSeconds: number;
  readonly pollCount: number;
  readonly iteration: number;
  readonly priority: number;
  readonly retriedTaskNo?: number;
  readonly workerId?: string;
  readonly domain?: string;
  readonly reasonForIncompletion?: string;
  readonly subWorkflowId?: string;
  readonly subworkflowChanged?: boolean;
  /** A WAIT's end, epoch ms. */
  readonly waitTimeout?: number;
  /** The entry of a dynamically forked task (JSON of a WorkflowTask), held by the root of its tree. */
  readonly entry?: string;
  /** Where secret references of the definition stand in the input; see expression/template.ts. */
  readonly secrets?: string;
  readonly externalInputPayloadStoragePath?: string;
  readonly externalOutputPayloadStoragePath?: string;
};

/** `ref`, with the iteration suffix it carries on the wire. */
export const referenceTaskName = (task: Pick<Task, "ref" | "iter">): string =>
  task.iter === "" ? task.ref : `${task.ref}__${task.iter}`;

/** Iteration of the innermost loop: the last number of the path. */
export const innermostIteration = (iter: string): number =>
  iter === "" ? 0 : Number(iter.slice(iter.lastIndexOf("_") + 1));

/** Iteration path of a loop's body, given the path of the loop itself. */
export const iterationPath = (loopIter: string, iteration: number): string =>
  loopIter === "" ? String(iteration) : `${loopIter}__${iteration}`;
