import { Consumer, Producer, stringDeserializers, stringSerializers } from "@platformatic/kafka";
import { afterAll, describe, expect, test } from "vitest";
import { brokerFor } from "../support/brokers.ts";
import type { Json } from "../support/client.ts";
import { aName, aWorkflow, entry } from "../support/definitions.ts";
import { startServer } from "../support/server.ts";
import { killTimeoutMs, listening, startOncePerMessage } from "./kill-with-broker.ts";
import { foundExecutions } from "./round-trip.ts";

const address = brokerFor("kafka");

const settings = {
  "service.event-queues.kafka.enabled": "true",
  "service.event-queues.kafka.bootstrap-servers": address ?? "",
  "service.event-queues.kafka.session-timeout": "6s",
};

const newTopic = (): string => `${aName("topic")}_${process.pid}_${Date.now()}`;

describe.skipIf(address === undefined)("Kafka", () => {
  const closing: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });

  const aProducer = () => {
    const producer = new Producer({
      clientId: "test",
      bootstrapBrokers: [address ?? ""],
      serializers: stringSerializers,
      autocreateTopics: true,
    });
    closing.push(() => producer.close());
    return producer;
  };

  test("an EVENT task publishes to a topic, and a handler of the topic starts a workflow", {
    timeout: 60_000,
  }, async () => {
    const server = await startServer({ settings });
    try {
      const { client } = server;
      const topic = newTopic();
      const event = `kafka:${topic}`;
      const input = { id: "${payload.order}", key: "${key}", from: "${headers.source}" };
      await client.register(
        aWorkflow("target", [entry("NOOP", "n")]),
        aWorkflow("source", [entry("EVENT", "e", { sink: event, inputParameters: { order: "${workflow.input.id}" } })]),
      );
      const actions = [{ action: "start_workflow", start_workflow: { name: "target", input } }];
      await client.post("/event", { name: "h", event, active: true, actions });
      await listening(client, event);
      const id = await client.start("source", { id: 7 });
      const source = await client.ended(id);
      expect(source).toMatchObject({ status: "COMPLETED", output: { order: 7, event_produced: event } });
      await foundExecutions(client, "target", 1);
      await aProducer().send({
        messages: [
          { topic, key: 'a "quoted" key', value: JSON.stringify({ order: 8 }), headers: { source: "outside" } },
        ],
      });
      const executions = await foundExecutions(client, "target", 2);
      expect(executions.map(({ input: { id, key, from } }) => ({ id, key, from }))).toEqual(
        expect.arrayContaining([
          { id: 7, key: id, from: null },
          { id: 8, key: 'a "quoted" key', from: "outside" },
        ]),
      );
      expect(server.errors).toEqual([]);
    } finally {
      await server.close();
    }
  });

  test("STREAM_PUBLISH sends its record to the brokers it names", { timeout: 60_000 }, async () => {
    const server = await startServer();
    const topic = newTopic();
    const consumer = new Consumer({
      groupId: `${topic}-test`,
      clientId: "test",
      bootstrapBrokers: [address ?? ""],
      autocreateTopics: true,
    });
    closing.push(() => consumer.close(true));
    try {
      const stream = await consumer.consume({ topics: [topic], mode: "earliest" });
      const request = { topic, bootStrapServers: address, value: { a: [1] }, headers: { h: "x", n: 2 } };
      const publish = (ref: string, more: object) =>
        entry("STREAM_PUBLISH", ref, { inputParameters: { stream_request: { ...request, ...more } } });
      await server.client.register(
        aWorkflow("publishes", [
          publish("text", { key: "k" }),
          publish("long", { key: 258, keySerializer: "org.apache.kafka.common.serialization.LongSerializer" }),
          entry("KAFKA_PUBLISH", "old", { inputParameters: { kafka_request: { ...request, value: "plain" } } }),
        ]),
      );
      const id = await server.client.start("publishes");
      expect(await server.client.ended(id)).toMatchObject({ status: "COMPLETED" });
      const records: { key: string; value: string; headers: Record<string, string> }[] = [];
      for await (const { key, value, headers } of stream) {
        records.push({
          key: Buffer.from(key ?? "").toString("hex"),
          value: value.toString(),
          headers: Object.fromEntries([...headers].map(([name, text]) => [name.toString(), text.toString()])),
        });
        if (records.length === 3) break;
      }
      const headers = { h: "x", n: "2" };
      expect(records).toEqual(
        expect.arrayContaining([
          { key: Buffer.from("k").toString("hex"), value: '{"a":[1]}', headers },
          { key: "0000000000000102", value: '{"a":[1]}', headers },
          { key: "", value: '"plain"', headers },
        ]),
      );
    } finally {
      await server.close();
    }
  });

  test("status listeners publish to topics", { timeout: 60_000 }, async () => {
    const [everything, completed, tasks] = [newTopic(), newTopic(), newTopic()];
    const server = await startServer({
      settings: {
        ...settings,
        "service.workflow-status-listener.type": "kafka",
        "service.workflow-status-listener.kafka.default-topic": everything,
        "service.workflow-status-listener.kafka.event-topics": `completed=${completed}`,
        "service.task-status-listener.type": "kafka",
        "service.task-status-listener.kafka.default-topic": tasks,
      },
    });
    const consumer = new Consumer<string, string, string, string>({
      groupId: `${everything}-test`,
      clientId: "test",
      bootstrapBrokers: [address ?? ""],
      autocreateTopics: true,
      deserializers: stringDeserializers,
    });
    closing.push(() => consumer.close(true));
    try {
      const stream = await consumer.consume({ topics: [everything, completed, tasks], mode: "earliest" });
      await server.client.register(aWorkflow("told", [entry("NOOP", "n")], { workflowStatusListenerEnabled: true }));
      const id = await server.client.start("told", { a: 1 });
      const told: string[] = [];
      for await (const { topic, key, value } of stream) {
        const { workflowName, eventType, payload } = JSON.parse(value ?? "") as Json & { payload: Json };
        expect([key, workflowName, payload["workflowId"]]).toEqual([id, "told", id]);
        if (topic !== tasks) expect(payload["input"]).toEqual({ a: 1 });
        told.push(`${topic} ${eventType}`);
        if (told.length === 4) break;
      }
      expect(told.sort()).toEqual(
        [`${everything} started`, `${completed} completed`, `${everything} finalized`, `${tasks} completed`].sort(),
      );
    } finally {
      await server.close();
    }
  });

  test("each message starts one execution, though the server is killed twice", { timeout: killTimeoutMs }, async () => {
    const topic = newTopic();
    const producer = aProducer();
    await startOncePerMessage({
      settings,
      event: `kafka:${topic}`,
      path: "payload.n",
      async publish(numbers) {
        const messages = numbers.map((n) => ({ topic, key: String(n), value: JSON.stringify({ n }) }));
        await producer.send({ messages, acks: -1 });
      },
    });
  });
});
