import { afterAll, beforeAll, expect, test } from "vitest";
import { type AiServer, oneTask, startAiServer } from "./support/ai-server.ts";
import { openaiResponse } from "./support/replies.ts";

const TASKS = 500;
const LOOKS = 100;

let server: AiServer;
beforeAll(async () => {
  server = await startAiServer();
});
afterAll(() => server.close());

/** The median of so many reads of an execution, in milliseconds. */
async function readLatency(id: string): Promise<number> {
  const times: number[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    const start = performance.now();
    await server.client.get(`/workflow/${id}`);
    times.push(performance.now() - start);
  }
  return times.sort((one, other) => one - other)[LOOKS / 2] ?? 0;
}

const heapBytes = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

test(`${TASKS} chats wait for a slow provider at once and cost next to nothing while they do`, async () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let allThere = (): void => undefined;
  const arrived = new Promise<void>((resolve) => {
    allThere = resolve;
  });
  let count = 0;
  server.provider.answer(async () => {
    count += 1;
    if (count === 1) return openaiResponse("warm");
    if (count === TASKS + 1) allThere();
    await released;
    return openaiResponse("Hi");
  });
  const input = { llmProvider: "openai", model: "gpt-4o-mini", messages: [{ role: "user", message: "Hello" }] };
  await server.client.register(oneTask("LLM_CHAT_COMPLETE", input));
  const warm = await server.client.start("one_llm_chat_complete");
  await server.client.ended(warm);
  const [quietMs, quietHeap] = [await readLatency(warm), heapBytes()];

  const ids: string[] = [];
  while (ids.length < TASKS) {
    ids.push(...(await Promise.all(Array.from({ length: 50 }, () => server.client.start("one_llm_chat_complete")))));
  }
  await arrived;
  const [firstHeap, cpuBefore, began] = [heapBytes(), process.cpuUsage(), performance.now()];
  const busyMs = await readLatency(warm);
  const looked = performance.now() - began;
  const { user, system } = process.cpuUsage(cpuBefore);
  const secondHeap = heapBytes();

  release();
  for (const id of ids) expect((await server.client.ended(id)).status).toBe("COMPLETED");
  process.stdout.write(
    `${TASKS} chats in flight: read ${quietMs.toFixed(1)} -> ${busyMs.toFixed(1)} ms, ` +
      `heap ${mb(quietHeap)} -> ${mb(firstHeap)} -> ${mb(secondHeap)} MB, ` +
      `CPU ${((user + system) / 1000).toFixed(0)} of ${looked.toFixed(0)} ms\n`,
  );
  // One request each: nobody is asked whether it is done.
  expect(server.provider.requests).toHaveLength(TASKS + 1);
  expect(busyMs).toBeLessThan(Math.max(3 * quietMs, quietMs + 10));
  // Of both ends of each connection, since the provider lives in this process too.
  expect(firstHeap - quietHeap).toBeLessThan(TASKS * 200_000);
  expect(secondHeap - firstHeap).toBeLessThan(20_000_000);
}, 120_000);

const mb = (bytes: number): string => (bytes / 1_000_000).toFixed(0);
