import type { PublishEvent } from "@downbeat/engine";
import type { OutboxKey } from "@downbeat/store";
import type { Runtime } from "../runtime/runtime.ts";
import type { Message } from "./actions.ts";
import { EventBus } from "./event-bus.ts";
import { EventHandlers } from "./event-handlers.ts";
import { EventRecords } from "./records.ts";
import { Sinks } from "./sinks/sinks.ts";
import { Subscriptions } from "./subscriptions.ts";

/** Everything about events: who waits for them, where they come from and go to, and what is known of past ones. */
export class Events {
  readonly handlers: EventHandlers;
  readonly records: EventRecords;
  readonly bus: EventBus;
  readonly sinks: Sinks;
  readonly subscriptions: Subscriptions;
  readonly #runtime: Runtime;
  #timer: NodeJS.Timeout | undefined;
  #trimming: Promise<void> | undefined;

  constructor(runtime: Runtime) {
    const { store, peers, config, log, clock, newExecutionId } = runtime;
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
    this.subscriptions = new Subscriptions({ sinks, handlers, bus, log, clock, newId: newExecutionId });
  }

  /** A message out of the outbox: for the handlers here, or for a broker. */
  async deliver(event: PublishEvent, consumes: OutboxKey): Promise<void> {
    const [name = ""] = event.names;
    if (!this.sinks.isExternal(name)) return this.bus.handle(event, consumes);
    await this.sinks.publish(name, { id: event.messageId, text: event.payload.text });
    await this.#runtime.consumeInto(consumes, `event ${event.messageId}`, []);
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
    this.#timer = setInterval(() => this.#upkeep(), this.#runtime.config["service.events.upkeep"]);
    this.#timer.unref();
  }

  /** No new messages; those under way are finished. */
  async stopListening(): Promise<void> {
    clearInterval(this.#timer);
    await this.subscriptions.close();
    await this.#trimming;
  }

  async close(): Promise<void> {
    await this.sinks.close();
  }

  #upkeep(): void {
    this.subscriptions.reconcile();
    const { log } = this.#runtime;
    this.#trimming ??= this.#trim()
      .catch((error: unknown) => log.warn("Old events could not be removed", { error: String(error) }))
      .finally(() => {
        this.#trimming = undefined;
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
