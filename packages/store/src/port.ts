import type { Changes, Head, RawJson, Task, TaskDef, Work, WorkflowDef } from "@downbeat/engine";

/**
 * What durable state is. One interface, one adapter per database; `conformance/` says in tests what every adapter must
 * do. Reads may answer at once or with a promise: an embedded database answers at once, and the hot path stays free of
 * turns of the event loop.
 */
export interface Store {
  /** Resolves when the unit is on disk, or with the guard that failed: then nothing of it is stored. */
  commit(unit: Unit): Promise<Commit>;

  readonly executions: ExecutionReads;
  readonly queues: QueueReads;
  readonly definitions: DefinitionReads;
  readonly search: SearchReads;
  readonly documents: DocumentReads;
  readonly schedules: ScheduleReads;

  /** Events that were committed and not yet consumed: what a crash left undelivered. */
  undelivered(limit: number): Reading<readonly OutboxRow[]>;
  findIdempotent(name: string, key: string): Reading<string | undefined>;
  findCached(key: string, now: number): Reading<string | undefined>;
  logs(executionId: string, no: number): Reading<readonly LogLine[]>;

  /** What was written so far: units, the groups they went in, and statements sent, those of reads too. */
  written(): Written;

  /** The other servers on the same data; absent where one server has it to itself. */
  readonly nodes?: Nodes;

  close(): Promise<void>;
}

export type Written = { readonly groups: number; readonly units: number; readonly statements: number };

export type Reading<T> = T | Promise<T>;

// ---- writing

/** One atomic piece of work: guards and rows. Units of many callers share one disk write; each stands or falls alone. */
export type Unit =
  | TransitionUnit
  | ClaimUnit
  | WorkUnit
  | {
      readonly kind: "logs";
      readonly lines: readonly (LogLine & { readonly executionId: string; readonly no: number })[];
    }
  | { readonly kind: "put-workflow-def"; readonly def: WorkflowDef; readonly mustBeNew: boolean }
  | { readonly kind: "delete-workflow-def"; readonly name: string; readonly version: number }
  | { readonly kind: "put-task-defs"; readonly defs: readonly TaskDef[] }
  | { readonly kind: "delete-task-def"; readonly name: string }
  | {
      readonly kind: "remove-execution";
      readonly id: string;
      readonly keepsSearchRow: boolean;
      readonly documents?: readonly DocumentPut[];
    }
  | { readonly kind: "put-documents"; readonly documents: readonly DocumentPut[] }
  | { readonly kind: "delete-documents"; readonly collection: string; readonly ids: readonly string[] | "all" }
  /** A run of a schedule that started nothing. Guard: its slot comes after those that were dealt with. */
  | { readonly kind: "schedule-run"; readonly run: ScheduleRun }
  /**
   * Slots up to this one count as dealt with, without a run. Guard: nobody has dealt with any since the last one that
   * was seen, so that nobody's slot is stepped over.
   */
  | { readonly kind: "skip-slots"; readonly cursor: ScheduleCursor; readonly seen: number | undefined }
  /** Its runs stay. */
  | { readonly kind: "forget-cursors"; readonly schedule: string }
  /** Of one schedule's runs the youngest stay. */
  | { readonly kind: "trim-runs"; readonly schedule: string; readonly keep: number }
  /** Runs of slots before a time, the oldest first, `limit` at most. */
  | { readonly kind: "expire-runs"; readonly before: number; readonly limit: number }
  /** Rows of epochs before a restart. */
  | { readonly kind: "purge-epoch"; readonly id: string; readonly before: number };

export type TransitionUnit = {
  readonly kind: "transition";
  /** Undefined when an event changed nothing but must be consumed. Guard: the revision it was decided on. */
  readonly changes: Changes | undefined;
  /** Pinned definitions the changes refer to; those that are stored already stay. */
  readonly defs: readonly { readonly hash: string; readonly body: string }[];
  /** Outbox rows this transition has applied. Guard: each was still there. */
  readonly consumes: readonly OutboxKey[];
  /** Guard: the key is free for this name. */
  readonly idempotency:
    | { readonly name: string; readonly key: string; readonly replaces: string | undefined }
    | undefined;
  /** A slot of an execution limit that a start or an admission takes. Guard: one is free. */
  readonly slot: { readonly name: string; readonly concurrent: number } | undefined;
  /** Outbox rows for `changes.sends`, by position. */
  readonly sends: readonly OutboxRow[];
  /** Lines that came with a result. */
  readonly logs: readonly (LogLine & { readonly no: number })[];
  /** Notes that are to be there if and only if the transition is. */
  readonly documents?: readonly DocumentPut[];
  /** The slot of a schedule that this start is for. Guard: it comes after those that were dealt with ("exists"). */
  readonly run?: ScheduleRun;
};

/** What came of one slot of a schedule. */
export type ScheduleRun = {
  readonly id: string;
  readonly schedule: string;
  /** Which of the schedule's cron expressions; negative for a run that someone asked for: those have no guard. */
  readonly entry: number;
  /** Epoch ms, as is `firedAt`. */
  readonly slotAt: number;
  readonly firedAt: number;
  readonly workflowName: string;
  readonly workflowId?: string;
  readonly state: "EXECUTED" | "FAILED";
  readonly reason?: string;
  readonly zone: string;
  /** The start request as the schedule has it, as JSON. */
  readonly request: string;
};

/** The last slot of one of a schedule's cron expressions that was dealt with. */
export type ScheduleCursor = Pick<ScheduleRun, "schedule" | "entry" | "slotAt">;

/** A small JSON text by name: for things that are few, or that nothing asks for in another way. */
export type DocumentPut = {
  readonly collection: string;
  readonly id: string;
  readonly body: string;
  /** Guard: there is none of this id. Otherwise it is replaced. */
  readonly mustBeNew: boolean;
  /** Guard: this is still what it says. */
  readonly replaces?: string;
};

/** Hands ready work to a poller. Guards: still ready, and a free slot where the task definition has limits. */
export type ClaimUnit = {
  readonly kind: "claim";
  readonly id: string;
  readonly no: number;
  readonly work: Work;
  /** Set when the server itself does the work: such claims are given back when this server is gone. */
  readonly node: string | undefined;
};

/** Moves work from one state to another without a transition. Guard: it is in `from`. */
export type WorkUnit = {
  readonly kind: "work";
  readonly id: string;
  readonly no: number;
  readonly from: Work["state"];
  readonly work: Work;
};

export type Commit =
  | {
      readonly kind: "done";
      /** Other nodes where someone watches what was committed. */
      readonly watchers?: readonly string[];
    }
  /** What had changed meanwhile. `at` tells the guard apart where a unit has several. */
  | {
      readonly kind: "conflict";
      readonly guard: "revision" | "outbox" | "idempotency" | "work" | "concurrency" | "rate" | "exists" | "document";
    };

export type OutboxKey = { readonly sender: string; readonly n: number };
export type OutboxRow = OutboxKey & { readonly target: string; readonly body: string };
export type LogLine = { readonly at: number; readonly line: string };

// ---- several servers

/**
 * Servers that share a store. Each has a heartbeat; one that is silent for five seconds is gone, and whoever notices first
 * takes over what it left undone. A node hears the others' words soon, but may miss some when the database is away.
 */
export interface Nodes {
  readonly self: string;
  /** Nobody else is there: what this node has in memory is how things stand. */
  readonly isAlone: boolean;
  /** Milliseconds that the database's clock is ahead of this machine's. */
  readonly clockOffset: number;
  /** Takes part. Resolves when every other node knows of it. */
  join(listener: NodeListener): Promise<void>;
  /** Those that are there, this one among them, by name. */
  list(): readonly NodeState[];
  /** To all others, after what it speaks of was committed. */
  tell(word: Word): void;
  /** Resolves when all others have acted on it, or are gone. */
  tellAndWait(word: Word): Promise<void>;
  /** From when it resolves, commits of this execution name this node as a watcher. "*": of every execution. */
  watch(id: string): Promise<void>;
  unwatch(id: string): void;
  /** Claims the first ready work of a queue. Work under limits comes back as it is: it takes a claim of its own. */
  takeReady(taking: Taking): Promise<readonly TakenWork[]>;
  /** Work whose timer is due, earliest first. What one node is given the others do not get for five seconds. */
  takeDue(now: number, limit: number): Promise<readonly QueuedWork[]>;
}

export type Word = readonly (string | number | boolean)[];

export type NodeState = {
  readonly name: string;
  /** Since its last heartbeat. */
  readonly silentMs: number;
  /** What it says of itself. */
  readonly info: string;
};

export type NodeListener = {
  readonly hear: (word: Word, from: string) => void | Promise<void>;
  /** Nodes came or went. */
  readonly onChange: () => void;
  /** Words may have been missed. */
  readonly onGap: () => void;
  /** A node is gone. What it had not delivered is among this one's `undelivered` now, and these queues have work again. */
  readonly inherit: (queues: readonly string[]) => void;
  /** What the node says of itself, at every heartbeat. */
  readonly describe: () => string;
};

export type Taking = {
  readonly queue: string;
  /** Who gets the pieces, one name for each. */
  readonly workers: readonly string[];
  /** The server itself does the work: its claims are given back when it is gone. */
  readonly isOwn: boolean;
  readonly now: number;
};

export type TakenWork = QueuedWork & {
  /** Someone at another node watches its execution. */
  readonly isWatchedElsewhere: boolean;
};

// ---- reading

export type PayloadSlot = "input" | "output" | "variables";

/** Everything about one execution. Tasks are given as a poll left them: a claim is laid over its task. */
export interface ExecutionReads {
  /** Everything at one moment; tasks left out when only the head and its own payloads are wanted. */
  whole(id: string, options: { readonly includeTasks: boolean }): Reading<WholeExecution | undefined>;
  head(id: string): Reading<Head | undefined>;
  task(id: string, no: number): Reading<Task | undefined>;
  latest(head: Head, ref: string): Reading<Task | undefined>;
  inIteration(head: Head, ref: string, iter: string): Reading<Task | undefined>;
  open(head: Head, limit: number): Reading<readonly Task[]>;
  unfollowed(head: Head): Reading<readonly Task[]>;
  /** Oldest first; only those from a number on, if one is given. */
  all(head: Head, from?: number): Reading<readonly Task[]>;
  work(id: string, no: number): Reading<Work | undefined>;
  /** no 0: the execution's own. */
  payload(id: string, no: number, slot: PayloadSlot): Reading<RawJson>;
  joinedOutputs(head: Head, joinNo: number): Reading<ReadonlyMap<string, RawJson>>;
  loopTasks(head: Head, loopNo: number): Reading<readonly { readonly task: Task; readonly output: RawJson }[]>;
  /** Messages of its queue in order, from one number to before another. */
  messages(id: string, from: number, to: number): Reading<readonly string[]>;
}

export type WholeExecution = {
  readonly head: Head;
  readonly input: RawJson;
  readonly output: RawJson;
  readonly variables: RawJson;
  /** Oldest first. */
  readonly tasks: readonly WholeTask[];
};

export type WholeTask = { readonly task: Task; readonly input: RawJson; readonly output: RawJson };

export type QueuedWork = { readonly id: string; readonly no: number; readonly work: Work };

export interface QueueReads {
  /** Ready work in the order it is handed out. */
  ready(queue: string, limit: number): Reading<readonly QueuedWork[]>;
  /** Work whose timer is due, earliest first. */
  due(now: number, limit: number): Reading<readonly QueuedWork[]>;
  nextTimer(): Reading<number | undefined>;
  /** Ready and delayed work by queue. */
  sizes(): Reading<ReadonlyMap<string, number>>;
  size(queue: string): Reading<number>;
  /** When the next hand-out of a rate-limited definition is allowed. */
  nextRateSlot(name: string, now: number, windowMs: number): Reading<number | undefined>;
}

export interface DocumentReads {
  find(collection: string, id: string): Reading<string | undefined>;
  /** By id: those from `from` on, the last first if so asked. */
  list(collection: string, page: DocumentPage): Reading<readonly { readonly id: string; readonly body: string }[]>;
  count(collection: string): Reading<number>;
}

export interface ScheduleReads {
  /** Where all schedules stand. */
  cursors(): Reading<readonly ScheduleCursor[]>;
  /** The last slot of this entry that was dealt with. */
  cursor(schedule: string, entry: number): Reading<number | undefined>;
  /** Slot of the oldest run there is. */
  oldestRun(): Reading<number | undefined>;
}

export type DocumentPage = {
  readonly start: number;
  readonly limit: number;
  readonly from?: string;
  readonly lastFirst?: boolean;
};

export interface DefinitionReads {
  pinned(hash: string): Reading<string | undefined>;
  /** All of them, or all versions of one name. */
  workflowDefs(name?: string): Reading<readonly WorkflowDef[]>;
  taskDefs(name?: string): Reading<readonly TaskDef[]>;
}

/**
 * Search over executions and tasks. Every answer contains every commit made before the question: it waits for the index
 * to get there, at most a second. Questions run apart from everything else and are given up after a while: `SearchTimeout`.
 */
export interface SearchReads {
  workflows(search: Search<WorkflowField>): Promise<SearchPage<FoundExecution>>;
  tasks(search: Search<TaskField>): Promise<SearchPage<FoundTask>>;
  /** Executions that have a matching task, each once, in the order of their first. */
  workflowsByTasks(search: Search<TaskField>): Promise<SearchPage<FoundExecution>>;
  /**
   * Ids alone, in their order, without totals: for work over everything that matches. `after` continues behind an id,
   * also when that is gone by now. Archived executions are not among them: nothing is left to work on.
   */
  workflowIds(
    search: Pick<Search<WorkflowField>, "where" | "text">,
    after: string | undefined,
    limit: number,
  ): Promise<readonly string[]>;
  /** How many match. */
  countWorkflows(search: Pick<Search<WorkflowField>, "where" | "text">): Promise<number>;
  /** Runs of schedules. Texts are looked for in the names of schedule and workflow, and in the execution's id. */
  runs(search: Search<RunField>): Promise<SearchPage<ScheduleRun>>;
}

export type RunField =
  | "executionId"
  | "scheduleName"
  | "scheduledTime"
  | "executionTime"
  | "workflowName"
  | "workflowId"
  | "state"
  | "reason"
  | "zoneId";

export type WorkflowField =
  | "workflowId"
  | "correlationId"
  | "workflowType"
  | "version"
  | "status"
  | "startTime"
  | "endTime"
  | "updateTime"
  | "parentWorkflowId"
  | "classifier"
  | "priority"
  | "createdBy"
  | "event"
  | "reasonForIncompletion"
  | "idempotencyKey"
  | "failedReferenceTaskNames"
  | "executionTime";

export type TaskField =
  | "taskId"
  | "taskType"
  | "taskDefName"
  | "referenceTaskName"
  | "workflowId"
  | "workflowType"
  | "correlationId"
  | "status"
  | "scheduledTime"
  | "startTime"
  | "endTime"
  | "updateTime"
  | "domain"
  | "workerId"
  | "workflowPriority"
  | "reasonForIncompletion"
  | "executionTime"
  | "queueWaitTime";

export type Search<Field extends string> = {
  /** All of them must hold. */
  readonly where: readonly Clause<Field>[];
  /** Each must occur in what the summary shows, in any case; `*` in it stands for any characters. */
  readonly text: readonly string[];
  /** First things first. Without any: oldest first. Ties go by age, the way the first thing goes, so pages are stable. */
  readonly sort: readonly { readonly field: Field; readonly order: "ASC" | "DESC" }[];
  readonly start: number;
  readonly size: number;
};

/**
 * One comparison. "=" and IN hold when any value does, "!=" when none does, the others look at the first. For "=" and "!="
 * `*` in a text stands for any characters, in any case. What is absent reads as the empty text, and as 0.
 */
export type Clause<Field extends string> = {
  readonly field: Field;
  readonly op: "=" | "!=" | ">" | ">=" | "<" | "<=" | "IN";
  readonly values: readonly (string | number)[];
};

export type SearchPage<Hit> = { readonly totalHits: number; readonly results: readonly Hit[] };

/** An execution without its tasks. Of a removed one that was archived only this is left. */
export type FoundExecution = Omit<WholeExecution, "tasks"> & {
  readonly classifier: string;
  readonly isArchived: boolean;
};

export type FoundTask = WholeTask & { readonly head: Head };
