import {
  type Changes,
  type Context,
  type Decision,
  decide,
  type Event,
  ExternalJson,
  isWorkflowTerminal,
  type Refusal,
  type TaskStatus,
  type Work,
  type WorkflowStatus,
} from "@downbeat/engine";
import type { OutboxKey, OutboxRow, ScheduleRun, Store, TransitionUnit } from "@downbeat/store";
import type { Logger } from "../log.ts";
import type { LargePayloads } from "../payloads/large-payloads.ts";
import type { Definitions } from "./definitions.ts";
import { eventToText } from "./event-text.ts";
import { Execution } from "./execution.ts";
import { ExecutionView } from "./execution-view.ts";
import type { Peers } from "./peers.ts";
import type { Claim, Queues } from "./queues.ts";
import type { Timers } from "./timers.ts";

/** What comes with an event and is committed with it. */
export type Attached = {
  /** The event came out of the outbox: its row goes when it is applied. */
  readonly consumes?: OutboxKey;
  readonly idempotency?: TransitionUnit["idempotency"];
  readonly logs?: readonly { readonly no: number; readonly at: number; readonly line: string }[];
  /** The execution cannot exist yet: no need to look. */
  readonly isNew?: boolean;
  /** A slot of an execution limit that must be free; see rateLimitConfig. */
  readonly slot?: TransitionUnit["slot"];
  /** Notes that stand and fall with the transition. */
  readonly documents?: TransitionUnit["documents"];
  /** The slot of a schedule that the execution is started for. */
  readonly run?: Omit<ScheduleRun, "workflowId">;
};

/** No slot of the execution limit is free. */
export class NoFreeSlot extends Error {}

/** A document or a slot that must be new was there: what came with it was applied before. */
export class AppliedBefore extends Error {}

/** Another execution has the idempotency key. */
export class IdempotencyConflict extends Error {}

type Letter = {
  readonly event: Event;
  readonly attached: Attached;
  readonly resolve: (refusal: Refusal | undefined) => void;
  readonly reject: (error: unknown) => void;
};

type Mailbox = {
  readonly execution: Execution;
  letters: Letter[];
  isBusy: boolean;
  isLoaded: boolean;
  /** What the cache counts for it. */
  bytes: number;
};

type DispatcherOptions = {
  readonly store: Store;
  readonly definitions: Definitions;
  readonly queues: Queues;
  readonly timers: Timers;
  readonly log: Logger;
  readonly cacheBytes: number;
  readonly peers: Peers;
  readonly payloads: Pick<LargePayloads, "load" | "offload">;
  /** The context of one decision; slow answers go through the view. */
  readonly context: (view: ExecutionView) => Context;
  /** A transition was committed and its effects are released. */
  readonly onCommit: (changes: Changes, statusBefore: WorkflowStatus | undefined, isWatchedElsewhere: boolean) => void;
  /** Delivers an event out of the outbox, by `dispatch` in the end. */
  readonly send: (target: string, event: Event, consumes: OutboxKey) => Promise<void>;
  /** What else is to leave with a transition: word for those who listen. */
  readonly notices?: (transitioned: Transitioned) => Changes["sends"];
  /** A start that needs more than it carries is completed before it is applied. */
  readonly prepare: (event: Event) => Event | Promise<Event>;
};

export type Transitioned = {
  readonly changes: Changes;
  readonly statusBefore: WorkflowStatus | undefined;
  /** Undefined when memory holds nothing of the task. */
  readonly taskStatusBefore: (no: number) => TaskStatus | undefined;
  /** Events of the transition that were not refused. Asked for only where someone listens. */
  readonly applied: () => readonly Event[];
};

/**
 * One mailbox per execution. Events that arrive while its commit is on the way to disk are applied together in its next
 * transition. Nothing leaves (a queue entry, a poller's answer, an event for another execution) before its commit.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  /** Least recently used first. */
  readonly #mailboxes = new Map<string, Mailbox>();
  readonly #lanes = new Map<string, Lane>();
  #bytes = 0;
  #busy = 0;
  #onIdle: (() => void)[] = [];

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Other servers write to the same store: what memory holds may be out of date a moment later. */
  get #isShared(): boolean {
    return !this.#options.peers.isAlone;
  }

  /** Resolves when the event's effect is on disk; with a refusal when the engine declined it. */
  dispatch(id: string, event: Event, attached: Attached = {}): Promise<Refusal | undefined> {
    return new Promise((resolve, reject) => {
      const mailbox = this.#mailbox(id, attached.isNew === true);
      mailbox.letters.push({ event, attached, resolve, reject });
      if (!mailbox.isBusy) void this.#work(mailbox);
    });
  }

  /** What memory holds of an execution, all of it committed and all of it true. */
  findExecution(id: string): Execution | undefined {
    return this.#isShared ? undefined : this.#mailboxes.get(id)?.execution;
  }

  /** Sends what a crash left in the outbox. An event that cannot be delivered stays there and does not stop the others. */
  async recover(rows: readonly OutboxRow[], parse: (text: string) => Event): Promise<void> {
    await Promise.all(rows.map((row) => this.#deliver(row, () => parse(row.body))));
  }

  /** Delivers rows that a commit has put into the outbox. */
  deliver(rows: readonly OutboxRow[], events: readonly Event[]): void {
    rows.forEach((row, index) => {
      const event = events[index];
      if (event !== undefined) void this.#deliver(row, () => event);
    });
  }

  /** Resolves when no commit is under way. */
  async idle(): Promise<void> {
    if (this.#busy === 0) return;
    await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #mailbox(id: string, isNew: boolean): Mailbox {
    let mailbox = this.#mailboxes.get(id);
    if (mailbox === undefined) {
      mailbox = { execution: new Execution(id), letters: [], isBusy: false, isLoaded: isNew, bytes: 0 };
    } else {
      this.#mailboxes.delete(id);
    }
    this.#mailboxes.set(id, mailbox);
    return mailbox;
  }

  async #work(mailbox: Mailbox): Promise<void> {
    mailbox.isBusy = true;
    this.#busy++;
    try {
      while (mailbox.letters.length > 0) {
        const letters = mailbox.letters;
        mailbox.letters = [];
        await this.#transition(mailbox, letters);
      }
    } finally {
      mailbox.isBusy = false;
      this.#busy--;
      this.#settleCache(mailbox);
      if (this.#busy === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }

  async #transition(mailbox: Mailbox, letters: readonly Letter[]): Promise<void> {
    try {
      const events = await this.#prepare(letters);
      const decision = await this.#decide(mailbox, events);
      const outcome = await this.#commit(mailbox, decision, letters);
      if (outcome === "again") return await this.#transition(mailbox, letters);
      for (const [index, letter] of letters.entries()) letter.resolve(decision.refusals[index]);
    } catch (error) {
      if (letters.length === 1) {
        this.#drop(mailbox);
        letters[0]?.reject(error);
        return;
      }
      // One of them is bad. The others must not suffer for it: one transition each.
      for (const letter of letters) await this.#transition(mailbox, [letter]);
    }
  }

  async #prepare(letters: readonly Letter[]): Promise<readonly Event[]> {
    const events = letters.map((letter) => this.#options.prepare(letter.event));
    return events.some((event) => event instanceof Promise) ? await Promise.all(events) : (events as readonly Event[]);
  }

  async #decide(mailbox: Mailbox, events: readonly Event[]): Promise<Extract<Decision, { kind: "decided" }>> {
    const { execution } = mailbox;
    const isShared = this.#isShared;
    if (isShared && mailbox.isLoaded && execution.head !== undefined) this.#drop(mailbox);
    if (!mailbox.isLoaded) {
      const head = this.#options.store.executions.head(execution.id);
      execution.head = head instanceof Promise ? await head : head;
      // After the head, never beside it: a task that is older than the head would pass the head's guard.
      if (isShared) await this.#prefetch(execution, events);
      mailbox.isLoaded = true;
    }
    // Of an execution that does not exist yet, everything there is is known.
    if (execution.head === undefined) execution.isWhole = true;
    const view = new ExecutionView(execution, this.#options.store, this.#options.payloads);
    const context = this.#options.context(view);
    const bound = events.map((event) => bindPayloads(view, event));
    for (;;) {
      const decision = decide(view, context, bound);
      if (decision.kind === "decided") return decision;
      await view.arrive();
    }
  }

  /** The tasks that the events are about, asked for together: one way to the store and back. */
  async #prefetch(execution: Execution, events: readonly Event[]): Promise<void> {
    const { executions } = this.#options.store;
    const nos = new Set(events.flatMap((event) => ("no" in event && event.no > 0 ? [event.no] : [])));
    await Promise.all(
      [...nos].map(async (no) => {
        const [task, work] = await Promise.all([executions.task(execution.id, no), executions.work(execution.id, no)]);
        if (task !== undefined) execution.setTask(task);
        execution.work.set(no, work ?? null);
      }),
    );
  }

  /** "again": someone else was faster, and what was decided is void. */
  async #commit(
    mailbox: Mailbox,
    decision: Extract<Decision, { kind: "decided" }>,
    letters: readonly Letter[],
  ): Promise<"done" | "again"> {
    const { store, definitions } = this.#options;
    const consumes = letters.map((letter) => letter.attached.consumes).filter((key) => key !== undefined);
    const logs = letters.flatMap((letter, index) =>
      decision.refusals[index] === undefined ? (letter.attached.logs ?? []) : [],
    );
    if (decision.changes === undefined && consumes.length === 0) {
      await this.#commitLogs(mailbox.execution.id, logs);
      return "done";
    }
    const offloading = decision.changes === undefined ? undefined : this.#options.payloads.offload(decision.changes);
    const offloaded = offloading === undefined ? undefined : await offloading;
    const { changes, reservations } = this.#reserve(offloaded?.changes ?? decision.changes);
    const leaving = changes === undefined ? [] : this.#leaving(mailbox, changes, decision, letters);
    const sends = changes === undefined ? [] : leaving.map((send, index) => toOutbox(changes, send, index));
    const defs = changes === undefined ? [] : this.#unstoredDefs(changes);
    const idempotency = letters.find((letter) => letter.attached.idempotency !== undefined)?.attached.idempotency;
    const slot = letters.find((letter) => letter.attached.slot !== undefined)?.attached.slot;
    const notes = letters.flatMap((letter, index) =>
      decision.refusals[index] === undefined ? (letter.attached.documents ?? []) : [],
    );
    const run = letters.find((letter) => letter.attached.run !== undefined)?.attached.run;
    const documents = offloaded === undefined ? notes : [...notes, ...offloaded.documents];
    const unit: TransitionUnit = {
      kind: "transition",
      changes,
      defs,
      consumes,
      idempotency,
      slot,
      sends,
      logs,
      ...(documents.length === 0 ? {} : { documents }),
      ...(run === undefined ? {} : { run: { ...run, workflowId: mailbox.execution.id } }),
    };
    let settled = false;
    try {
      const commit = await store.commit(unit);
      if (commit.kind === "done") {
        settled = true;
        for (const { hash } of defs) definitions.markStored(hash);
        const isWatchedElsewhere = commit.watchers !== undefined;
        this.#release(mailbox, changes, { reservations, leaving, sends, isWatchedElsewhere });
        if (offloaded !== undefined) await offloaded.settle();
        if (changes === undefined) await this.#commitLogs(mailbox.execution.id, logs);
        return "done";
      }
      this.#drop(mailbox);
      if (commit.guard === "concurrency") throw new NoFreeSlot("No slot of the execution limit is free");
      if (commit.guard === "idempotency") throw new IdempotencyConflict("The idempotency key is taken");
      if (commit.guard === "exists") throw new AppliedBefore("A note of this transition was there before");
      if (commit.guard === "outbox") {
        // Applied before, perhaps by a delivery that was repeated: nothing to do for that one.
        if (letters.length === 1) return "done";
        throw new Error("An event of this transition was applied before");
      }
      return "again";
    } finally {
      if (!settled) {
        for (const { settle } of reservations) settle(undefined);
        await offloaded?.undo();
      }
    }
  }

  #leaving(
    { execution }: Mailbox,
    changes: Changes,
    { refusals }: Extract<Decision, { kind: "decided" }>,
    letters: readonly Letter[],
  ): Changes["sends"] {
    const { notices: noticesOf } = this.#options;
    if (noticesOf === undefined) return sendsOf(changes);
    const notices = noticesOf({
      changes,
      statusBefore: execution.head?.status,
      taskStatusBefore: (no) => execution.tasks.get(no)?.status,
      applied: () => letters.filter((_, index) => refusals[index] === undefined).map(({ event }) => event),
    });
    return notices.length === 0 ? sendsOf(changes) : [...sendsOf(changes), ...notices];
  }

  /** Lines that came with a result that changed nothing: a late one. */
  async #commitLogs(id: string, logs: TransitionUnit["logs"]): Promise<void> {
    if (logs.length === 0) return;
    await this.#options.store.commit({ kind: "logs", lines: logs.map((line) => ({ ...line, executionId: id })) });
  }

  /** Work that someone waits for is born claimed: one commit instead of two. */
  #reserve(changes: Changes | undefined): { changes: Changes | undefined; reservations: Reservation[] } {
    const reservations: Reservation[] = [];
    if (changes === undefined) return { changes, reservations };
    let work: Map<number, Work | undefined> | undefined;
    for (const [no, item] of changes.work) {
      const reserved = item === undefined || no === 0 ? undefined : this.#options.queues.reserve(item);
      if (reserved === undefined) continue;
      work ??= new Map(changes.work);
      work.set(no, reserved.work);
      reservations.push({ no, ...reserved });
    }
    return { changes: work === undefined ? changes : { ...changes, work }, reservations };
  }

  #unstoredDefs(changes: Changes): readonly { readonly hash: string; readonly body: string }[] {
    const { definitions } = this.#options;
    const hashes = new Set([changes.head.defHash]);
    for (const { event } of changes.sends) if (event.kind === "start") hashes.add(event.defHash);
    return [...hashes].map((hash) => definitions.findUnstored(hash)).filter((def) => def !== undefined);
  }

  /** The commit is on disk: make it so in memory, then let its effects go. */
  #release(mailbox: Mailbox, changes: Changes | undefined, written: Written): void {
    if (changes === undefined) return;
    const { reservations, leaving, sends, isWatchedElsewhere } = written;
    const { queues, timers, onCommit } = this.#options;
    const limits = limitsOf(mailbox.execution, changes);
    const statusBefore = mailbox.execution.head?.status;
    mailbox.execution.apply(changes);
    for (const [no, work] of changes.work) {
      if (work === undefined) continue;
      timers.arm(work.timerAt);
      if (work.state === "ready" && no !== 0) queues.offer({ id: changes.id, no, work });
    }
    for (const { no, work, settle } of reservations) settle({ id: changes.id, no, work });
    if (limits === "unknown") queues.freeSlots();
    else for (const name of limits) queues.freeSlot(name);
    leaving.forEach((send, index) => {
      const row = sends[index];
      if (row !== undefined) void this.#deliver(row, () => send.event);
    });
    onCommit(changes, statusBefore, isWatchedElsewhere);
  }

  /**
   * Events for one target are delivered one after the other: a child's start before its end. Resolves when this one was
   * tried, or when one before it could not be delivered.
   */
  #deliver(row: OutboxRow, event: () => Event): Promise<void> {
    const { target } = row;
    const lane = this.#lanes.get(target) ?? { tail: undefined, waiting: new Set() };
    this.#lanes.set(target, lane);
    return new Promise((resolve) => {
      lane.waiting.add(resolve);
      const tail = this.#deliverInOrder(lane, row, event).finally(() => {
        lane.waiting.delete(resolve);
        resolve();
        if (lane.tail === tail) this.#lanes.delete(target);
      });
      lane.tail = tail;
    });
  }

  /** An event that cannot be delivered stays in the outbox and is tried again, more and more rarely. */
  async #deliverInOrder(lane: Lane, { sender, n, target }: OutboxRow, event: () => Event): Promise<void> {
    const { send, log } = this.#options;
    if (lane.tail !== undefined) await lane.tail;
    let readable: Event;
    try {
      readable = event();
    } catch (error) {
      // It will not become readable: it stays in the outbox for someone to look at, and the next one goes.
      log.error("An event in the outbox cannot be read", { sender, n, target, error: String(error) });
      return;
    }
    for (let failures = 0; ; failures++) {
      try {
        await send(target, readable, { sender, n });
        return;
      } catch (error) {
        const retryMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
        log.error("An event could not be delivered", { target, retryMs, error: String(error) });
        for (const resolve of lane.waiting) resolve();
        await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
      }
    }
  }

  /** Forgets what memory holds of an execution whose commit failed: the store knows. */
  #drop(mailbox: Mailbox): void {
    mailbox.execution.clear();
    mailbox.execution.head = undefined;
    mailbox.isLoaded = false;
  }

  /** Ended executions leave memory; running ones stay until the cache is full, the least recently used go first. */
  #settleCache(mailbox: Mailbox): void {
    const { execution } = mailbox;
    if (mailbox.letters.length > 0) return;
    if (execution.head === undefined || isWorkflowTerminal(execution.head.status) || this.#isShared) {
      this.#evict(mailbox);
      return;
    }
    this.#bytes += execution.size - mailbox.bytes;
    mailbox.bytes = execution.size;
    for (const oldest of this.#mailboxes.values()) {
      if (this.#bytes <= this.#options.cacheBytes) break;
      if (!oldest.isBusy) this.#evict(oldest);
    }
  }

  #evict(mailbox: Mailbox): void {
    this.#bytes -= mailbox.bytes;
    this.#mailboxes.delete(mailbox.execution.id);
  }
}

/** Deliveries to one execution, in order. */
type Lane = { tail: Promise<void> | undefined; readonly waiting: Set<() => void> };

type Written = {
  readonly reservations: readonly Reservation[];
  readonly leaving: Changes["sends"];
  readonly sends: readonly OutboxRow[];
  readonly isWatchedElsewhere: boolean;
};

type Reservation = { readonly no: number; readonly work: Work; readonly settle: (claim: Claim | undefined) => void };

/** The rest of a large transition is an event to itself, so that a crash in between does not lose it. */
const sendsOf = (changes: Changes): Changes["sends"] =>
  changes.continues ? [...changes.sends, { target: changes.id, event: { kind: "continue" } }] : changes.sends;

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
const SENDS_PER_REVISION = 100_000;

const toOutbox = (changes: Changes, { target, event }: Changes["sends"][number], index: number): OutboxRow => ({
  sender: changes.id,
  n: changes.head.rev * SENDS_PER_REVISION + index,
  target,
  body: eventToText(event),
});

/** What came in with an event and lies elsewhere is fetched through the decision that looks into it. */
function bindPayloads(view: ExecutionView, event: Event): Event {
  if (event.kind === "start" && event.input instanceof ExternalJson)
    return { ...event, input: view.bound(event.input) };
  if (event.kind === "task-result" && event.result.output instanceof ExternalJson)
    return { ...event, result: { ...event.result, output: view.bound(event.result.output) } };
  return event;
}

/** Names of limited task definitions whose slots this commit gave back; unknown when memory held nothing of the work. */
function limitsOf(execution: Execution, changes: Changes): ReadonlySet<string> | "unknown" {
  const names = new Set<string>();
  const firstNew = execution.head?.nextNo ?? 1;
  for (const [no, work] of changes.work) {
    const before = execution.work.get(no);
    if (before === undefined && no !== 0 && no < firstNew) return "unknown";
    const hasSlot = before?.state === "claimed" || before?.state === "waiting";
    const keepsSlot = work?.state === "claimed" || work?.state === "waiting";
    if (before?.limit !== undefined && hasSlot && !keepsSlot) names.add(before.limit.name);
  }
  return names;
}
