import { hostname } from "node:os";
import {
  bareReference,
  builtInTaskTypes,
  type Changes,
  type Context,
  type Event,
  type Head,
  isTerminal,
  isWorkflowTerminal,
  type PinnedDef,
  PULL_WORKFLOW_MESSAGES,
  type PublishEvent,
  type RawJson,
  type Refusal,
  referenceTaskName,
  type StartEvent,
  type StartRequest,
  type Task,
  type TaskTypes,
  taskTypes,
  type WorkflowStatus,
} from "@downbeat/engine";
import type { DocumentPut, OutboxKey, QueuedWork, Store } from "@downbeat/store";
import type { Config } from "../config.ts";
import { Events } from "../events/events.ts";
import type { EventActionEffect, Extension, OpenExtension } from "../extension.ts";
import { Files } from "../files/files.ts";
import { StatusListeners } from "../listeners/status-listeners.ts";
import type { Logger } from "../log.ts";
import { Metrics } from "../metrics/metrics.ts";
import { LargePayloads } from "../payloads/large-payloads.ts";
import { openSandbox, type Sandbox } from "../sandbox/sandbox.ts";
import { Secrets } from "../secrets/secret-store.ts";
import { environmentValues, type NamedValues } from "../secrets.ts";
import { TokenFeed } from "../streams/token-feed.ts";
import { type BuiltInExecutors, openBuiltInExecutors } from "../tasks/built-in-executors.ts";
import { type Clock, createClock } from "./clock.ts";
import { CommitFeed } from "./commit-feed.ts";
import { createContexts } from "./context.ts";
import { Definitions } from "./definitions.ts";
import { type Attached, Dispatcher } from "./dispatcher.ts";
import { eventFromText, eventToText } from "./event-text.ts";
import { Execution } from "./execution.ts";
import { ExecutionView } from "./execution-view.ts";
import { addFailedWorkflow } from "./failed-workflow.ts";
import { createExecutionIds } from "./ids.ts";
import { type NodeInfo, NodeMeter, readNodeInfo } from "./node-info.ts";
import { type Executor, OutsideWork } from "./outside-work.ts";
import { Peers } from "./peers.ts";
import { PollData } from "./poll-data.ts";
import { type Claim, Queues } from "./queues.ts";
import { type Belongings, Removals } from "./removals.ts";
import { SchemaCheck } from "./schema-check.ts";
import { Starts } from "./starts.ts";
import { Timers } from "./timers.ts";

const RECOVERY_BATCH = 1000;
const POLL_DATA = "poll-data";
/** Polls as old as this are told to the other servers once more. */
const POLLS_TOLD_MS = 3000;

export type RuntimeOptions = {
  readonly config: Config;
  readonly log: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  readonly extensions?: readonly Extension[];
};

/** The running system without its HTTP interface: everything that happens to executions goes through here. */
export class Runtime {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly store: Store;
  readonly definitions: Definitions;
  readonly queues: Queues;
  readonly pollData: PollData;
  readonly secrets: Secrets;
  readonly environment: NamedValues;
  readonly sandbox: Sandbox;
  readonly schemas = new SchemaCheck();
  readonly payloads: LargePayloads;
  /** Undefined when they are switched off. */
  readonly files: Files | undefined;
  readonly removals: Removals;
  readonly newExecutionId: () => string;
  /** Other servers on the same store. */
  readonly peers: Peers;
  /** What was committed, for those who wait for it or watch. */
  readonly feed: CommitFeed;
  /** What models say, while they say it. */
  readonly tokens: TokenFeed;
  readonly #stopping = new AbortController();
  readonly #dispatcher: Dispatcher;
  readonly #starts: Starts;
  readonly #timers: Timers;
  readonly #outside: OutsideWork;
  readonly #executors: readonly Executor[];
  readonly #builtIn: BuiltInExecutors;
  readonly #context: (view: ExecutionView) => Context;
  readonly #taskTypes: TaskTypes;
  readonly #meter = new NodeMeter();
  /** What other servers wrote is told one after the other. */
  #told: Promise<void> = Promise.resolve();
  #isLoaded = false;
  readonly events: Events;
  readonly metrics: Metrics;
  readonly listeners: StatusListeners;
  readonly extensions: readonly OpenExtension[];

  constructor({ config, log, env, store, extensions = [] }: RuntimeOptions) {
    this.config = config;
    this.log = log;
    const { nodes } = store;
    this.clock = createClock(() => nodes?.clockOffset ?? 0);
    this.newExecutionId = createExecutionIds(this.clock);
    this.store = store;
    this.peers = new Peers(store, log);
    this.feed = new CommitFeed(this.peers);
    this.tokens = new TokenFeed(this.peers);
    this.metrics = new Metrics(this);
    this.definitions = new Definitions(this.store, this.peers);
    this.events = new Events(this);
    this.listeners = new StatusListeners(this, this.events);
    this.pollData = new PollData(config["service.app.activeWorkerLastPollTimeout"]);
    this.peers.share(POLL_DATA, async () => {
      for (const poll of this.pollData.all()) this.peers.tellPoll(poll);
    });
    this.secrets = new Secrets({ config, env, store, peers: this.peers, clock: this.clock, log });
    this.environment = environmentValues(env);
    this.payloads = new LargePayloads(this);
    this.files = config["service.file-storage.enabled"] ? new Files(this) : undefined;
    this.removals = new Removals({ store, log, belongings: this.#belongings() });
    this.sandbox = openSandbox({
      timeoutMs: config["service.script.timeout"],
      memoryBytes: config["service.script.memory"],
    });
    this.queues = new Queues({
      store: this.store,
      clock: this.clock,
      log,
      window: config["service.queue.window"],
      peers: this.peers,
      onClaim: (claim, isWatchedElsewhere) => this.#noteClaim(claim, isWatchedElsewhere),
      onReady: (item) => this.#noteReady(item),
    });
    this.#timers = new Timers({
      store: this.store,
      clock: this.clock,
      log,
      peers: this.peers,
      onDue: (item) => this.#timerDue(item),
    });
    const builtIn = builtInTaskTypes.filter(
      ({ type }) => type !== PULL_WORKFLOW_MESSAGES || config["service.workflow-message-queue.enabled"],
    );
    this.#taskTypes = taskTypes([...builtIn, ...extensions.flatMap((extension) => extension.taskTypes ?? [])]);
    this.#context = createContexts({
      clock: this.clock,
      store: this.store,
      definitions: this.definitions,
      sandbox: this.sandbox,
      pollData: this.pollData,
      settings: {
        missingPath: config["service.expression.missing"],
        brand: config["service.brand"],
        maxVariablesBytes: config["service.app.maxWorkflowVariablesPayloadSizeThreshold"],
        maxTaskInputBytes: config["service.app.maxTaskInputPayloadSizeThreshold"],
        maxTaskOutputBytes: config["service.app.maxTaskOutputPayloadSizeThreshold"],
        maxWorkflowOutputBytes: config["service.app.maxWorkflowOutputPayloadSizeThreshold"],
        maxDepth: config["service.app.maxSubWorkflowDepth"],
        messages: {
          maxWaiting: config["service.workflow-message-queue.maxQueueSize"],
          keepMs: config["service.workflow-message-queue.ttlSeconds"],
          maxBatch: config["service.workflow-message-queue.maxBatchSize"],
        },
        sinks: this.events.sinks.enabled,
      },
      taskTypes: this.#taskTypes,
      secrets: this.secrets,
      environment: this.environment,
      schemas: this.schemas,
      newExecutionId: this.newExecutionId,
      constants: constantsOf(env),
    });
    this.#dispatcher = new Dispatcher({
      store: this.store,
      definitions: this.definitions,
      queues: this.queues,
      timers: this.#timers,
      log,
      cacheBytes: config["service.cache.size"],
      peers: this.peers,
      payloads: this.payloads,
      context: this.#context,
      send: async (target, event, consumes) => {
        if (event.kind === "publish") await this.#publish(event, consumes);
        else if (event.kind === "start") await this.#starts.startSent(event, consumes);
        else await this.dispatch(target, event, { consumes });
      },
      notices: (transitioned) => this.listeners.sendsOf(transitioned),
      onCommit: (changes, statusBefore, isWatchedElsewhere) => {
        this.#committed(changes, statusBefore);
        if (isWatchedElsewhere) this.#tellCommitted(changes, statusBefore);
      },
      prepare: (event) => this.#prepare(event),
    });
    this.#starts = new Starts(this, this.#dispatcher);
    this.extensions = extensions.map((extension) => extension.open?.(this) ?? {});
    for (const { belongings } of this.extensions) if (belongings !== undefined) this.removals.add(belongings);
    this.#builtIn = openBuiltInExecutors(this);
    this.#executors = [...this.#builtIn.all, ...this.extensions.flatMap((extension) => extension.executors ?? [])];
    this.#outside = new OutsideWork({
      queues: this.queues,
      log,
      node: hostname(),
      secrets: this.secrets,
      load: async (claim) => {
        const loaded = await this.loadClaimed(claim);
        return loaded === undefined ? undefined : { ...loaded, input: await this.payloads.whole(loaded.input) };
      },
      report: async ({ id, no }, result) => {
        await this.dispatch(id, { kind: "task-result", no, result });
      },
    });
  }

  async start(): Promise<void> {
    this.peers.onChange(() => this.#lookAgain());
    await this.peers.join({
      onReady: (queue) => this.queues.wake(queue),
      onFreeSlot: (name) => this.queues.wakeLimited(name),
      onCancel: (id, no) => this.#outside.cancel(id, no),
      onCommitted: (id, hasNewStatus, nos) => this.#committedElsewhere(id, hasNewStatus, nos),
      onTokenWatch: (from, id, isWatched) => this.tokens.onAsked(from, id, isWatched),
      onToken: (from, number, token) => this.tokens.onToken(from, number, token),
      onPoll: (poll) => this.pollData.merge([poll]),
      onInherited: () => this.#inherit(),
      onGap: () => this.#lookAgain(),
      describe: () => this.#describe(),
    });
    await this.definitions.load();
    await this.events.handlers.load();
    await this.payloads.start();
    await this.files?.start();
    await this.removals.start();
    await this.secrets.load();
    for (const extension of this.extensions) await extension.start?.();
    // What other servers left behind, and timers, were kept waiting: without definitions and handlers they went wrong.
    this.#isLoaded = true;
    await this.#recover();
    await this.#starts.admitAll();
    await this.#timers.look();
    this.#outside.start(this.#executors);
    this.events.start();
    this.listeners.start();
  }

  async #publish(event: PublishEvent, consumes: OutboxKey): Promise<void> {
    if (this.listeners.isNotice(event.names[0] ?? "")) this.listeners.deliver(event, consumes);
    else await this.events.deliver(event, consumes);
  }

  #belongings(): Belongings[] {
    const goWithIt = this.config["service.file-storage.delete-with-workflow"];
    return this.files === undefined || !goWithIt ? [this.payloads] : [this.payloads, this.files];
  }

  /** Delivers what a crash left undelivered. What cannot be delivered stays: it must not keep the server from starting. */
  async #recover(): Promise<void> {
    const seen = new Set<string>();
    for (;;) {
      // Some stay, because nobody takes them now: they must not hide the ones behind them.
      const limit = Math.max(RECOVERY_BATCH, 2 * seen.size);
      const rows = await this.store.undelivered(limit);
      const fresh = rows.filter(({ sender, n }) => !seen.has(`${sender} ${n}`));
      for (const { sender, n } of fresh) seen.add(`${sender} ${n}`);
      await this.#dispatcher.recover(fresh, eventFromText);
      if (fresh.length === 0 || rows.length < limit) return;
    }
  }

  /** Aborted when the server stops: whoever waits for something to happen answers with what there is. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Requests that wait (polls, synchronous executions, streams) are answered now; the listener can then close. */
  stopWaiting(): void {
    this.queues.close();
    this.#stopping.abort();
  }

  /** Lets commits under way finish. */
  async close(): Promise<void> {
    this.stopWaiting();
    await this.events.stopListening();
    this.#timers.close();
    this.peers.close();
    const outside = this.#outside.close();
    await outside;
    await this.#dispatcher.idle();
    await this.listeners.close();
    await this.events.close();
    for (const extension of this.extensions) await extension.close?.();
    await this.files?.close();
    await this.payloads.close();
    await this.sandbox.close();
    await this.schemas.close();
    await this.#builtIn.close();
    await this.store.close();
  }

  /** Starts an execution of a pinned definition; the id is on disk when this resolves. */
  async startExecution(
    pinned: PinnedDef,
    request: Omit<StartRequest, "input"> & { readonly isTest?: boolean },
    input: RawJson,
    attached: Attached = {},
  ): Promise<string> {
    const event: StartEvent = {
      ...this.newStart(pinned, input),
      ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
      ...(request.priority === undefined ? {} : { priority: request.priority }),
      ...(request.taskToDomain === undefined ? {} : { taskToDomain: request.taskToDomain }),
      ...(request.createdBy === undefined ? {} : { createdBy: request.createdBy }),
      ...(request.idempotencyKey === undefined ? {} : { idempotencyKey: request.idempotencyKey }),
      ...(request.isTest === true ? { test: true } : {}),
    };
    await this.#starts.start(event, { ...attached, isNew: true });
    return event.id;
  }

  /** The start of a new execution of a pinned definition. */
  newStart({ hash, name, version }: PinnedDef, input: RawJson): StartEvent {
    const id = this.newExecutionId();
    return { kind: "start", id, defHash: hash, workflowName: name, workflowVersion: version, input };
  }

  /** Resolves when the event's effect is on disk, or with the reason why it was not applied. */
  dispatch(id: string, event: Event, attached: Attached = {}): Promise<Refusal | undefined> {
    return this.#dispatcher.dispatch(id, event, attached);
  }

  /**
   * Takes an event out of the outbox, if it came from there, and puts what comes of it in, in one commit; then delivers
   * that. False when this was done before: the event was consumed, or a document that must be new was there.
   */
  async consumeInto(
    consumed: OutboxKey | undefined,
    sender: string,
    effects: readonly { readonly target: string; readonly event: Event }[],
    documents: readonly DocumentPut[] = [],
  ): Promise<boolean> {
    const sends = effects.map(({ target, event }, n) => ({ sender, n, target, body: eventToText(event) }));
    const hashes = effects.flatMap(({ event }) => (event.kind === "start" ? [event.defHash] : []));
    const defs = [...new Set(hashes)]
      .map((hash) => this.definitions.findUnstored(hash))
      .filter((def) => def !== undefined);
    const { kind } = await this.store.commit({
      kind: "transition",
      changes: undefined,
      defs,
      consumes: consumed === undefined ? [] : [consumed],
      idempotency: undefined,
      slot: undefined,
      sends,
      logs: [],
      documents,
    });
    // Done before, by a delivery that was repeated: its effects are in the outbox since then.
    if (kind !== "done") return false;
    for (const { hash } of defs) this.definitions.markStored(hash);
    this.#dispatcher.deliver(
      sends,
      effects.map(({ event }) => event),
    );
    return true;
  }

  /** The head as committed; undefined when there is no such execution. */
  async loadHead(id: string): Promise<Head | undefined> {
    return this.#dispatcher.findExecution(id)?.head ?? (await this.store.executions.head(id));
  }

  /** What memory holds of an execution, all of it committed. */
  findLoaded(id: string): Execution | undefined {
    return this.#dispatcher.findExecution(id);
  }

  async findTask(id: string, no: number): Promise<Task | undefined> {
    return this.#dispatcher.findExecution(id)?.tasks.get(no) ?? (await this.store.executions.task(id, no));
  }

  /** The first open task of this reference name, with or without its iteration suffix. */
  async findOpenTask(id: string, ref: string): Promise<Task | undefined> {
    const head = await this.loadHead(id);
    if (head === undefined) return undefined;
    const latest = await this.store.executions.latest(head, ref);
    if (latest !== undefined && !isTerminal(latest.status) && referenceTaskName(latest) === ref) return latest;
    const open = await this.store.executions.open(head, Number.MAX_SAFE_INTEGER);
    return open.find((task) => referenceTaskName(task) === ref) ?? open.find((task) => task.ref === ref);
  }

  /** True when there is or was a task of this reference name, with or without its iteration suffix. */
  async hasTask(id: string, ref: string): Promise<boolean> {
    const head = await this.loadHead(id);
    if (head === undefined) return false;
    const { executions } = this.store;
    return ((await executions.latest(head, ref)) ?? (await executions.latest(head, bareReference(ref)))) !== undefined;
  }

  /** What a poller or an executor needs of the task it claimed; undefined when it is gone. Its input may lie elsewhere. */
  async loadClaimed({
    id,
    no,
  }: Claim): Promise<{ readonly head: Head; readonly task: Task; readonly input: RawJson } | undefined> {
    const execution = this.#dispatcher.findExecution(id);
    const head = execution?.head ?? (await this.store.executions.head(id));
    if (head === undefined) return undefined;
    const task = execution?.tasks.get(no) ?? (await this.store.executions.task(id, no));
    if (task === undefined) return undefined;
    const input = execution?.payloads.get(`${no}input`) ?? (await this.store.executions.payload(id, no, "input"));
    return { head, task, input };
  }

  /** What an extension does for an action of an event handler. */
  eventAction(name: string): EventActionEffect | undefined {
    return this.extensions.map(({ eventActions }) => eventActions?.[name]).find((effect) => effect !== undefined);
  }

  /** True of types that workers poll for. */
  isForWorkers(taskType: string): boolean {
    return this.#taskTypes.find(taskType) === undefined;
  }

  /** True of types that the engine runs itself and that end by themselves. */
  isInstant(taskType: string): boolean {
    return this.#taskTypes.find(taskType)?.mode === "instant";
  }

  /** A context for reading stored executions through the engine. */
  readContext(): Context {
    return this.#context(new ExecutionView(new Execution(""), this.store, this.payloads));
  }

  #noteClaim({ id, no, work }: Claim, isWatchedElsewhere: boolean): void {
    this.#dispatcher.findExecution(id)?.setClaim(no, work);
    this.#timers.arm(work.timerAt);
    this.feed.publish({ kind: "claim", id, no, work });
    if (isWatchedElsewhere) this.peers.tellCommitted(id, false, [no]);
  }

  #noteReady({ id, no, work }: QueuedWork): void {
    this.#dispatcher.findExecution(id)?.setReady(no, work);
    this.#timers.arm(work.timerAt);
  }

  async #timerDue(item: QueuedWork): Promise<void> {
    const { id, no, work } = item;
    if (work.state === "delayed" && work.dueAt <= this.clock()) await this.queues.release(item);
    else await this.dispatch(id, { kind: "timer", no });
  }

  #committed(changes: Changes, statusBefore: WorkflowStatus | undefined): void {
    this.feed.publish({ kind: "changes", changes, statusBefore });
    const { rateLimitKey, status } = changes.head;
    if (rateLimitKey !== undefined && isWorkflowTerminal(status)) {
      this.#starts.admit(rateLimitKey).catch((error: unknown) =>
        this.log.error("Executions that wait for a slot could not be admitted", {
          key: rateLimitKey,
          error: String(error),
        }),
      );
    }
    for (const [no, work] of changes.work) if (work === undefined) this.#cancelOutside(changes, no);
    if (
      changes.baseRev !== undefined &&
      changes.head.epoch > 0 &&
      changes.head.nextSeq <= changes.newTasks.length + 1
    ) {
      // Rows of older epochs are never read: should they stay, they only take room.
      this.store
        .commit({ kind: "purge-epoch", id: changes.id, before: changes.head.epoch })
        .catch((error: unknown) => this.log.warn("Old rows could not be purged", { error: String(error) }));
    }
  }

  /** Whoever is doing the task's work can stop: this server, or another. */
  #cancelOutside({ id, changedTasks }: Changes, no: number): void {
    this.#outside.cancel(id, no);
    if (this.peers.isAlone || this.#outside.isRunning(id, no)) return;
    const task = changedTasks.find((changed) => changed.no === no);
    if (task !== undefined && this.#taskTypes.find(task.taskType)?.mode === "outside") this.peers.tellCancel(id, no);
  }

  /** Adds lines to a task's log. Whoever watches its execution hears of the task, and may look. */
  async addLogs(executionId: string, no: number, lines: readonly string[]): Promise<void> {
    const at = this.clock();
    await this.store.commit({ kind: "logs", lines: lines.map((line) => ({ executionId, no, at, line })) });
    this.#committedElsewhere(executionId, false, [no]);
    if (!this.peers.isAlone) this.peers.tellCommitted(executionId, false, [no]);
  }

  #tellCommitted({ id, head, newTasks, changedTasks }: Changes, statusBefore: WorkflowStatus | undefined): void {
    const nos = [...changedTasks, ...newTasks].map(({ no }) => no);
    this.peers.tellCommitted(id, statusBefore !== head.status, nos);
  }

  /** Another server wrote an execution. What is told to those who watch here is read from the store, in order. */
  #committedElsewhere(id: string, hasNewStatus: boolean, nos: readonly number[]): void {
    if (!this.feed.isWatched(id)) return;
    const { executions } = this.store;
    const reading = Promise.all([executions.head(id), ...nos.map((no) => executions.task(id, no))]);
    // Told of where it is waited for.
    reading.catch(() => undefined);
    this.#told = this.#told.then(async () => {
      try {
        const [head, ...tasks] = await reading;
        if (head === undefined) this.feed.publish({ kind: "gap", id });
        else
          this.feed.publish({
            kind: "elsewhere",
            head,
            tasks: tasks.filter((task) => task !== undefined),
            hasNewStatus,
          });
      } catch (error) {
        this.log.warn("A commit of another server could not be shown", { id, error: String(error) });
      }
    });
  }

  /** A server is gone, and this one delivers what it had not. What is on its way already is delivered once all the same. */
  #inherit(): void {
    if (!this.#isLoaded) return;
    this.#recover().catch((error: unknown) => this.log.error("Inherited events failed", { error: String(error) }));
  }

  /** Every heartbeat: what this node says of itself, and what the others said of their pollers. */
  #describe(): string {
    for (const { name, info } of this.peers.list()) {
      if (name !== this.peers.self) this.pollData.merge(readNodeInfo(info).polls ?? []);
    }
    return JSON.stringify(this.#meter.read(this.pollData.since(this.clock() - POLLS_TOLD_MS)));
  }

  /** Resolves when this server knows who polls at the others. */
  async gatherPollData(): Promise<void> {
    await this.peers.changed(POLL_DATA);
  }

  /** The servers on this store; the only one, where it has the store to itself. */
  nodes(): readonly (Partial<NodeInfo> & {
    readonly name: string;
    readonly silentMs: number;
    readonly isSelf: boolean;
  })[] {
    const known = this.peers.list();
    if (known.length === 0) return [{ name: hostname(), silentMs: 0, isSelf: true, ...this.#meter.read([]) }];
    return known.map(({ name, silentMs, info }) => ({
      name,
      silentMs,
      isSelf: name === this.peers.self,
      ...readNodeInfo(info),
    }));
  }

  /** Words of other servers may have been missed. */
  #lookAgain(): void {
    if (!this.#isLoaded) return;
    this.queues.wakeAll();
    this.feed.wakeAll();
    this.tokens.askAgain();
    this.#timers
      .look()
      .catch((error: unknown) => this.log.warn("Timers could not be looked at", { error: String(error) }));
  }

  #prepare(event: Event): Event | Promise<Event> {
    if (event.kind !== "start" || event.failureOf === undefined) return event;
    return addFailedWorkflow(this, event);
  }
}

/** Environment names that expressions may use as they are, for definitions written for the reference. */
function constantsOf(env: Readonly<Record<string, string | undefined>>): Map<string, string> {
  const constants = new Map<string, string>();
  for (const name of ["NETFLIX_ENV", "NETFLIX_STACK"]) {
    const value = env[name];
    if (value !== undefined) constants.set(name, value);
  }
  return constants;
}
