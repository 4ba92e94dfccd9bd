import type { ResultStatus, WorkflowStatus } from "../execution/status.ts";
import type { RawJson } from "../expression/raw-json.ts";
import type { Json, JsonObject } from "../json.ts";

/** What can happen to an execution. */
export type Event =
  | StartEvent
  | {
      readonly kind: "task-result";
      readonly no: number;
      readonly result: TaskResult;
      /** Refused when the task has ended, where word about an ended task is otherwise too late and ignored. */
      readonly onlyIfOpen?: boolean;
      /** A test's result: the task is taken to have waited and run for so long, and times out where that is too long. */
      readonly pretends?: { readonly queueWaitMs: number; readonly executionMs: number };
    }
  | { readonly kind: "extend-lease"; readonly no: number }
  | { readonly kind: "timer"; readonly no: number }
  | ChildEndedEvent
  | { readonly kind: "child-revived"; readonly no: number; readonly childId: string; readonly log: string }
  /** A task whose definition has limits, and that the engine runs itself, was claimed. */
  | { readonly kind: "begin"; readonly no: number }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "decide" }
  /** The rest of a piece of work that was too large for one transition; see `Changes.continues`. */
  | { readonly kind: "continue" }
  /** An execution that waited for a slot of its rateLimitConfig may begin. */
  | { readonly kind: "admit" }
  | TerminateEvent
  | { readonly kind: "restart"; readonly defHash?: string; readonly workflowVersion?: number }
  | {
      readonly kind: "retry";
      readonly resumeSubworkflowTasks?: boolean;
      /** The parent runs again and waits for this execution: it need not be revived. */
      readonly byParent?: boolean;
    }
  | RerunEvent
  | {
      readonly kind: "skip";
      readonly ref: string;
      readonly taskInput?: JsonObject;
      readonly taskOutput?: JsonObject;
    }
  | { readonly kind: "reset-callbacks" }
  | { readonly kind: "jump"; readonly ref: string; readonly taskInput?: JsonObject }
  | {
      readonly kind: "upgrade";
      readonly defHash: string;
      readonly workflowVersion: number;
      /** Laid over the input. */
      readonly workflowInput: JsonObject;
      /** Outputs of tasks that the new version has and the execution is past, by reference name. */
      readonly taskOutput: JsonObject;
    }
  | {
      readonly kind: "set-variables";
      readonly variables: JsonObject;
      /** Lists are added to the lists there are. */
      readonly appendArray?: boolean;
    }
  /** For the execution's message queue: a whole message, as JSON text. */
  | { readonly kind: "message"; readonly text: string }
  /** A worker has taken a task that wants its start to be known. */
  | { readonly kind: "claimed"; readonly no: number }
  | PublishEvent;

/** For the event handlers, not for an execution. */
export type PublishEvent = {
  readonly kind: "publish";
  /** Under which handlers may know it; the first is its own. */
  readonly names: readonly string[];
  readonly messageId: string;
  readonly payload: RawJson;
};

export type StartEvent = {
  readonly kind: "start";
  readonly id: string;
  readonly defHash: string;
  readonly workflowName: string;
  readonly workflowVersion: number;
  readonly input: RawJson;
  readonly correlationId?: string;
  readonly priority?: number;
  readonly taskToDomain?: { readonly [taskType: string]: string };
  readonly createdBy?: string;
  readonly event?: string;
  readonly idempotencyKey?: string;
  readonly parentWorkflowId?: string;
  readonly parentWorkflowTaskId?: string;
  readonly depth?: number;
  readonly test?: boolean;
  /** Key of the rateLimitConfig; the slot is committed with the start, or the execution waits for one. */
  readonly rateLimitKey?: string;
  readonly waitsForSlot?: boolean;
  /** A failure workflow: the failed execution, whole, is added to the input when this one starts. */
  readonly failureOf?: {
    readonly workflowId: string;
    readonly reason: string;
    readonly failureStatus: WorkflowStatus;
    readonly failureTaskId?: string;
  };
};

export type TaskResult = {
  readonly status: ResultStatus | "CANCELED";
  /** JSON text of an object. */
  readonly output?: RawJson;
  /** "replace" is a worker's result; "merge" lays the given keys over what is there (by-reference updates, signals). */
  readonly outputMode: "replace" | "merge";
  readonly reasonForIncompletion?: string;
  readonly callbackAfterSeconds?: number;
  /** After a failure: when the next attempt comes, instead of when the task definition says. */
  readonly retryDelaySeconds?: number;
  /** Laid over the input: what the task really worked with. */
  readonly input?: { readonly [key: string]: Json | RawJson };
  readonly workerId?: string;
  readonly subWorkflowId?: string;
  readonly externalOutputPayloadStoragePath?: string;
};

export type ChildEndedEvent = {
  readonly kind: "child-ended";
  readonly no: number;
  readonly childId: string;
  readonly childName: string;
  readonly childVersion: number;
  readonly status: WorkflowStatus;
  readonly output: RawJson;
  readonly reason?: string;
};

export type TerminateEvent = {
  readonly kind: "terminate";
  readonly reason?: string;
  readonly triggerFailureWorkflow?: boolean;
  /** The parent ended: nobody is told, and an execution that is over already stays as it is. */
  readonly byParent?: boolean;
};

export type RerunEvent = {
  readonly kind: "rerun";
  readonly fromNo?: number;
  readonly taskInput?: JsonObject;
  readonly workflowInput?: RawJson;
  readonly correlationId?: string;
};

/** Why an event was not applied. Nothing of it is stored. */
export type Refusal = {
  /** no-execution: the event was for an execution that does not exist. full: there is no room for it now. */
  readonly code: "no-execution" | "not-found" | "conflict" | "invalid" | "full";
  readonly message: string;
};
