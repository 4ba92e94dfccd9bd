import type { Config } from "../../config.ts";
import { within } from "../../outbound/within.ts";
import type { Listening, OnMessage, Outgoing, Sink } from "./sink.ts";

/** A broker that cannot be reached must not keep anyone waiting for ever. */
const PUBLISH_MS = 15_000;
const CLOSE_MS = 2000;

type Provider = { readonly isEnabled: (config: Config) => boolean; readonly open: (config: Config) => Promise<Sink> };

/** Brokers by the word before the first colon. A client library is loaded when its broker is first used. */
const providers: Readonly<Record<string, Provider>> = {
  kafka: {
    isEnabled: (config) => config["service.event-queues.kafka.enabled"],
    open: async (config) => (await import("./kafka.ts")).openKafka(config),
  },
  amqp_queue: {
    isEnabled: (config) => config["service.event-queues.amqp.enabled"],
    open: async (config) => (await import("./amqp.ts")).openAmqp(config, "amqp_queue"),
  },
  amqp_exchange: {
    isEnabled: (config) => config["service.event-queues.amqp.enabled"],
    open: async (config) => (await import("./amqp.ts")).openAmqp(config, "amqp_exchange"),
  },
  nats: {
    isEnabled: (config) => config["service.event-queues.nats.enabled"],
    open: async (config) => (await import("./nats.ts")).openNats(config),
  },
  jsm: {
    isEnabled: (config) => config["service.event-queues.jsm.enabled"],
    open: async (config) => (await import("./jetstream.ts")).openJetStream(config),
  },
  sqs: {
    isEnabled: (config) => config["service.event-queues.sqs.enabled"],
    open: async (config) => (await import("./sqs.ts")).openSqs(config),
  },
};

/** Names of the providers that the settings switch on. */
const enabledProviders = (config: Config): ReadonlySet<string> =>
  new Set(Object.keys(providers).filter((name) => providers[name]?.isEnabled(config) === true));

/** The brokers this server is set up for. */
export class Sinks {
  readonly #config: Config;
  readonly enabled: ReadonlySet<string>;
  readonly #open = new Map<string, Promise<Sink>>();

  constructor(config: Config) {
    this.#config = config;
    this.enabled = enabledProviders(config);
  }

  /** True of names that a broker of this server is asked for. */
  isExternal(event: string): boolean {
    return this.enabled.has(event.slice(0, Math.max(0, event.indexOf(":"))));
  }

  /** Resolves when the broker has the message. Rejects with what it said, or why there is nobody to ask. */
  async publish(event: string, message: Outgoing): Promise<void> {
    const { sink, queue } = await this.#find(event);
    await within(PUBLISH_MS, sink.publish(queue, message));
  }

  async listen(event: string, onMessage: OnMessage): Promise<Listening> {
    const { sink, queue } = await this.#find(event);
    return sink.listen(queue, onMessage);
  }

  /** Undefined where the broker does not count. */
  async size(event: string): Promise<number | undefined> {
    const { sink, queue } = await this.#find(event);
    return sink.size === undefined ? undefined : within(PUBLISH_MS, sink.size(queue));
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map(async (sink) => within(CLOSE_MS, (await sink).close())));
  }

  async #find(event: string): Promise<{ readonly sink: Sink; readonly queue: string }> {
    const at = event.indexOf(":");
    if (at < 0) throw new Error(`Illegal event ${event}`);
    const name = event.slice(0, at);
    const provider = this.enabled.has(name) ? providers[name] : undefined;
    if (provider === undefined) throw new Error(`Unknown queue type ${name}`);
    const sink = this.#open.get(name) ?? provider.open(this.#config);
    this.#open.set(name, sink);
    return { sink: await sink, queue: event.slice(at + 1) };
  }
}
