import { expect } from "vitest";
import { type Client, eventually, type Json } from "../support/client.ts";
import { aWorkflow, entry } from "../support/definitions.ts";
import { aFolder, type ChildServer, removeFolder, startChildServer } from "../support/server.ts";

/** What a test needs to know of a broker. */
export type BrokerUnderTest = {
  readonly settings: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly event: string;
  /** Where in the message handlers find the number. */
  readonly path: string;
  /** Sends messages `{"n": number}`, by a client of its own. */
  readonly publish: (numbers: readonly number[]) => Promise<void>;
};

/** In npm test a thousand; the promise is about ten thousand. */
const MESSAGES = Number(process.env["DOWNBEAT_BROKER_MESSAGES"] ?? 1000);
const BATCH = 100;
const DEADLINE_MS = 60_000 + 20 * MESSAGES;
const PAGE = 1000;

/** How long `startOncePerMessage` may take. */
export const killTimeoutMs = 4 * DEADLINE_MS;

/** Every message starts one execution, though the server is killed twice in the middle of them. */
export async function startOncePerMessage(broker: BrokerUnderTest): Promise<void> {
  const folder = aFolder();
  const begin = () =>
    startChildServer({
      folder,
      settings: { "service.log.level": "info", ...broker.settings },
      env: { ...broker.env },
    });
  let server: ChildServer = await begin();
  try {
    await prepare(server.client, broker);
    // They wait for the next server, which is then in the thick of it from its first moment on.
    await server.kill();
    const numbers = Array.from({ length: MESSAGES }, (_, n) => n);
    await publishAll(broker, numbers);
    for (const share of [1 / 20, 1 / 5]) {
      server = await begin();
      await received(server.client, Math.ceil(MESSAGES * share));
      await server.kill();
    }
    server = await begin();
    const before = await count(server.client);
    await reached(server.client, MESSAGES);
    await check(server.client, numbers);
    expect(before, "executions before the last server, which would otherwise have had nothing to do").toBeLessThan(
      MESSAGES,
    );
  } finally {
    await server.kill();
    removeFolder(folder);
  }
}

/** Resolves when this server has handled so many messages. */
const received = (client: Client, wanted: number): Promise<true> =>
  eventually(async () => {
    const states = (await client.get("/event/subscription")).json as { received: number }[];
    return states.some((state) => state.received >= wanted) ? true : undefined;
  }, DEADLINE_MS);

async function prepare(client: Client, { event, path }: BrokerUnderTest): Promise<void> {
  await client.register(aWorkflow("counted", [entry("NOOP", "n")]));
  const start_workflow = { name: "counted", correlationId: `\${${path}}` };
  const handler = { name: "count", event, active: true, actions: [{ action: "start_workflow", start_workflow }] };
  expect((await client.post("/event", handler)).status).toBe(200);
  await listening(client, event);
}

/** Resolves when the server listens to the queue. */
export const listening = (client: Client, event: string): Promise<Json> =>
  eventually(async () => {
    const states = (await client.get("/event/subscription")).json as Json[];
    return states.find((state) => state["event"] === event && state["state"] === "LISTENING");
  }, 60_000);

async function publishAll(broker: BrokerUnderTest, numbers: readonly number[]): Promise<void> {
  for (let at = 0; at < numbers.length; at += BATCH) await broker.publish(numbers.slice(at, at + BATCH));
}

async function count(client: Client): Promise<number> {
  const query = encodeURIComponent("workflowType = counted");
  return ((await client.get(`/workflow/search?size=1&query=${query}`)).json as { totalHits: number }).totalHits;
}

const reached = (client: Client, wanted: number): Promise<number> =>
  eventually(async () => {
    const there = await count(client);
    return there >= wanted ? there : undefined;
  }, DEADLINE_MS);

/** None lost and none twice, also after whatever is still on its way has come. */
async function check(client: Client, numbers: readonly number[]): Promise<void> {
  await eventually(async () => {
    const states = (await client.get("/event/subscription")).json as { received: number }[];
    const before = states.map(({ received }) => received);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const after = (await client.get("/event/subscription")).json as { received: number }[];
    return JSON.stringify(before) === JSON.stringify(after.map(({ received }) => received)) ? true : undefined;
  }, DEADLINE_MS);
  const query = encodeURIComponent("workflowType = counted");
  const seen: number[] = [];
  for (let start = 0; ; start += PAGE) {
    const { results } = (await client.get(`/workflow/search?start=${start}&size=${PAGE}&query=${query}`)).json as {
      results: { correlationId: string }[];
    };
    seen.push(...results.map(({ correlationId }) => Number(correlationId)));
    if (results.length < PAGE) break;
  }
  expect(seen.sort((a, b) => a - b)).toEqual(numbers);
}
