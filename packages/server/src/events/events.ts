import { type PublishEvent, RawJson } from "@downbeat/engine";
import type { OutboxKey } from "@downbeat/store";
import { reasonOf } from "../outbound/reason-of.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Message } from "./actions.ts";
import { EventBus, type Receipt, type Received } from "./event-bus.ts";
import { EventHandlers } from "./event-handlers.ts";
import { EventRecords } from "./records.ts";
import { Sinks } from "./sinks/sinks.ts";
import { StatusQueues } from "./status-queues.ts";
import { Subscriptions } from "./subscriptions.ts";

/** Before the names of messages that were to go out. */
const OUTGOING = "outgoing:";
/** With the outbox's pauses between them, a quarter of an hour. */
const MOST_ATTEMPTS = 20;

/** Everything about events: who waits for them, where they come from and go to, and what is known of past ones. */
export class Events {
  readonly handlers: EventHandlers;
  readonly records: EventRecords;
  readonly bus: EventBus;
  readonly sinks: Sinks;
  readonly subscriptions: Subscriptions;
  readonly statusQueues: StatusQueues;
  readonly #runtime: Runtime;
  /** How often rows of the outbox could not be published. */
  readonly #failures = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;

  constructor(runtime: Runtime) {
    const { store, peers, config, log, newExecutionId } = runtime;
    this.#runtime = runtime;
    this.handlers = new EventHandlers(store, peers);
    this.records = new EventRecords({
      store,
      keepsMessages: config["service.app.eventMessageIndexingEnabled"],
      keepsExecutions: config["service.app.eventExecutionIndexingEnabled"],
    });
    this.bus = new EventBus(runtime, this.handlers, this.records);
    this.sinks = new Sinks(config);
    const { sinks, handlers, bus } = this;
    const putAside = (received: Received, reason: string) => bus.putAside(received, reason);
    this.subscriptions = new Subscriptions({
      sinks,
      handlers,
      log,
      newId: newExecutionId,
      receive: (received, turns) => bus.receive(received, turns),
      putAside,
    });
    this.statusQueues = new StatusQueues({ runtime, sinks, putAside });
  }

  /** A message out of the outbox: for the handlers here, or for a broker. */
  async deliver(event: PublishEvent, consumes: OutboxKey): Promise<void> {
    const [name = ""] = event.names;
    if (!this.sinks.isExternal(name)) return this.bus.handle(event, consumes);
    const { messageId, payload } = event;
    const row = `${consumes.sender} ${consumes.n}`;
    try {
      await this.sinks.publish(name, { id: messageId, text: payload.text });
    } catch (error) {
      // The outbox tries again, more and more rarely; one that no broker ever takes must not stay for good.
      const failures = (this.#failures.get(row) ?? 0) + 1;
      this.#failures.set(row, failures);
      if (failures < MOST_ATTEMPTS) throw error;
      await this.putAside({ event: OUTGOING + name, messageId, payload: payload.value }, reasonOf(error), consumes);
    }
    this.#failures.delete(row);
    await this.#runtime.consumeInto(consumes, `event ${messageId}`, []);
  }

  /** Handles a message again, or sends one again that nobody took. */
  async replay({ event, messageId, payload }: Message): Promise<Receipt> {
    const sent = this.#runtime.listeners.isNotice(event) ? event : withoutPrefix(event, OUTGOING);
    if (sent !== undefined) {
      const text = new RawJson(JSON.stringify(payload));
      const publish: PublishEvent = { kind: "publish", names: [sent], messageId, payload: text };
      const target = `event ${sent}`;
      await this.#runtime.consumeInto(undefined, `again ${sent} ${messageId}`, [{ target, event: publish }]);
      return { isDuplicate: false, records: [] };
    }
    const again = `${messageId}_${this.#runtime.newExecutionId()}`;
    return this.bus.receive({ event, messageId: again, payload, replayOf: messageId });
  }

  /** Keeps a message that nobody took, and takes it out of the outbox. */
  async putAside(message: Message, reason: string, consumes: OutboxKey): Promise<void> {
    const documents = [this.records.deadLetterOf({ ...message, created: this.#runtime.clock() }, reason)];
    await this.#runtime.consumeInto(consumes, `aside ${message.messageId}`, [], documents);
  }

  /** Begins to listen; handlers are loaded by now. */
  start(): void {
    this.handlers.onChange(() => this.subscriptions.reconcile());
    this.subscriptions.reconcile();
    this.statusQueues.start();
    this.#timer = setInterval(() => this.#upkeep(), this.#runtime.config["service.events.upkeep"]);
    this.#timer.unref();
  }

  /** No new messages; those under way are finished. */
  async stopListening(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.subscriptions.close(), this.statusQueues.close()]);
    await this.#working;
  }

  async close(): Promise<void> {
    await this.sinks.close();
  }

  #upkeep(): void {
    const { log } = this.#runtime;
    const work = async (): Promise<void> => {
      await this.handlers.load();
      this.subscriptions.reconcile();
      await this.#trim();
    };
    this.#working ??= work()
      .catch((error: unknown) => log.warn("The upkeep of events failed", { error: String(error) }))
      .finally(() => {
        this.#working = undefined;
      });
  }

  async #trim(): Promise<void> {
    const { config, clock, log, stopping } = this.#runtime;
    const removed = await this.records.trim(
      clock() - config["service.events.retention"],
      clock() - config["service.events.dead-letter-retention"],
      stopping,
    );
    if (removed > 0) log.info("Removed old records of events", { removed });
  }
}

const withoutPrefix = (text: string, prefix: string): string | undefined =>
  text.startsWith(prefix) ? text.slice(prefix.length) : undefined;
