import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { Config } from "../../config.ts";
import { type Listening, type OnMessage, readPayload, type Sink } from "./sink.ts";
import { Slots } from "./slots.ts";

const AT_ONCE = 100;

/** `subject`, or `subject:group`. */
export function splitSubject(queue: string): { readonly subject: string; readonly group: string | undefined } {
  const [subject = "", group] = queue.split(":", 2);
  return { subject, group: group === "" ? undefined : group };
}

/** Opens a connection when it is first needed; afterwards the client keeps it up by itself. */
export function natsConnection(url: string): {
  readonly get: () => Promise<NatsConnection>;
  readonly close: () => Promise<void>;
} {
  let connection: Promise<NatsConnection> | undefined;
  const open = async (): Promise<NatsConnection> => {
    try {
      const opened = await connect({ ...addressOf(url), name: "downbeat", maxReconnectAttempts: -1 });
      void opened.closed().then(() => {
        connection = undefined;
      });
      return opened;
    } catch (error) {
      connection = undefined;
      throw error;
    }
  };
  return {
    get() {
      connection ??= open();
      return connection;
    },
    async close() {
      await (await connection?.catch(() => undefined))?.drain();
    },
  };
}

/** The client takes user and password apart from the address. */
function addressOf(text: string) {
  const urls = text.split(",").map((one) => one.trim());
  const first = URL.parse(urls[0] ?? "");
  const servers = urls.map((one) => URL.parse(one)?.host ?? one);
  return {
    servers,
    ...(first === null || first.username === "" ? {} : { user: decodeURIComponent(first.username) }),
    ...(first === null || first.password === "" ? {} : { pass: decodeURIComponent(first.password) }),
    ...(first?.protocol === "tls:" ? { tls: {} } : {}),
  };
}

/** NATS without JetStream: nothing is kept and nothing acknowledged, so a message is handled once at most. */
export function openNats(config: Config): Sink {
  const connection = natsConnection(config["service.event-queues.nats.url"]);
  return {
    async publish(queue, { text }) {
      const nats = await connection.get();
      nats.publish(splitSubject(queue).subject, text);
      await nats.flush();
    },
    async listen(queue, onMessage) {
      const { subject, group = config["service.event-queues.nats.queue-group"] } = splitSubject(queue);
      return listen(await connection.get(), { subject, group }, onMessage);
    },
    close: () => connection.close(),
  };
}

async function listen(
  nats: NatsConnection,
  { subject, group }: { readonly subject: string; readonly group: string },
  onMessage: OnMessage,
): Promise<Listening> {
  const subscription = nats.subscribe(subject, { queue: group });
  // The server knows of the subscription when this is answered.
  await nats.flush();
  const slots = new Slots(AT_ONCE);
  const take = async (): Promise<void> => {
    for await (const message of subscription) {
      await slots.begin(async () => {
        // There is no second delivery to ask for.
        await onMessage({ id: undefined, payload: readPayload(message.string()) }).catch(() => undefined);
      });
    }
  };
  let isStopping = false;
  const ended = take().then(() => {
    if (!isStopping) throw new Error(`The subscription to ${subject} ended`);
  });
  return {
    ended,
    async stop() {
      isStopping = true;
      await subscription.drain();
      await slots.idle();
    },
  };
}
