import { jetstream } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, test } from "vitest";
import { brokerFor } from "../support/brokers.ts";
import { startCutProxy } from "../support/cut-proxy.ts";
import { aName } from "../support/definitions.ts";
import { killTimeoutMs, startOncePerMessage } from "./kill-with-broker.ts";
import { publishAndHandle, surviveLostConnection } from "./round-trip.ts";

const address = brokerFor("nats");

const settings = {
  "service.event-queues.nats.enabled": "true",
  "service.event-queues.nats.url": address ?? "",
  "service.event-queues.jsm.enabled": "true",
  "service.event-queues.jsm.url": address ?? "",
  "service.event-queues.jsm.ackWait": "2s",
};

describe.skipIf(address === undefined)("NATS", () => {
  let nats: NatsConnection;
  const newSubject = () => `${aName("orders")}_${process.pid}_${Date.now()}`;

  beforeAll(async () => {
    nats = await connect({ servers: [new URL(address ?? "").host] });
  });
  afterAll(async () => {
    await nats.close();
  });

  const toStream = (subject: string) => async (numbers: readonly number[]) => {
    const js = jetstream(nats);
    await Promise.all(numbers.map((n) => js.publish(subject, JSON.stringify({ n }))));
  };

  test("subjects: what is published is handled", { timeout: 60_000 }, async () => {
    const subject = newSubject();
    const publish = async (numbers: readonly number[]) => {
      for (const n of numbers) nats.publish(`${subject}.x`, JSON.stringify({ n }));
      await nats.flush();
    };
    await publishAndHandle({ settings, event: `nats:${subject}.*:workers`, path: "n", publish }, `nats:${subject}.y`);
  });

  test("JetStream: what is published is handled", { timeout: 60_000 }, async () => {
    const subject = newSubject();
    await publishAndHandle(
      { settings, event: `jsm:${subject}:g1`, path: "n", publish: toStream(subject) },
      `jsm:${subject}`,
    );
  });

  test("a connection that is lost is made again", { timeout: 60_000 }, async () => {
    const subject = newSubject();
    const { hostname, port } = new URL(address ?? "");
    const proxy = await startCutProxy({ host: hostname, port: Number(port) });
    const through = { ...settings, "service.event-queues.jsm.url": `nats://${proxy.address}` };
    try {
      const broker = { settings: through, event: `jsm:${subject}`, path: "n", publish: toStream(subject) };
      await surviveLostConnection(broker, proxy.cut);
    } finally {
      proxy.close();
    }
  });

  test("each message starts one execution, though the server is killed twice", { timeout: killTimeoutMs }, async () => {
    const subject = newSubject();
    await startOncePerMessage({ settings, event: `jsm:${subject}`, path: "n", publish: toStream(subject) });
  });
});
