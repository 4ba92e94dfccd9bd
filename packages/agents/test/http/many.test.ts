import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentServer, anAgent, aTool, calling, startAgentServer } from "../support/agent-server.ts";
import { type Watching, watch } from "../support/watch.ts";

let server: AgentServer;
beforeAll(async () => {
  server = await startAgentServer();
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

const AGENTS = 1000;
const STREAMS = 200;
const AT_ONCE = 50;

/** Does it so many times, some at once. */
async function repeat<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, index) => work(at + index));
    results.push(...(await Promise.all(batch)));
  }
  return results;
}

test("a thousand agents that wait for approval cost nothing, and two hundred watch one of them", async () => {
  const agent = anAgent({ tools: [aTool("approved_tool", { approvalRequired: true })] });
  server.script(`${agent.name}_llm`, () => calling(["approved_tool"]));
  await server.client.post("/agent/deploy", { agentConfig: agent });
  const ids = await repeat(AGENTS, async () => {
    const { json } = await server.client.post("/agent/start", { name: agent.name, prompt: "go" });
    return (json as { readonly executionId: string }).executionId;
  });
  await server.question(ids.at(-1) ?? "");
  await repeat(AGENTS, (index) => server.question(ids[index] ?? ""));

  const before = process.cpuUsage();
  const startedAt = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const { user, system } = process.cpuUsage(before);
  const busy = (user + system) / 1000 / (performance.now() - startedAt);
  // The process is this test's too: what it does by itself is allowed for.
  expect(busy).toBeLessThan(0.2);

  const [id = ""] = ids;
  const streams: Watching[] = await repeat(STREAMS, () => watch(server.client.base, id));
  await Promise.all(streams.map((stream) => stream.until("waiting")));
  expect((await server.client.post(`/agent/${id}/respond`, { approved: false })).status).toBe(200);
  await Promise.all(streams.map((stream) => stream.ended));
  const [first] = streams;
  expect(first?.heard.at(-1)?.type).toBe("done");
  for (const stream of streams) expect(stream.heard).toEqual(first?.heard);
  process.stdout.write(`${AGENTS} waiting agents: ${(busy * 100).toFixed(1)} % of a core\n`);
}, 120_000);
