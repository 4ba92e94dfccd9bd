import type { WorkflowStatus } from "./status.ts";

/**
 * What an execution is, apart from its tasks and payloads. It holds counters of open containers and nothing that grows
 * with the number of tasks: a step reads and writes one head, whatever the size of the execution.
 */
export type Head = {
  readonly id: string;
  /** Bumped by every transition; the commit's guard. */
  readonly rev: number;
  /** Bumped by restart: tasks and work of an older epoch are dead rows. */
  readonly epoch: number;
  readonly status: WorkflowStatus;
  readonly workflowName: string;
  readonly workflowVersion: number;
  /** Content hash of the pinned definition. */
  readonly defHash: string;
  readonly createTime: number;
  readonly updateTime: number;
  readonly endTime: number;
  readonly lastRetriedTime: number;
  readonly priority: number;
  readonly correlationId?: string;
  readonly createdBy?: string;
  readonly ownerApp?: string;
  readonly event?: string;
  readonly idempotencyKey?: string;
  readonly rateLimitKey?: string;
  /** Waits for a slot of its rateLimitConfig; nothing is scheduled yet. */
  readonly rateLimited?: boolean;
  readonly taskToDomain: { readonly [taskType: string]: string };
  readonly parentWorkflowId?: string;
  readonly parentWorkflowTaskId?: string;
  /** Sub-workflows around it; absent at the top. */
  readonly depth?: number;
  readonly reRunFromWorkflowId?: string;
  readonly reasonForIncompletion?: string;
  readonly failedTaskNo?: number;
  readonly failedReferenceTaskNames: readonly string[];
  readonly failedTaskNames: readonly string[];
  readonly nextNo: number;
  readonly nextSeq: number;
  /** Tasks of the root scope that are open, or ended and not yet followed up. */
  readonly open: number;
  /** Open loops by the number of their DO_WHILE task. */
  readonly loops: { readonly [no: number]: Loop };
  /** Open JOINs and EXCLUSIVE_JOINs by the number of their task. */
  readonly joins: { readonly [no: number]: Join };
  /** Reference names skipped ahead of time. */
  readonly skipped: readonly string[];
  /** A permissive task ended without success: the execution fails when everything else is done. */
  readonly hasPermissiveFailure: boolean;
  /** Some task FAILED at some time: the names are looked up once, when the execution ends. */
  readonly hasFailures: boolean;
  /** Dynamically forked containers: open tasks in the tree under each, by the number of its root. */
  readonly trees: { readonly [no: number]: number };
  /** Dynamic forks whose branches are not all there yet, by the number of their FORK. */
  readonly forks: { readonly [no: number]: GrowingFork };
  /** Dynamic forks so far: from the second on, made-up reference names carry the fork's name. */
  readonly dynamicForks: number;
  /** Number of the task that the last jump went to: what came before it was left for good. */
  readonly jumpedAt?: number;
  /**
   * The last revision that changed or removed a task which had ended: a retry, a rerun, a jump, iterations that are not
   * kept. As long as it stays the same, what was read of ended tasks still holds.
   */
  readonly revisedAt?: number;
  /** Absent until a message comes, or a task waits for one. */
  readonly messages?: MessageQueue;
  /** Marks executions made by the test endpoint. */
  readonly test?: boolean;
  readonly externalInputPayloadStoragePath?: string;
  readonly externalOutputPayloadStoragePath?: string;
  /** Where secret references stand in the input and in the variables; JSON of SecretPlace[]. */
  readonly inputSecrets?: string;
  readonly variableSecrets?: string;
};

/** What the head knows of the execution's messages; they themselves are rows of their own. */
export type MessageQueue = {
  /** Numbers of those that wait to be taken: from `first` to before `next`. */
  readonly first: number;
  readonly next: number;
  /** Epoch ms. What waits then is gone. */
  readonly expiresAt: number;
  /** A task that waits for a message: every one that does is this one, or there are others. */
  readonly taskNo?: number;
  /** There may be others, which have to be looked for among the open tasks. */
  readonly hasOthers?: boolean;
};

/** A large dynamic fork that is still growing, a batch of branches per transition. */
export type GrowingFork = {
  /** The next branch to create. */
  readonly next: number;
  readonly total: number;
  /** Wire position of the first branch: places are kept for all of them before the JOIN. */
  readonly firstSeq: number;
  readonly join: number;
  readonly hasOtherForks: boolean;
};

export type Loop = {
  readonly iteration: number;
  /** Iteration path of the DO_WHILE task itself. */
  readonly iter: string;
  /** Tasks of the current iteration that are open, or ended and not yet followed up. */
  readonly open: number;
  /** Number of elements in list mode. */
  readonly items?: number;
};

export type Join = {
  readonly ref: string;
  readonly iter: string;
  /** Joined tasks that have not ended. Unused by EXCLUSIVE_JOIN. */
  readonly open: number;
  /** Joined tasks that ended without success, or with errors: their names are looked up once, at the end. */
  readonly troubled: number;
};

/** What an execution that has not begun has counted and met: nothing. */
export const nothingYet = {
  failedReferenceTaskNames: [],
  failedTaskNames: [],
  nextSeq: 1,
  open: 0,
  loops: {},
  joins: {},
  trees: {},
  forks: {},
  skipped: [],
  hasPermissiveFailure: false,
  hasFailures: false,
  dynamicForks: 0,
} satisfies Partial<Head>;
