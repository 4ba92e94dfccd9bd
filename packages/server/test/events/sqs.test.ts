import { CreateQueueCommand, GetQueueUrlCommand, SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, describe, test, vi } from "vitest";
import { brokerFor } from "../support/brokers.ts";
import { aName } from "../support/definitions.ts";
import { killTimeoutMs, startOncePerMessage } from "./kill-with-broker.ts";
import { publishAndHandle } from "./round-trip.ts";

const address = brokerFor("sqs");

const settings = {
  "service.event-queues.sqs.enabled": "true",
  "service.event-queues.sqs.endpoint": address ?? "",
  "service.event-queues.sqs.visibilityTimeout": "5s",
};
const env = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };
/** The most SQS takes at once. */
const BATCH = 10;

describe.skipIf(address === undefined)("SQS", () => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const client = new SQSClient({
    region: "us-east-1",
    endpoint: address ?? "",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  afterAll(() => {
    client.destroy();
    vi.unstubAllEnvs();
  });

  const newQueue = (suffix = "") => `${aName("queue")}_${process.pid}_${Date.now()}${suffix}`;

  const publishTo = (queue: string) => async (numbers: readonly number[]) => {
    const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: queue }));
    const fifo = (n: number) =>
      queue.endsWith(".fifo") ? { MessageGroupId: "g", MessageDeduplicationId: `${n}` } : {};
    for (let at = 0; at < numbers.length; at += BATCH) {
      const Entries = numbers
        .slice(at, at + BATCH)
        .map((n) => ({ Id: String(n), MessageBody: JSON.stringify({ n }), ...fifo(n) }));
      await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    }
  };

  test("queues that are made when they are missing: what is published is handled", { timeout: 60_000 }, async () => {
    const queue = newQueue();
    await client.send(new CreateQueueCommand({ QueueName: `${queue}_longer` }));
    await publishAndHandle({ settings, event: `sqs:${queue}`, path: "n", publish: publishTo(queue) });
  });

  test("first-in-first-out queues", { timeout: 60_000 }, async () => {
    const queue = newQueue(".fifo");
    await publishAndHandle({ settings, event: `sqs:${queue}`, path: "n", publish: publishTo(queue) });
  });

  test("each message starts one execution, though the server is killed twice", { timeout: killTimeoutMs }, async () => {
    const queue = newQueue();
    await startOncePerMessage({ settings, env, event: `sqs:${queue}`, path: "n", publish: publishTo(queue) });
  });
});
