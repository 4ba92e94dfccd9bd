import { isIP } from "node:net";
import { isJsonObject, type Json, type JsonObject, type TaskResult } from "@downbeat/engine";
import { checkedLookup, checkLiteralAddress, hostOf, type RefuseTarget } from "../outbound/address-policy.ts";
import { reasonOf } from "../outbound/reason-of.ts";
import type { StreamProducers } from "./stream-producers.ts";

export type StreamPublishOptions = {
  readonly isEnabled: boolean;
  readonly producers: StreamProducers;
  readonly refuse: RefuseTarget;
  readonly requestTimeoutMs: number;
  readonly maxBlockMs: number;
};

/** Publishes one record. Whatever goes wrong is a result. */
export async function runStreamPublish(
  taskType: string,
  input: JsonObject,
  options: StreamPublishOptions,
): Promise<TaskResult> {
  if (!options.isEnabled) {
    const reason = `${taskType} is switched off on this server: set service.tasks.stream-publish.enabled to true`;
    return { status: "FAILED_WITH_TERMINAL_ERROR", outputMode: "replace", reasonForIncompletion: reason };
  }
  try {
    const request = readRequest(taskType, input, options);
    for (const server of request.servers) await checkServer(server, options.refuse);
    await options.producers.send(request);
    const status = input["asyncComplete"] === true ? "IN_PROGRESS" : "COMPLETED";
    return { status, outputMode: "replace" };
  } catch (error) {
    const why = reasonOf(error);
    const reason = error instanceof InvalidRequest ? why : `Failed to invoke kafka task due to: ${why}`;
    return { status: "FAILED", outputMode: "replace", reasonForIncompletion: reason };
  }
}

/** The input does not say what to send; the message is the task's reason. */
class InvalidRequest extends Error {}

export type StreamRequest = {
  readonly servers: readonly string[];
  readonly topic: string;
  readonly value: Buffer;
  readonly key: Buffer | undefined;
  readonly headers: ReadonlyMap<string, string>;
  readonly timeoutMs: number;
};

function readRequest(taskType: string, input: JsonObject, options: StreamPublishOptions): StreamRequest {
  const request = input["stream_request"] ?? input["kafka_request"];
  const see = "See documentation for KafkaTask for required input parameters";
  if (!isJsonObject(request)) {
    const [what, key] = taskType === "STREAM_PUBLISH" ? ["stream", "stream_request"] : ["Kafka", "kafka_request"];
    throw new InvalidRequest(
      `Missing ${what} request. Task input MUST have a '${key}' key with KafkaTask.Input as value. ${see}`,
    );
  }
  const servers = listOfServers(request["bootStrapServers"] ?? null);
  if (servers.length === 0) throw new InvalidRequest("No boot strap servers specified");
  const topic = request["topic"];
  if (typeof topic !== "string" || topic === "") throw new InvalidRequest(`Missing Kafka topic. ${see}`);
  const value = request["value"] ?? null;
  if (value === null) throw new InvalidRequest(`Missing Kafka value.  ${see}`);
  const headers = request["headers"];
  return {
    servers,
    topic,
    value: Buffer.from(JSON.stringify(value), "utf8"),
    key: encodeKey(request["key"] ?? null, request["keySerializer"] ?? null),
    headers: new Map(
      isJsonObject(headers) ? Object.entries(headers).map(([name, text]) => [name, textOf(text)] as const) : [],
    ),
    timeoutMs:
      readMs(request, "requestTimeoutMs", options.requestTimeoutMs) + readMs(request, "maxBlockMs", options.maxBlockMs),
  };
}

function listOfServers(value: Json): readonly string[] {
  const texts = Array.isArray(value) ? value.map(textOf) : value === null ? [] : textOf(value).split(",");
  return texts.map((text) => text.trim()).filter((text) => text !== "");
}

/** By the last word of the serializer's class name: Long and Integer make numbers of the key. */
function encodeKey(key: Json, serializer: Json): Buffer | undefined {
  if (key === null) return undefined;
  const name = typeof serializer === "string" ? (serializer.split(".").at(-1) ?? "") : "";
  if (name === "LongSerializer" || name === "IntegerSerializer") return encodeNumber(textOf(key), name);
  return Buffer.from(textOf(key), "utf8");
}

function encodeNumber(text: string, name: "LongSerializer" | "IntegerSerializer"): Buffer {
  const bits = name === "LongSerializer" ? 64 : 32;
  const number = /^[+-]?\d+$/.test(text.trim()) ? BigInt(text.trim()) : undefined;
  if (number === undefined || BigInt.asIntN(bits, number) !== number)
    throw new InvalidRequest(`Expected key to be a number of ${bits} bits for ${name}, got "${text}"`);
  const buffer = Buffer.alloc(bits / 8);
  if (bits === 64) buffer.writeBigInt64BE(number);
  else buffer.writeInt32BE(Number(number));
  return buffer;
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

function readMs(request: JsonObject, key: string, otherwise: number): number {
  const value = Number(request[key] ?? otherwise);
  return Number.isFinite(value) && value >= 0 ? value : otherwise;
}

/** A task may name any broker, but none that HTTP tasks may not reach either. */
async function checkServer(server: string, refuse: RefuseTarget): Promise<void> {
  const url = URL.parse(`kafka://${server}`);
  if (url === null || url.hostname === "")
    throw new InvalidRequest(`Expected bootStrapServers to be host:port, got "${server}"`);
  checkLiteralAddress(url, refuse);
  const host = hostOf(url);
  if (isIP(host) !== 0) return;
  await new Promise<void>((resolve, reject) => {
    checkedLookup(url, refuse)(host, { all: true }, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}
