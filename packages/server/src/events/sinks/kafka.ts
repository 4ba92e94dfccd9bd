import type { Json } from "@downbeat/engine";
import { Consumer, type ConsumerOptions, type Message, type MessagesStream, Producer } from "@platformatic/kafka";
import type { Config } from "../../config.ts";
import { type Incoming, type Listening, type OnMessage, readPayload, type Sink } from "./sink.ts";
import { Slots } from "./slots.ts";

type Text = string | undefined;
type KafkaMessage = Message<Text, Text, Text, Text>;
type KafkaConsumer = Consumer<Text, Text, Text, Text>;
type KafkaStream = MessagesStream<Text, Text, Text, Text>;

/** Messages of one topic under way at once. */
const AT_ONCE = 200;
const HEARTBEAT_SHARE = 4;

const read = (data?: Buffer): Text => data?.toString("utf8");
const deserializers = { key: read, value: read, headerKey: read, headerValue: read };
const write = (text?: string): Buffer | undefined => (text === undefined ? undefined : Buffer.from(text, "utf8"));
const serializers = { key: write, value: write, headerKey: write, headerValue: write };

/** How to reach the brokers that the settings name. */
function connectionOf(config: Config) {
  const protocol = config["service.event-queues.kafka.security-protocol"];
  const sasl = {
    mechanism: config["service.event-queues.kafka.sasl-mechanism"],
    username: config["service.event-queues.kafka.username"],
    password: config["service.event-queues.kafka.password"],
  };
  return {
    clientId: "downbeat",
    bootstrapBrokers: [...config["service.event-queues.kafka.bootstrap-servers"]],
    ...(protocol.endsWith("SSL") ? { tls: {} } : {}),
    ...(protocol.startsWith("SASL") ? { sasl } : {}),
  };
}

/** Kafka topics. Each has a consumer group of its own, so that a handler for one does not unsettle the others. */
export function openKafka(config: Config): Sink {
  const connection = connectionOf(config);
  let producer: Producer<string, string, string, string> | undefined;

  return {
    async publish(topic, { id, text, key = id }) {
      producer ??= new Producer({ ...connection, serializers, acks: -1, autocreateTopics: true });
      await producer.send({ messages: [{ topic, key, value: text }] });
    },
    listen: (topic, onMessage) => listen(config, { ...connection, autocreateTopics: true }, topic, onMessage),
    async close() {
      await producer?.close();
    },
  };
}

async function listen(
  config: Config,
  connection: Pick<ConsumerOptions<Text, Text, Text, Text>, "clientId" | "bootstrapBrokers" | "autocreateTopics">,
  topic: string,
  onMessage: OnMessage,
): Promise<Listening> {
  const sessionTimeout = config["service.event-queues.kafka.session-timeout"];
  const consumer = new Consumer<Text, Text, Text, Text>({
    ...connection,
    groupId: `${config["service.event-queues.kafka.group-id"]}-${topic}`,
    deserializers,
    sessionTimeout,
    rebalanceTimeout: sessionTimeout,
    heartbeatInterval: Math.floor(sessionTimeout / HEARTBEAT_SHARE),
  });
  try {
    const stream = await consumer.consume({
      topics: [topic],
      autocommit: false,
      mode: "committed",
      fallbackMode: config["service.event-queues.kafka.auto-offset-reset"],
    });
    await settleBeginnings(consumer, stream, topic);
    const slots = new Slots(AT_ONCE);
    const partitions = new Map<number, Partition>();
    let isStopping = false;
    const take = async (): Promise<void> => {
      for await (const message of stream) {
        // Not handled and not committed: whoever comes next gets it.
        if (isStopping) continue;
        const partition = partitions.get(message.partition) ?? new Partition();
        partitions.set(message.partition, partition);
        const entry = partition.add(message);
        await slots.begin(async () => {
          try {
            await onMessage(incoming(message));
            partition.done(entry);
          } catch {
            // It stays where it is: nothing after it is committed, and it comes again.
          }
        });
      }
    };
    const untilLost = async (): Promise<void> => {
      try {
        await take();
      } finally {
        if (!isStopping) await consumer.close(true);
      }
    };
    const ended = untilLost();
    return {
      ended,
      async stop() {
        isStopping = true;
        await slots.idle();
        for (const partition of partitions.values()) await partition.settled();
        await consumer.close(true);
      },
    };
  } catch (error) {
    await consumer.close(true);
    throw error;
  }
}

/**
 * Writes down where the group begins in partitions it has not read before. Otherwise a server that ends before its first
 * message is handled would begin at the end again, past what came meanwhile.
 */
async function settleBeginnings(consumer: KafkaConsumer, stream: KafkaStream, topic: string): Promise<void> {
  const settled = new Set<string>();
  const settle = async (): Promise<void> => {
    const fresh = [...stream.offsetsToFetch].filter(([key]) => !settled.has(key));
    const offsets = fresh.map(([key, offset]) => {
      settled.add(key);
      return { topic, partition: Number(key.slice(key.lastIndexOf(":") + 1)), offset, leaderEpoch: -1 };
    });
    if (offsets.length > 0) await consumer.commit({ offsets });
  };
  if (stream.offsetsToFetch.size === 0) await new Promise<void>((resolve) => stream.once("offsets", resolve));
  await settle();
  // Partitions that come later, when another server leaves. Should it fail the stream ends soon, for the same reason.
  stream.on("offsets", () => void settle().catch(() => undefined));
}

type Entry = { readonly message: KafkaMessage; isDone: boolean };

/** Offsets say "everything before": an offset is committed when all before it are handled. */
class Partition {
  readonly #open: Entry[] = [];
  #committing: Promise<void> = Promise.resolve();

  add(message: KafkaMessage): Entry {
    const entry = { message, isDone: false };
    this.#open.push(entry);
    return entry;
  }

  done(entry: Entry): void {
    entry.isDone = true;
    let last: KafkaMessage | undefined;
    while (this.#open[0]?.isDone === true) last = this.#open.shift()?.message;
    if (last === undefined) return;
    // Lost with its connection at worst: then the messages come again, and are known.
    this.#committing = Promise.resolve(last.commit()).catch(() => undefined);
  }

  async settled(): Promise<void> {
    await this.#committing;
  }
}

function incoming({ topic, partition, offset, timestamp, key, value, headers }: KafkaMessage): Incoming {
  const payload: Json = {
    key: key ?? null,
    headers: Object.fromEntries([...headers].map(([name, text]) => [name ?? "", text ?? null])),
    payload: value === undefined ? null : readPayload(value),
  };
  return { id: `${topic}-${partition}-${offset}`, stamp: String(timestamp), lane: String(partition), payload };
}
