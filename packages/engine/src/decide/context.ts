import type { TaskDef, WorkflowDef } from "../definition/types.ts";
import type { Head } from "../execution/head.ts";
import type { Task } from "../execution/task.ts";
import type { RawJson } from "../expression/raw-json.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Plan } from "../plan/plan.ts";
import type { TaskTypes } from "../registry.ts";
import type { Work } from "./changes.ts";

/**
 * Thrown by a view or a context function that does not have what was asked for at hand. `decide` then gives up without
 * a trace; the caller fetches what it noted and decides again.
 */
export class Missing extends Error {
  constructor(what: string) {
    super(`Not at hand: ${what}`);
  }
}

/** What is stored of one execution, read on demand. Every function may throw `Missing`. */
export interface View {
  /** Undefined for an execution that does not exist yet. */
  readonly head: Head | undefined;
  findTask(no: number): Task | undefined;
  /** The youngest task of this bare reference name, whatever its iteration. */
  findLatest(ref: string): Task | undefined;
  findInIteration(ref: string, iter: string): Task | undefined;
  findWork(no: number): Work | undefined;
  input(no: number): RawJson;
  output(no: number): RawJson;
  workflow(part: WorkflowPart): RawJson;
  /** Not terminal, oldest first, `limit` at most. */
  openTasks(limit: number): readonly Task[];
  /** Terminal, neither retried nor followed up: what piles up while paused. */
  unfollowedTasks(): readonly Task[];
  allTasks(): readonly Task[];
  /** Outputs by bare reference name of the youngest tasks that report to this JOIN (dynamic forks). */
  joinedOutputs(joinNo: number): ReadonlyMap<string, RawJson>;
  /** Tasks of a loop's body with their outputs, oldest first. */
  loopTasks(loopNo: number): readonly { readonly task: Task; readonly output: RawJson }[];
  /** Messages by number, from one to before another, in order. */
  messages(from: number, to: number): readonly string[];
}

export type WorkflowPart = "input" | "output" | "variables";

/** A definition ready to be started: stored under its content hash, task definitions embedded. */
export type PinnedDef = { readonly hash: string; readonly name: string; readonly version: number };

export type ScriptOutcome =
  | { readonly kind: "value"; readonly text: string }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "timeout"; readonly message: string };

export type JqOutcome =
  | { readonly kind: "value"; readonly results: readonly Json[] }
  | { readonly kind: "error"; readonly message: string };

export type Settings = {
  readonly missingPath: "parent" | "null";
  readonly brand: "service" | "conductor";
  readonly maxVariablesBytes: number;
  readonly maxTaskInputBytes: number;
  readonly maxTaskOutputBytes: number;
  readonly maxWorkflowOutputBytes: number;
  /** How deep sub-workflows may stand inside each other. */
  readonly maxDepth: number;
  /** Of the message queue that every execution has. */
  readonly messages: {
    /** Messages that may wait at once. */
    readonly maxWaiting: number;
    /** Those that wait are gone so long after the last one came. */
    readonly keepMs: number;
    /** Taken by one task at most. */
    readonly maxBatch: number;
  };
  /** Brokers that EVENT may publish to, by the word before the colon; none when absent. */
  readonly sinks?: ReadonlySet<string>;
};

/** Everything the engine may ask of the world. Functions may throw `Missing`. */
export interface Context {
  readonly now: number;
  readonly settings: Settings;
  readonly taskTypes: TaskTypes;
  newExecutionId(): string;
  /** From 0 (inclusive) to 1 (exclusive). */
  random(): number;
  plan(hash: string): Plan;
  evaluateScript(source: string, inputText: string): ScriptOutcome;
  runJq(program: string, input: Json): JqOutcome;
  /** The first violation, in words; undefined when the value fits. */
  checkSchema(schema: JsonObject, value: Json): string | undefined;
  findTaskDef(name: string): TaskDef | undefined;
  /** Latest version when none is given. */
  findWorkflowDef(name: string, version: number | undefined): PinnedDef | undefined;
  /** Pins a definition that came at run time; throws `DefinitionFormatError` when it is none. */
  pinDefinition(def: Json | WorkflowDef): PinnedDef;
  /** A worker polled this queue and domain lately. */
  isDomainActive(taskType: string, domain: string): boolean;
  findCached(key: string): RawJson | undefined;
  constant(name: string): string | undefined;
  environment(name: string): Json | undefined;
  /** Substitutes the secrets of the definition into a task's input, for types that run inside the transition. */
  findSecret(name: string): string | undefined;
}
