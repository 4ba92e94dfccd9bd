import { jetstream } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, test } from "vitest";
import { brokerFor } from "../support/brokers.ts";
import { aName } from "../support/definitions.ts";
import { killTimeoutMs, startOncePerMessage } from "./kill-with-broker.ts";
import { publishAndHandle } from "./round-trip.ts";

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

  test("each message starts one execution, though the server is killed twice", { timeout: killTimeoutMs }, async () => {
    const subject = newSubject();
    await startOncePerMessage({ settings, event: `jsm:${subject}`, path: "n", publish: toStream(subject) });
  });
});
