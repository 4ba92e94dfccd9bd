import { type Channel, type ChannelModel, type ConfirmChannel, type ConsumeMessage, connect } from "amqplib";
import type { Config } from "../../config.ts";
import { type AmqpName, parseAmqpName } from "./amqp-name.ts";
import { type Incoming, type Listening, type OnMessage, type Outgoing, readPayload, type Sink } from "./sink.ts";

const CONNECT_MS = 10_000;
const HEARTBEAT_SECONDS = 30;

type Kind = "amqp_queue" | "amqp_exchange";

/** AMQP 0.9.1: queues, and exchanges with a queue bound to each. */
export function openAmqp(config: Config, kind: Kind): Sink {
  const broker = new Broker(config);
  return {
    publish: (queue, message) => broker.publish(kind, parseAmqpName(queue), message),
    listen: (queue, onMessage) => broker.listen(kind, parseAmqpName(queue), onMessage),
    size: (queue) => broker.size(kind, parseAmqpName(queue)),
    close: () => broker.close(),
  };
}

/** One connection, made when it is needed and anew when it was lost. */
class Broker {
  readonly #config: Config;
  #connection: Promise<ChannelModel> | undefined;
  #publisher: Promise<ConfirmChannel> | undefined;
  /** What is known to be there, while the connection lasts. */
  #declared = new Set<string>();

  constructor(config: Config) {
    this.#config = config;
  }

  async publish(kind: Kind, name: AmqpName, { id, text }: Outgoing): Promise<void> {
    const target = await this.#declare(kind, name);
    const channel = await this.#confirming();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const options = {
      messageId: id,
      correlationId: id,
      contentType: this.#config["service.event-queues.amqp.contentType"],
      contentEncoding: "UTF-8",
      deliveryMode: name.deliveryMode ?? this.#config["service.event-queues.amqp.deliveryMode"],
    };
    channel.once("close", reject);
    channel.publish(target.exchange, target.routingKey, Buffer.from(text, "utf8"), options, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
    try {
      await promise;
    } catch (error) {
      throw error instanceof Error ? error : new Error("The connection to the broker was lost");
    } finally {
      channel.off("close", reject);
    }
  }

  async listen(kind: Kind, name: AmqpName, onMessage: OnMessage): Promise<Listening> {
    const { queue } = await this.#declare(kind, name, true);
    const channel = await (await this.#connect()).createChannel();
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    const lost = (error?: unknown) => reject(error instanceof Error ? error : new Error("The channel was closed"));
    channel.on("error", lost);
    channel.on("close", lost);
    await channel.prefetch(this.#config["service.event-queues.amqp.batchSize"]);
    let isStopping = false;
    const underWay = new Set<Promise<void>>();
    const take = async (message: ConsumeMessage): Promise<void> => {
      try {
        await onMessage(incoming(message));
      } catch {
        // Not acknowledged: the broker gives it to someone else when this channel is gone.
        return;
      }
      acknowledge(channel, message);
    };
    const { consumerTag } = await channel.consume(queue, (message) => {
      if (message === null) {
        reject(new Error(`The broker ended the subscription to ${queue}`));
        return;
      }
      if (isStopping) return;
      const work = take(message).finally(() => underWay.delete(work));
      underWay.add(work);
    });
    return {
      ended,
      async stop() {
        isStopping = true;
        await channel.cancel(consumerTag);
        await Promise.all(underWay);
        channel.off("close", lost);
        await channel.close();
        resolve();
      },
    };
  }

  async size(kind: Kind, name: AmqpName): Promise<number> {
    const { queue } = await this.#declare(kind, name, true);
    return (await this.#briefly((channel) => channel.checkQueue(queue))).messageCount;
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }

  #connect(): Promise<ChannelModel> {
    this.#connection ??= this.#open();
    return this.#connection;
  }

  async #open(): Promise<ChannelModel> {
    const forget = (): void => {
      this.#connection = undefined;
      this.#publisher = undefined;
      this.#declared = new Set();
    };
    try {
      const connection = await this.#connectToFirst();
      connection.on("close", forget);
      // Followed by close, which says the same.
      connection.on("error", () => undefined);
      return connection;
    } catch (error) {
      forget();
      throw error;
    }
  }

  async #connectToFirst(): Promise<ChannelModel> {
    const config = this.#config;
    let failure: unknown = new Error("Expected service.event-queues.amqp.hosts to name a broker, got none");
    const username = config["service.event-queues.amqp.username"];
    const password = config["service.event-queues.amqp.password"];
    for (const host of config["service.event-queues.amqp.hosts"]) {
      const [hostname = "localhost", port] = host.split(":");
      try {
        return await connect(
          {
            protocol: config["service.event-queues.amqp.useSslProtocol"] ? "amqps" : "amqp",
            hostname,
            port: port === undefined ? config["service.event-queues.amqp.port"] : Number(port),
            username,
            password: password === "" && username === "guest" ? "guest" : password,
            vhost: config["service.event-queues.amqp.virtualHost"],
            heartbeat: HEARTBEAT_SECONDS,
          },
          { timeout: CONNECT_MS },
        );
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async #confirming(): Promise<ConfirmChannel> {
    this.#publisher ??= (async () => {
      const forget = (): void => {
        this.#publisher = undefined;
      };
      try {
        const channel = await (await this.#connect()).createConfirmChannel();
        // Every message under way hears of its end.
        channel.setMaxListeners(0);
        channel.on("close", forget);
        channel.on("error", forget);
        return channel;
      } catch (error) {
        forget();
        throw error;
      }
    })();
    return this.#publisher;
  }

  /** Makes sure that the queue or the exchange is there; one that is stays as it is. */
  async #declare(kind: Kind, name: AmqpName, isForListening = false): Promise<Target> {
    const queue = kind === "amqp_queue" ? name.name : (name.bindQueueName ?? `bound_to_${name.name}`);
    const target: Target =
      kind === "amqp_queue"
        ? { queue, exchange: "", routingKey: queue }
        : { queue, exchange: name.name, routingKey: name.routingKey ?? "" };
    const key = `${kind} ${isForListening} ${JSON.stringify(name)}`;
    if (this.#declared.has(key)) return target;
    if (kind === "amqp_exchange") await this.#declareExchange(name);
    if (kind === "amqp_queue" || isForListening) await this.#declareQueue(queue, name);
    if (kind === "amqp_exchange" && isForListening)
      await this.#briefly((channel) => channel.bindQueue(queue, target.exchange, target.routingKey));
    this.#declared.add(key);
    return target;
  }

  async #declareQueue(queue: string, { durable, exclusive, autoDelete, maxPriority }: AmqpName): Promise<void> {
    const config = this.#config;
    await this.#unlessThere(
      (channel) => channel.checkQueue(queue),
      (channel) =>
        channel.assertQueue(queue, {
          durable: durable ?? config["service.event-queues.amqp.durable"],
          exclusive: exclusive ?? config["service.event-queues.amqp.exclusive"],
          autoDelete: autoDelete ?? config["service.event-queues.amqp.autoDelete"],
          arguments: {
            "x-queue-type": config["service.event-queues.amqp.queueType"],
            ...(maxPriority === undefined ? {} : { "x-max-priority": maxPriority }),
          },
        }),
    );
  }

  async #declareExchange({ name, exchangeType, durable, autoDelete }: AmqpName): Promise<void> {
    const config = this.#config;
    await this.#unlessThere(
      (channel) => channel.checkExchange(name),
      (channel) =>
        channel.assertExchange(name, exchangeType ?? config["service.event-queues.amqp.exchangeType"], {
          durable: durable ?? config["service.event-queues.amqp.durable"],
          autoDelete: autoDelete ?? config["service.event-queues.amqp.autoDelete"],
        }),
    );
  }

  async #unlessThere(check: Act<unknown>, make: Act<unknown>): Promise<void> {
    try {
      await this.#briefly(check);
    } catch {
      // What is missing and what cannot be reached look alike here: making it tells.
      await this.#briefly(make);
    }
  }

  /** A refusal closes the channel it came on: each question has its own. */
  async #briefly<T>(act: Act<T>): Promise<T> {
    const channel = await (await this.#connect()).createChannel();
    channel.on("error", () => undefined);
    const result = await act(channel);
    await channel.close();
    return result;
  }
}

type Act<T> = (channel: Channel) => Promise<T>;
type Target = { readonly queue: string; readonly exchange: string; readonly routingKey: string };

function acknowledge(channel: Channel, message: ConsumeMessage): void {
  try {
    channel.ack(message);
  } catch {
    // The channel is gone: the message comes again, and is known.
  }
}

function incoming({ content, properties }: ConsumeMessage): Incoming {
  const { messageId, contentEncoding } = properties;
  return { id: messageId === "" ? undefined : messageId, payload: readPayload(decode(content, contentEncoding)) };
}

function decode(content: Buffer, encoding: unknown): string {
  try {
    return new TextDecoder(typeof encoding === "string" && encoding !== "" ? encoding : "utf-8").decode(content);
  } catch {
    // An encoding nobody knows: most such messages are UTF-8 all the same.
    return content.toString("utf8");
  }
}
