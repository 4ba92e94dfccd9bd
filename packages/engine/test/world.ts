import { createHash } from "node:crypto";
import {
  builtInTaskTypes,
  type Changes,
  type Context,
  claimedWork,
  compilePlan,
  type Decision,
  decide,
  type Event,
  embedTaskDefs,
  isWorkflowTerminal,
  type JqOutcome,
  type Json,
  normalizeTaskDef,
  normalizeWorkflowDef,
  type PinnedDef,
  type Plan,
  type PublishEvent,
  RawJson,
  type Refusal,
  readyWork,
  type ScriptOutcome,
  type Send,
  type Settings,
  type Task,
  type TaskDef,
  type TaskType,
  taskTypes,
  type View,
  type WorkflowDef,
} from "../src/index.ts";
import { checkMessage, checkStored, checkTransition, checkWaiting } from "./invariants.ts";
import { evaluateScript, runJq } from "./scripts.ts";
import { StoredExecution, viewOf } from "./stored-execution.ts";

export type Message = Send & { readonly from: string };
export type Decide = (view: View, context: Context, events: readonly Event[]) => Decision;

export type WorldOptions = {
  /** Registered task definitions, by name. */
  readonly taskDefs?: { readonly [name: string]: unknown };
  /** Registered workflow definitions besides the one that is run. */
  readonly workflows?: readonly unknown[];
  readonly settings?: Partial<Settings>;
  readonly secrets?: { readonly [name: string]: string };
  /** Queues with a worker, as `domain:taskType`. */
  readonly activeDomains?: readonly string[];
  /** Task types besides the built-in ones. */
  readonly types?: readonly TaskType[];
  readonly random?: () => number;
  readonly evaluateScript?: (source: string, inputText: string) => ScriptOutcome;
  readonly runJq?: (program: string, input: Json) => JqOutcome;
  /** Stands in for the engine: a planted bug, or a counter of view calls. */
  readonly decide?: Decide;
  /** Leaves out the invariants, which look at every task after every commit. */
  readonly isUnchecked?: boolean;
  /** Breaks the one rule: what a transition sends leaves before its commit. */
  readonly sendsBeforeCommit?: boolean;
};

const settings: Settings = {
  missingPath: "parent",
  brand: "service",
  maxVariablesBytes: 256 * 1024,
  maxTaskInputBytes: 10_240 * 1024,
  maxTaskOutputBytes: 10_240 * 1024,
  maxWorkflowOutputBytes: 10_240 * 1024,
  maxDepth: 10,
  messages: { maxWaiting: 5, keepMs: 60_000, maxBatch: 3 },
};

/** More timers than this at one instant mean that firing does not help. */
const TIMER_STORM = 20_000;

/** A store, a clock and a mailbox: everything around the engine, in memory and without chance. */
export class World {
  now = 1_700_000_000_000;
  readonly executions = new Map<string, StoredExecution>();
  /** Messages between executions: in order from one sender to one receiver, in any order otherwise. */
  /** Messages for event handlers. */
  readonly published: PublishEvent[] = [];
  readonly outbox: Message[] = [];
  readonly cache = new Map<string, { readonly text: string; readonly expiresAt: number }>();
  readonly options: WorldOptions;
  readonly #plans = new Map<string, Plan>();
  readonly #workflows: { readonly def: WorkflowDef; readonly pinned: PinnedDef }[] = [];
  readonly #taskDefs = new Map<string, TaskDef>();
  readonly #types;

  constructor(options: WorldOptions = {}) {
    this.options = options;
    this.#types = taskTypes([...builtInTaskTypes, ...(options.types ?? [])]);
    for (const [name, def] of Object.entries(options.taskDefs ?? {})) this.registerTask(name, def);
    for (const def of options.workflows ?? []) this.register(def);
  }

  registerTask(name: string, def: unknown): void {
    this.#taskDefs.set(name, normalizeTaskDef({ ...(def as object), name }));
  }

  register(json: unknown): PinnedDef {
    const def = normalizeWorkflowDef(json);
    const pinned = this.pin(def);
    this.#workflows.push({ def, pinned });
    return pinned;
  }

  pin(json: unknown): PinnedDef {
    const def = embedTaskDefs(normalizeWorkflowDef(json), (name) => this.#taskDefs.get(name));
    const hash = digest(JSON.stringify(def));
    if (!this.#plans.has(hash)) this.#plans.set(hash, compilePlan(def));
    return { hash, name: def.name, version: def.version };
  }

  plan(hash: string): Plan {
    const plan = this.#plans.get(hash);
    if (plan === undefined) throw new Error(`No plan ${hash}`);
    return plan;
  }

  stored(id: string): StoredExecution {
    const stored = this.executions.get(id);
    if (stored === undefined) throw new Error(`No execution ${id}`);
    return stored;
  }

  /** Ids and chance depend on nothing but the execution and its revision, so deciding twice gives the same. */
  contextFor(id: string): Context {
    const rev = this.executions.get(id)?.head?.rev ?? 0;
    let draws = 0;
    const draw = () => digest(`${id} ${rev} ${draws++}`);
    return {
      now: this.now,
      settings: { ...settings, ...this.options.settings },
      taskTypes: this.#types,
      newExecutionId: () => executionId(draw()),
      random: this.options.random ?? (() => Number.parseInt(draw().slice(0, 8), 16) / 0x1_0000_0000),
      plan: (hash) => this.plan(hash),
      evaluateScript: this.options.evaluateScript ?? evaluateScript,
      runJq: this.options.runJq ?? runJq,
      checkSchema: () => undefined,
      findTaskDef: (name) => this.#taskDefs.get(name),
      findWorkflowDef: (name, version) => this.#findWorkflow(name, version),
      pinDefinition: (def) => this.pin(def),
      isDomainActive: (taskType, domain) => this.options.activeDomains?.includes(`${domain}:${taskType}`) ?? false,
      findCached: (key) => this.#findCached(key),
      constant: () => undefined,
      environment: () => undefined,
      findSecret: (name) => this.options.secrets?.[name],
    };
  }

  /** Decides on events without committing anything. */
  consider(id: string, events: readonly Event[], view?: View): Decision {
    const stored = this.executions.get(id) ?? new StoredExecution();
    return (this.options.decide ?? decide)(view ?? viewOf(stored), this.contextFor(id), events);
  }

  /** Decides and commits; what it sends waits in the outbox. */
  apply(id: string, events: readonly Event[]): readonly (Refusal | undefined)[] {
    const decision = this.consider(id, events);
    if (decision.kind === "missing") throw new Error("Everything was at hand, yet something was missing");
    if (decision.changes !== undefined) this.#commit(id, decision.changes, events);
    return decision.refusals;
  }

  /** A crash between deciding and committing: nothing of the decision may be left. */
  crash(id: string, events: readonly Event[]): void {
    const decision = this.consider(id, events);
    if (this.options.sendsBeforeCommit === true && decision.kind === "decided")
      this.#post(id, decision.changes?.sends ?? []);
  }

  #commit(id: string, changes: Changes, events: readonly Event[]): void {
    const stored = this.executions.get(id) ?? new StoredExecution();
    const isChecked = this.options.isUnchecked !== true;
    if (isChecked) checkTransition(stored, changes, events);
    stored.commit(changes);
    this.executions.set(id, stored);
    for (const { key, text, expiresAt } of changes.cachePuts) this.cache.set(key, { text, expiresAt });
    this.#post(id, changes.sends);
    if (changes.continues) this.#post(id, [{ target: id, event: { kind: "continue" } }]);
    else if (isChecked) checkStored(stored);
  }

  #post(from: string, sends: readonly Send[]): void {
    this.outbox.push(...sends.map((send) => ({ from, ...send })));
  }

  /** Delivers a message that may come next, the oldest unless another is picked; undefined when there is none. */
  deliverOne(pick = 0): Message | undefined {
    const channels = this.outbox.map(({ from, target }) => `${from} ${target}`);
    const possible = [...channels.keys()].filter((at) => channels.indexOf(channels[at] ?? "") === at);
    const [message] = this.outbox.splice(possible[pick % possible.length] ?? 0, 1);
    if (message === undefined) return undefined;
    if (message.event.kind === "publish") {
      this.published.push(message.event);
      return message;
    }
    checkMessage(message.event, this.executions);
    this.apply(message.target, [completeStart(message.event)]);
    return message;
  }

  /** Delivers until nobody has anything to say, and checks that everyone waits for something. */
  deliverAll(): void {
    for (let count = 0; this.deliverOne() !== undefined; count++)
      if (count > 100_000) throw new Error("Messages without end");
    this.checkWaiting();
  }

  checkWaiting(): void {
    if (this.options.isUnchecked === true) return;
    for (const stored of this.executions.values()) checkWaiting(stored, this.executions);
  }

  /** Moves the clock, firing everything that falls due on the way, in order. */
  advance(ms: number): void {
    const until = this.now + ms;
    for (let fired = 0; ; fired++) {
      const next = this.nextTimer();
      if (next === undefined || next.at > until) break;
      if (fired > TIMER_STORM) throw new Error(`Timer ${next.no} of ${next.id} fires without end`);
      this.now = Math.max(this.now, next.at);
      this.fire(next.id, next.no);
      this.deliverAll();
    }
    this.now = Math.max(this.now, until);
  }

  nextTimer(): { readonly id: string; readonly no: number; readonly at: number } | undefined {
    let next: { id: string; no: number; at: number } | undefined;
    for (const [id, stored] of this.executions) {
      for (const [no, work] of stored.work) {
        if (work.timerAt > 0 && (next === undefined || work.timerAt < next.at)) next = { id, no, at: work.timerAt };
      }
    }
    return next;
  }

  /** Delayed work becomes ready without a transition; every other deadline is an event. */
  fire(id: string, no: number): void {
    const stored = this.stored(id);
    const work = stored.work.get(no);
    if (work?.state === "delayed" && work.dueAt <= this.now) stored.work.set(no, readyWork(work, this.now));
    else this.apply(id, [{ kind: "timer", no }]);
  }

  /** Claims the first ready task of a queue, as a worker's poll does. */
  poll(queue: string, workerId = "w1"): { readonly id: string; readonly task: Task } | undefined {
    const ready = [...this.executions].flatMap(([id, stored]) =>
      [...stored.work]
        .filter(([, work]) => work.state === "ready" && work.queue === queue)
        .map(([no, work]) => ({ id, stored, no, work })),
    );
    const [first] = ready.sort((a, b) => b.work.priority - a.work.priority || a.work.dueAt - b.work.dueAt);
    if (first === undefined) return undefined;
    this.claim(first.id, first.no, workerId);
    const task = first.stored.tasks.get(first.no);
    return task === undefined ? undefined : { id: first.id, task: first.stored.laidOver(task) };
  }

  claim(id: string, no: number, workerId = "w1"): void {
    const stored = this.stored(id);
    const work = stored.work.get(no);
    if (work?.state !== "ready") throw new Error(`Task ${no} is not ready but ${work?.state}`);
    stored.work.set(no, claimedWork(work, workerId, this.now));
  }

  isOver(id: string): boolean {
    const head = this.executions.get(id)?.head;
    return head !== undefined && isWorkflowTerminal(head.status);
  }

  #findWorkflow(name: string, version: number | undefined): PinnedDef | undefined {
    const named = this.#workflows.filter(({ def }) => def.name === name);
    if (version !== undefined) return named.findLast(({ def }) => def.version === version)?.pinned;
    return named.sort((a, b) => b.def.version - a.def.version)[0]?.pinned;
  }

  #findCached(key: string): RawJson | undefined {
    const cached = this.cache.get(key);
    return cached === undefined || cached.expiresAt <= this.now ? undefined : new RawJson(cached.text);
  }
}

/** The server adds the failed execution to the input of a failure workflow when it delivers its start. */
function completeStart(event: Event): Event {
  if (event.kind !== "start" || event.failureOf === undefined) return event;
  const input = { ...(event.input.value as object), ...event.failureOf };
  return { ...event, input: new RawJson(JSON.stringify(input)) };
}

export const digest = (text: string): string => createHash("md5").update(text).digest("hex");

export const executionId = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 26)}000000`;
