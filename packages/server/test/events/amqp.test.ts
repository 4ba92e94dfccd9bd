import { type ChannelModel, type ConfirmChannel, connect } from "amqplib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAmqpName } from "../../src/events/sinks/amqp-name.ts";
import { brokerFor } from "../support/brokers.ts";
import { eventually } from "../support/client.ts";
import { startCutProxy } from "../support/cut-proxy.ts";
import { aName } from "../support/definitions.ts";
import { startServer } from "../support/server.ts";
import { killTimeoutMs, listening, startOncePerMessage } from "./kill-with-broker.ts";
import { publishAndHandle, surviveLostConnection } from "./round-trip.ts";

const address = brokerFor("amqp");
const { host, username, password } = new URL(address ?? "amqp://guest:guest@localhost:5672");

const settings = {
  "service.event-queues.amqp.enabled": "true",
  "service.event-queues.amqp.hosts": host,
  "service.event-queues.amqp.username": username,
  "service.event-queues.amqp.password": password,
};

test("a name says what its queue or exchange is like", () => {
  expect(parseAmqpName("q")).toEqual({ name: "q" });
  expect(
    parseAmqpName(
      "ev?exchangeType=topic&RoutingKey=o.*&bindQueueName=q1&durable=false&x=y&maxPriority=9&deliveryMode=1",
    ),
  ).toEqual({
    name: "ev",
    exchangeType: "topic",
    routingKey: "o.*",
    bindQueueName: "q1",
    durable: false,
    maxPriority: 9,
    deliveryMode: 1,
  });
  expect(() => parseAmqpName("q?deliveryMode=3")).toThrow("Delivery mode must be 1 or 2");
});

describe.skipIf(address === undefined)("AMQP", () => {
  let connection: ChannelModel;
  let channel: ConfirmChannel;
  const newQueue = () => `${aName("queue")}_${process.pid}_${Date.now()}`;

  beforeAll(async () => {
    connection = await connect(address ?? "");
    channel = await connection.createConfirmChannel();
  });
  afterAll(async () => {
    await connection.close();
  });

  const publishTo =
    (exchange: string, routingKey: string, run = `${Date.now()}`) =>
    async (numbers: readonly number[]): Promise<void> => {
      for (const n of numbers)
        channel.publish(exchange, routingKey, Buffer.from(JSON.stringify({ n })), { messageId: `${run}-${n}` });
      await channel.waitForConfirms();
    };

  test("queues: what is published is handled", { timeout: 60_000 }, async () => {
    const queue = newQueue();
    await publishAndHandle({ settings, event: `amqp_queue:${queue}`, path: "n", publish: publishTo("", queue) });
  });

  test("a queue that is there with other settings is used as it is", { timeout: 60_000 }, async () => {
    const queue = newQueue();
    await channel.assertQueue(queue, { durable: true, arguments: { "x-max-length": 100 } });
    const event = `amqp_queue:${queue}?durable=false`;
    await publishAndHandle({ settings, event, path: "n", publish: publishTo("", queue) });
  });

  test("exchanges: what matches the routing key is handled", { timeout: 60_000 }, async () => {
    const exchange = newQueue();
    const event = `amqp_exchange:${exchange}?exchangeType=topic&routingKey=orders.*&bindQueueName=${exchange}_q`;
    const sink = `amqp_exchange:${exchange}?exchangeType=topic&routingKey=orders.new`;
    await publishAndHandle({ settings, event, path: "n", publish: publishTo(exchange, "orders.x") }, sink);
  });

  test("a connection that is lost is made again", { timeout: 60_000 }, async () => {
    const queue = newQueue();
    const { hostname, port } = new URL(address ?? "");
    const proxy = await startCutProxy({ host: hostname, port: Number(port) });
    const through = { ...settings, "service.event-queues.amqp.hosts": proxy.address };
    try {
      const broker = { settings: through, event: `amqp_queue:${queue}`, path: "n", publish: publishTo("", queue) };
      await surviveLostConnection(broker, proxy.cut);
    } finally {
      proxy.close();
    }
  });

  test("onStateChange publishes to a broker too", { timeout: 60_000 }, async () => {
    const queue = newQueue();
    await channel.assertQueue(queue);
    const server = await startServer({ settings });
    try {
      const onStateChange = { onSuccess: [{ type: `amqp_queue:${queue}`, payload: { n: "${workflow.input.n}" } }] };
      const task = { name: "e", taskReferenceName: "e", type: "NOOP", onStateChange };
      await server.client.register({ name: "states", version: 1, schemaVersion: 2, tasks: [task] });
      await server.client.start("states", { n: 5 });
      const message = await eventually(async () => (await channel.get(queue, { noAck: true })) || undefined, 20_000);
      expect(JSON.parse(message.content.toString())).toEqual({ n: 5 });
    } finally {
      await server.close();
    }
  });

  test("messages of the status queues end tasks that wait", { timeout: 60_000 }, async () => {
    const stack = newQueue();
    const queue = (status: string) => `service_amqp_notify_${stack}_${status}`;
    const server = await startServer({
      settings: { ...settings, "service.default-event-queue.type": "amqp", "service.app.stack": stack },
    });
    try {
      const { client } = server;
      await listening(client, `amqp_queue:${queue("COMPLETED")}`);
      await listening(client, `amqp_queue:${queue("FAILED")}`);
      expect((await client.get("/queue/")).json).toEqual({
        COMPLETED: `amqp_queue:${queue("COMPLETED")}`,
        FAILED: `amqp_queue:${queue("FAILED")}`,
      });
      expect((await client.get("/queue/size")).json).toEqual({ [queue("COMPLETED")]: 0, [queue("FAILED")]: 0 });
      const wait = (ref: string) => ({ name: ref, taskReferenceName: ref, type: "WAIT" });
      await client.register({ name: "waits", version: 1, schemaVersion: 2, tasks: [wait("a"), wait("b"), wait("c")] });
      const id = await client.start("waits");
      const at = (ref: string) =>
        client.until(
          id,
          ({ tasks }) => tasks.at(-1)?.referenceTaskName === ref && tasks.at(-1)?.status === "IN_PROGRESS",
        );
      const first = await at("a");
      expect((await client.post(`/queue/update/${id}/a/COMPLETED`, { by: "reference" })).status).toBe(200);
      const second = await at("b");
      expect(second.tasks[0]).toMatchObject({
        status: "COMPLETED",
        outputData: { by: "reference", externalId: JSON.stringify({ workflowId: id, taskRefName: "a" }) },
      });
      for (const text of [
        "no JSON",
        "{}",
        '{"externalId":"no JSON"}',
        '{"externalId":"{\\"workflowId\\":\\"none\\"}"}',
      ])
        channel.sendToQueue(queue("COMPLETED"), Buffer.from(text));
      const about = { externalId: JSON.stringify({ workflowId: id }), by: "nobody" };
      channel.sendToQueue(queue("COMPLETED"), Buffer.from(JSON.stringify(about)));
      const third = await at("c");
      const { taskId } = third.tasks.at(-1) ?? {};
      expect((await client.post(`/queue/update/${id}/task/${taskId}/FAILED`, {})).status).toBe(200);
      expect(await client.ended(id)).toMatchObject({ status: "FAILED" });
      expect((await client.post(`/queue/update/${id}/a/SKIPPED`, {})).json).toMatchObject({
        status: 400,
        message: "There is no queue for handling SKIPPED status",
      });
      expect([first.tasks.length, server.errors]).toEqual([1, []]);
    } finally {
      await server.close();
    }
  });

  test("a broker that is not there fails the task with what it said", async () => {
    const server = await startServer({ settings: { ...settings, "service.event-queues.amqp.hosts": "127.0.0.1:1" } });
    try {
      await server.client.register({
        name: "lost",
        version: 1,
        schemaVersion: 2,
        tasks: [{ name: "e", taskReferenceName: "e", type: "EVENT", sink: "amqp_queue:q" }],
      });
      const { tasks } = await server.client.ended(await server.client.start("lost"));
      expect(tasks[0]).toMatchObject({
        status: "FAILED",
        reasonForIncompletion: expect.stringContaining("Error publishing to queue:amqp_queue:q"),
      });
      expect(tasks[0]?.reasonForIncompletion).toContain("ECONNREFUSED");
    } finally {
      await server.close();
    }
  });

  test("each message starts one execution, though the server is killed twice", { timeout: killTimeoutMs }, async () => {
    const queue = newQueue();
    await startOncePerMessage({ settings, event: `amqp_queue:${queue}`, path: "n", publish: publishTo("", queue) });
  });
});
