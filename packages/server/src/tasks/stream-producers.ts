import type { Producer } from "@platformatic/kafka";
import { within } from "../outbound/within.ts";
import type { StreamRequest } from "./stream-publish.ts";

type BinaryProducer = Producer<Buffer, Buffer, Buffer, Buffer>;
type Kept = { readonly producer: Promise<BinaryProducer>; usedAt: number; inUse: number };

const CLOSE_MS = 2000;

export type ProducersOptions = { readonly most: number; readonly keepMs: number; readonly now: () => number };

/** Connections to the clusters that STREAM_PUBLISH tasks name, kept for a while. The client is loaded for the first. */
export class StreamProducers {
  readonly #options: ProducersOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: ProducersOptions) {
    this.#options = options;
  }

  /** Resolves when the topic's broker has the record on all its copies. */
  async send({ servers, topic, value, key, headers, timeoutMs }: StreamRequest): Promise<void> {
    this.#forgetUnused();
    const name = [...servers].sort().join(",");
    const kept = this.#kept.get(name) ?? { producer: open(servers), usedAt: 0, inUse: 0 };
    this.#kept.set(name, kept);
    kept.inUse++;
    try {
      const producer = await kept.producer;
      const binary = new Map([...headers].map(([header, text]) => [Buffer.from(header), Buffer.from(text)]));
      const record = { topic, value, headers: binary, ...(key === undefined ? {} : { key }) };
      await within(timeoutMs, producer.send({ messages: [record], acks: -1, autocreateTopics: true }));
    } catch (error) {
      // Whatever state it is in: the next one begins afresh.
      this.#drop(name, kept);
      throw error;
    } finally {
      kept.inUse--;
      kept.usedAt = this.#options.now();
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(
      [...this.#kept.values()].map(async ({ producer }) => within(CLOSE_MS, (await producer).close())),
    );
    this.#kept.clear();
  }

  #forgetUnused(): void {
    const { most, keepMs, now } = this.#options;
    const idle = [...this.#kept].filter(([, { inUse }]) => inUse === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt);
    let excess = this.#kept.size + 1 - most;
    for (const [name, kept] of idle) {
      if (excess-- > 0 || kept.usedAt + keepMs < now()) this.#drop(name, kept);
    }
  }

  #drop(name: string, kept: Kept): void {
    if (this.#kept.get(name) === kept) this.#kept.delete(name);
    kept.producer
      .then((producer) => producer.close())
      // It could not be opened, or not be closed: either way it is gone.
      .catch(() => undefined);
  }
}

async function open(servers: readonly string[]): Promise<BinaryProducer> {
  const { Producer } = await import("@platformatic/kafka");
  return new Producer({ clientId: "downbeat", bootstrapBrokers: [...servers], retries: 1 });
}
