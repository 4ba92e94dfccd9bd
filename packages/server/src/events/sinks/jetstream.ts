import {
  AckPolicy,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { Config } from "../../config.ts";
import { natsConnection, splitSubject } from "./nats.ts";
import { type Listening, type OnMessage, readPayload, type Sink } from "./sink.ts";
import { Slots } from "./slots.ts";

/** JetStream: streams of NATS that keep their messages until they are acknowledged. */
export function openJetStream(config: Config): Sink {
  const connection = natsConnection(config["service.event-queues.jsm.url"]);
  const prefix = config["service.event-queues.jsm.listenerQueuePrefix"];
  /** Streams by subject, as far as they were asked for. */
  const streams = new Map<string, string>();
  const streamOf = async (nats: NatsConnection, subject: string): Promise<string> => {
    const known = streams.get(subject) ?? (await ensureStream(config, await jetstreamManager(nats), subject));
    streams.set(subject, known);
    return known;
  };

  return {
    async publish(queue, { id, text }) {
      const nats = await connection.get();
      const subject = prefix + splitSubject(queue).subject;
      await streamOf(nats, subject);
      try {
        await jetstream(nats).publish(subject, text, { msgID: id });
      } catch (error) {
        streams.delete(subject);
        throw error;
      }
    },
    async listen(queue, onMessage) {
      const nats = await connection.get();
      const { subject, group = config["service.event-queues.jsm.durableName"] } = splitSubject(queue);
      streams.delete(prefix + subject);
      const stream = await streamOf(nats, prefix + subject);
      return listen(config, nats, { stream, subject: prefix + subject, group }, onMessage);
    },
    close: () => connection.close(),
  };
}

/** The stream that holds the subject; made where there is none, and named after it. */
async function ensureStream(config: Config, manager: JetStreamManager, subject: string): Promise<string> {
  const found = await manager.streams.find(subject).catch(() => undefined);
  if (found !== undefined) return found;
  const name = toName(subject.toUpperCase());
  await manager.streams.add({
    name,
    subjects: [subject],
    retention: RetentionPolicy.Limits,
    storage: config["service.event-queues.jsm.streamStorageType"] === "file" ? StorageType.File : StorageType.Memory,
    num_replicas: config["service.event-queues.jsm.replicas"],
    max_bytes: config["service.event-queues.jsm.streamMaxBytes"],
  });
  return name;
}

/** Names of streams and consumers have no dots and no wildcards. */
const toName = (text: string): string =>
  text
    .replaceAll("*", "ANY")
    .replaceAll(">", "ALL")
    .replaceAll(/[.\s/\\]/g, "_");

type Source = { readonly stream: string; readonly subject: string; readonly group: string };

async function listen(
  config: Config,
  nats: NatsConnection,
  { stream, subject, group }: Source,
  onMessage: OnMessage,
): Promise<Listening> {
  const manager = await jetstreamManager(nats);
  const durable = toName(`${group}_${subject}`);
  const most = config["service.event-queues.jsm.maxAckPending"];
  const isThere = await manager.consumers.info(stream, durable).catch(() => undefined);
  if (isThere === undefined) {
    await manager.consumers.add(stream, {
      durable_name: durable,
      filter_subject: subject,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.New,
      ack_wait: nanos(config["service.event-queues.jsm.ackWait"]),
      max_ack_pending: most,
      max_deliver: config["service.event-queues.jsm.maxDeliver"],
    });
  }
  const consumer = await jetstream(nats).consumers.get(stream, durable);
  const messages = await consumer.consume({ max_messages: most, abort_on_missing_resource: true });
  const slots = new Slots(most);
  const take = async (): Promise<void> => {
    for await (const message of messages) {
      await slots.begin(async () => {
        try {
          await onMessage(incoming(message));
          message.ack();
        } catch {
          // Not acknowledged: it comes again after ackWait.
        }
      });
    }
  };
  let isStopping = false;
  const ended = take().then(() => {
    if (!isStopping) throw new Error(`The consumer ${durable} of stream ${stream} ended`);
  });
  return {
    ended,
    async stop() {
      isStopping = true;
      await messages.close();
      await slots.idle();
      if (!nats.isClosed()) await nats.flush();
    },
  };
}

function incoming(message: JsMsg) {
  const { stream, timestampNanos } = message.info;
  return { id: `${stream}-${message.seq}`, stamp: String(timestampNanos), payload: readPayload(message.string()) };
}
