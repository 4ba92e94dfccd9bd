import type { Logger } from "../log.ts";
import { reasonOf } from "../outbound/reason-of.ts";
import { within } from "../outbound/within.ts";
import { pause } from "../runtime/pause.ts";
import { type Receipt, type Received, Turns } from "./event-bus.ts";
import type { EventHandlers } from "./event-handlers.ts";
import { shortKey } from "./records.ts";
import type { Incoming, Listening } from "./sinks/sink.ts";
import type { Sinks } from "./sinks/sinks.ts";

type ListenOptions = {
  readonly sinks: Sinks;
  readonly log: Logger;
  readonly newId: () => string;
  /** Resolves when what the message causes is on disk. */
  readonly receive: (received: Received, turns: Turns) => Promise<Pick<Receipt, "isDuplicate">>;
  /** Keeps a message that could not be handled. */
  readonly putAside: (received: Received, reason: string) => Promise<void>;
};

type SubscriptionsOptions = ListenOptions & { readonly handlers: EventHandlers };

/** How listening to one queue of a broker stands. */
export type SubscriptionState = {
  readonly event: string;
  readonly state: "CONNECTING" | "LISTENING";
  /** Messages that were handled since the server began to listen, duplicates among them. */
  readonly received: number;
  readonly duplicates: number;
  /** Why it is not listening. */
  readonly error?: string;
};

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
const STOP_MS = 4000;
/** A message that fails this often is put aside, so that it does not keep the others waiting. */
const MOST_ATTEMPTS = 5;

/** Listens to the broker queues that active handlers name: one consumer each, from the moment the first handler is there. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #open = new Map<string, Subscription>();
  #isClosed = false;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** Begins what is missing and ends what nobody waits for. */
  reconcile(): void {
    if (this.#isClosed) return;
    const { handlers, sinks } = this.#options;
    const wanted = new Set(
      handlers
        .all()
        .filter(({ active, event }) => active && sinks.isExternal(event))
        .map(({ event }) => event),
    );
    for (const event of wanted) {
      if (!this.#open.has(event)) this.#open.set(event, new Subscription(event, this.#options));
    }
    for (const [event, subscription] of this.#open) {
      if (wanted.has(event)) continue;
      this.#open.delete(event);
      void subscription.stop();
    }
  }

  states(): readonly SubscriptionState[] {
    return [...this.#open.values()].map((subscription) => subscription.state());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open.values()].map((subscription) => subscription.stop()));
  }
}

/** One queue. A connection that is lost is made again, more and more rarely. */
export class Subscription {
  readonly #event: string;
  readonly #options: ListenOptions;
  readonly #stopping = new AbortController();
  /** Lanes with messages under way, and how many. */
  readonly #lanes = new Map<string, { readonly turns: Turns; open: number }>();
  readonly #running: Promise<void>;
  #listening: Listening | undefined;
  #received = 0;
  #duplicates = 0;
  #error: string | undefined;

  constructor(event: string, options: ListenOptions) {
    this.#event = event;
    this.#options = options;
    this.#running = this.#run();
  }

  state(): SubscriptionState {
    return {
      event: this.#event,
      state: this.#listening === undefined ? "CONNECTING" : "LISTENING",
      received: this.#received,
      duplicates: this.#duplicates,
      ...(this.#error === undefined ? {} : { error: this.#error }),
    };
  }

  /** Messages under way are finished and acknowledged. Never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { sinks, log } = this.#options;
    const { signal } = this.#stopping;
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        const listening = await sinks.listen(this.#event, (message) => this.#take(message));
        this.#listening = listening;
        this.#error = undefined;
        failures = 0;
        await Promise.race([listening.ended, stopped]);
        // A broker that is gone cannot be taken leave of.
        if (signal.aborted) await within(STOP_MS, listening.stop());
      } catch (error) {
        this.#error = reasonOf(error);
        if (signal.aborted) return;
        log.warn("Listening to a broker failed; trying again", { event: this.#event, error: this.#error });
      }
      this.#listening = undefined;
      await pause(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures), signal);
    }
  }

  /** Resolves when the message may be acknowledged. Rejects when the server stops before that. */
  async #take({ id, stamp, lane = "", payload }: Incoming): Promise<void> {
    const { newId } = this.#options;
    const received: Received = {
      event: this.#event,
      messageId: id ?? newId(),
      payload,
      ...(id === undefined ? {} : { guard: shortKey(id) + (stamp === undefined ? "" : `@${stamp}`) }),
    };
    const entry = this.#lanes.get(lane) ?? { turns: new Turns(), open: 0 };
    this.#lanes.set(lane, entry);
    entry.open++;
    try {
      await this.#handleOrPutAside(received, entry.turns);
    } finally {
      entry.open--;
      if (entry.open === 0) this.#lanes.delete(lane);
    }
  }

  async #handleOrPutAside(received: Received, turns: Turns): Promise<void> {
    const { putAside, log } = this.#options;
    for (let failures = 0; ; failures++) {
      this.#stopping.signal.throwIfAborted();
      try {
        if (failures < MOST_ATTEMPTS) await this.#handle(received, turns);
        else await putAside(received, this.#error ?? "It failed");
        return;
      } catch (error) {
        this.#error = reasonOf(error);
        const fields = { event: this.#event, messageId: received.messageId, error: this.#error };
        log.error("A message could not be handled; trying again", fields);
        await pause(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures), this.#stopping.signal);
      }
    }
  }

  async #handle(received: Received, turns: Turns): Promise<void> {
    const { isDuplicate } = await this.#options.receive(received, turns);
    this.#received++;
    if (isDuplicate) this.#duplicates++;
  }
}
