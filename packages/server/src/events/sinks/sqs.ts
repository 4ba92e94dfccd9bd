import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  QueueDoesNotExist,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { Config } from "../../config.ts";
import { type Listening, type OnMessage, readPayload, type Sink } from "./sink.ts";
import { Slots } from "./slots.ts";

/** How long a question for messages waits for some; the longest SQS allows. */
const WAIT_SECONDS = 20;
/** Batches under way at once. */
const BATCHES = 5;

/** SQS queues, by their names. */
export function openSqs(config: Config): Sink {
  const endpoint = config["service.event-queues.sqs.endpoint"];
  const client = new SQSClient({
    region: config["service.event-queues.sqs.region"],
    ...(endpoint === "" ? {} : { endpoint }),
  });
  const urls = new Map<string, string>();
  const urlOf = async (queue: string): Promise<string> => {
    const url = urls.get(queue) ?? (await ensureQueue(config, client, queue));
    urls.set(queue, url);
    return url;
  };

  return {
    async publish(queue, { id, text, key = id }) {
      const fifo = isFifo(queue) ? { MessageGroupId: key, MessageDeduplicationId: id } : {};
      try {
        await client.send(new SendMessageCommand({ QueueUrl: await urlOf(queue), MessageBody: text, ...fifo }));
      } catch (error) {
        // It may have been deleted: the next one looks again.
        urls.delete(queue);
        throw error;
      }
    },
    async listen(queue, onMessage) {
      urls.delete(queue);
      return listen(config, client, { url: await urlOf(queue), isFifo: isFifo(queue) }, onMessage);
    },
    async size(queue) {
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({
          QueueUrl: await urlOf(queue),
          AttributeNames: ["ApproximateNumberOfMessages"],
        }),
      );
      return Number(Attributes?.["ApproximateNumberOfMessages"] ?? 0);
    },
    async close() {
      client.destroy();
    },
  };
}

const isFifo = (queue: string): boolean => queue.endsWith(".fifo");

/** The queue of exactly this name; made where there is none. */
async function ensureQueue(config: Config, client: SQSClient, queue: string): Promise<string> {
  try {
    const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: queue }));
    if (QueueUrl !== undefined) return QueueUrl;
  } catch (error) {
    if (!(error instanceof QueueDoesNotExist)) throw error;
  }
  const seconds = Math.round(config["service.event-queues.sqs.visibilityTimeout"] / 1000);
  const { QueueUrl = "" } = await client.send(
    new CreateQueueCommand({
      QueueName: queue,
      Attributes: { VisibilityTimeout: String(seconds), ...(isFifo(queue) ? { FifoQueue: "true" } : {}) },
    }),
  );
  await allowAccounts(config, client, QueueUrl);
  return QueueUrl;
}

async function allowAccounts(config: Config, client: SQSClient, url: string): Promise<void> {
  const accounts = config["service.event-queues.sqs.authorizedAccounts"];
  if (accounts.length === 0) return;
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] }),
  );
  const statement = {
    Effect: "Allow",
    Principal: { AWS: accounts },
    Action: "sqs:SendMessage",
    Resource: Attributes?.["QueueArn"],
  };
  const policy = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  await client.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: { Policy: policy } }));
}

async function listen(
  config: Config,
  client: SQSClient,
  queue: { readonly url: string; readonly isFifo: boolean },
  onMessage: OnMessage,
): Promise<Listening> {
  const stopping = new AbortController();
  const slots = new Slots(BATCHES);
  const ask = new ReceiveMessageCommand({
    QueueUrl: queue.url,
    MaxNumberOfMessages: config["service.event-queues.sqs.batchSize"],
    WaitTimeSeconds: WAIT_SECONDS,
    VisibilityTimeout: Math.round(config["service.event-queues.sqs.visibilityTimeout"] / 1000),
    MessageSystemAttributeNames: ["MessageGroupId"],
  });
  const take = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const { Messages = [] } = await client.send(ask, { abortSignal: stopping.signal });
      if (Messages.length > 0) await slots.begin(() => handleBatch(client, queue.url, Messages, onMessage));
    }
  };
  const ended = take().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return {
    ended,
    async stop() {
      stopping.abort();
      await ended;
      await slots.idle();
    },
  };
}

async function handleBatch(
  client: SQSClient,
  url: string,
  messages: readonly Message[],
  onMessage: OnMessage,
): Promise<void> {
  const handled = await Promise.allSettled(messages.map((message) => onMessage(incoming(message))));
  const entries = messages.flatMap(({ ReceiptHandle }, index) =>
    handled[index]?.status === "fulfilled" ? [{ Id: String(index), ReceiptHandle }] : [],
  );
  if (entries.length === 0) return;
  try {
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries: entries }));
  } catch {
    // They come again after the visibility timeout, and are known.
  }
}

function incoming({ MessageId, Body = "", Attributes }: Message) {
  const group = Attributes?.MessageGroupId;
  return { id: MessageId, payload: readPayload(Body), ...(group === undefined ? {} : { lane: group }) };
}
