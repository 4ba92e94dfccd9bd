import type { JsonObject } from "@downbeat/engine";
import { afterAll, describe, expect, test } from "vitest";
import { refuseAddresses } from "../outbound/address-policy.ts";
import { StreamProducers } from "./stream-producers.ts";
import { runStreamPublish } from "./stream-publish.ts";

const producers = new StreamProducers({ most: 10, keepMs: 1000, now: Date.now });
const options = {
  isEnabled: true,
  producers,
  refuse: refuseAddresses(["10.0.0.0/8"]),
  requestTimeoutMs: 200,
  maxBlockMs: 300,
};
afterAll(() => producers.close());

const request = { topic: "t", bootStrapServers: "127.0.0.1:1", value: 1 };
const see = "See documentation for KafkaTask for required input parameters";

describe("STREAM_PUBLISH", () => {
  test.each<[string, JsonObject, string]>([
    [
      "KAFKA_PUBLISH",
      {},
      `Missing Kafka request. Task input MUST have a 'kafka_request' key with KafkaTask.Input as value. ${see}`,
    ],
    [
      "STREAM_PUBLISH",
      { stream_request: "text" },
      `Missing stream request. Task input MUST have a 'stream_request' key with KafkaTask.Input as value. ${see}`,
    ],
    ["STREAM_PUBLISH", { stream_request: { ...request, bootStrapServers: "" } }, "No boot strap servers specified"],
    ["KAFKA_PUBLISH", { kafka_request: { ...request, topic: "" } }, `Missing Kafka topic. ${see}`],
    ["KAFKA_PUBLISH", { kafka_request: { ...request, value: null } }, `Missing Kafka value.  ${see}`],
    [
      "STREAM_PUBLISH",
      {
        stream_request: {
          ...request,
          key: "x",
          keySerializer: "org.apache.kafka.common.serialization.IntegerSerializer",
        },
      },
      'Expected key to be a number of 32 bits for IntegerSerializer, got "x"',
    ],
    [
      "STREAM_PUBLISH",
      { stream_request: { ...request, bootStrapServers: "10.1.2.3:9092" } },
      "Failed to invoke kafka task due to: Outbound access denied: 10.1.2.3 resolves to a blocked address (10.1.2.3)",
    ],
  ])("%s with %j fails with what is wrong", async (type, input, reason) => {
    expect(await runStreamPublish(type, input, options)).toMatchObject({
      status: "FAILED",
      reasonForIncompletion: reason,
    });
  });

  test("says so when nobody answers, and within its time", async () => {
    const startedAt = performance.now();
    const { status, reasonForIncompletion } = await runStreamPublish(
      "STREAM_PUBLISH",
      { stream_request: request },
      options,
    );
    expect([status, reasonForIncompletion]).toEqual([
      "FAILED",
      expect.stringMatching(/^Failed to invoke kafka task due to: .*(ECONNREFUSED|within 500 ms)/),
    ]);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });

  test("fails for good where it is switched off", async () => {
    const result = await runStreamPublish(
      "STREAM_PUBLISH",
      { stream_request: request },
      { ...options, isEnabled: false },
    );
    expect(result).toMatchObject({
      status: "FAILED_WITH_TERMINAL_ERROR",
      reasonForIncompletion: expect.stringContaining("service.tasks.stream-publish.enabled"),
    });
  });
});
