import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AiServer, startAiServer } from "./support/ai-server.ts";
import { openaiCalls, openaiResponse } from "./support/replies.ts";
import { talk, toolsOfTurn } from "./support/talks.ts";

type Item = { readonly role?: string; readonly content?: unknown; readonly output?: unknown };

const itemsOf = (body: Record<string, unknown> | undefined): readonly Item[] => (body?.["input"] ?? []) as Item[];
const words = (body: Record<string, unknown> | undefined): readonly unknown[] =>
  itemsOf(body)
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => content);

describe.each([
  ["is remembered", {}],
  ["is read from the store every time", { "service.ai.history-cache-size": "0" }],
])("what was said %s", (_how, settings) => {
  let server: AiServer;
  beforeAll(async () => {
    server = await startAiServer({ settings: { "service.ai.max-retries": "0", ...settings } });
    await server.client.registerTasks({ name: "llm", ownerEmail: "test@example.com", retryCount: 0 });
  });
  afterAll(() => server.close());

  /** Every answer is another: what is said again after a rerun differs from what was said first. */
  function count(failsAt = 0): void {
    let said = 0;
    server.provider.answer(() => (++said === failsAt ? { status: 400, json: {} } : openaiResponse(`said ${said}`)));
  }

  const sinceNow = () => {
    const before = server.provider.requests.length;
    return () => server.provider.requests.slice(before).map(({ body }) => body);
  };

  const ended = (id: string) => server.client.ended(id);

  async function run(name: string, turns: number, more = {}) {
    await server.client.register(talk(name, turns, more));
    return await ended(await server.client.start(name));
  }

  test("a rerun shows what was said before its task, and after that only what was said since", async () => {
    count();
    const { workflowId, tasks } = await run("talk_rerun", 4);
    const third = tasks.find(({ referenceTaskName }) => referenceTaskName === "llm__3");
    const bodies = sinceNow();
    await server.client.post(`/workflow/${workflowId}/rerun`, { reRunFromTaskId: third?.taskId });
    expect((await ended(workflowId)).status).toBe("COMPLETED");
    expect(bodies().map(words)).toEqual([
      ["said 1", "said 2"],
      ["said 1", "said 2", "said 5"],
    ]);
  });

  test("a retry shows no turn that failed, and every turn that did not", async () => {
    count(3);
    const bodies = sinceNow();
    const { workflowId, status } = await run("talk_retry", 4);
    expect(status).toBe("FAILED");
    await server.client.post(`/workflow/${workflowId}/retry`);
    expect((await ended(workflowId)).status).toBe("COMPLETED");
    expect(bodies().map(words)).toEqual([
      [],
      ["said 1"],
      ["said 1", "said 2"],
      ["said 1", "said 2"],
      ["said 1", "said 2", "said 4"],
    ]);
  });

  test("a restart begins from nothing", async () => {
    count();
    const { workflowId } = await run("talk_restart", 3);
    const bodies = sinceNow();
    await server.client.post(`/workflow/${workflowId}/restart`);
    expect((await ended(workflowId)).status).toBe("COMPLETED");
    expect(bodies().map(words)).toEqual([[], ["said 4"], ["said 4", "said 5"]]);
  });

  test("iterations that are not kept are not shown", async () => {
    count();
    const bodies = sinceNow();
    await run("talk_forgets", 5, { keepLastN: 3 });
    expect(bodies().map(words)).toEqual([
      [],
      ["said 1"],
      ["said 1", "said 2"],
      ["said 2", "said 3"],
      ["said 3", "said 4"],
    ]);
  });
});

describe("a server that is stopped in the middle of a conversation", () => {
  const folder = mkdtempSync(join(tmpdir(), "downbeat-talk-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const turns = 8;

  const answerOf = (turn: number) =>
    turn % 2 === 0
      ? openaiResponse(`said ${turn}`)
      : openaiCalls(
          { id: `call_${turn}`, name: "lookup", args: `{"key":"a${turn}"}` },
          { id: `call_${turn}b`, name: "lookup", args: `{"key":"b${turn}"}` },
        );

  /** Which turn is asked for, by what was said before it. */
  const turnOf = (body: Record<string, unknown>): number =>
    1 + new Set(JSON.stringify(body["input"]).match(/said \d+|call_\d+(?=")/g)).size;

  test("asks the model as it would have done without", { timeout: 60_000 }, async () => {
    const whole = await startAiServer();
    whole.provider.answer(({ body }) => answerOf(turnOf(body)));
    await whole.client.register(talk("talk_tools", turns, {}, ...toolsOfTurn));
    expect((await whole.client.ended(await whole.client.start("talk_tools"))).status).toBe("COMPLETED");
    const expected = whole.provider.requests.map(({ bytes }) => bytes.toString());
    await whole.close();
    expect(expected).toHaveLength(turns);
    expect(itemsOf(JSON.parse(expected[2] ?? "{}")).filter(({ output }) => output !== undefined)).toMatchObject([
      { call_id: "call_1", output: '{"found":"a1"}' },
      { call_id: "call_1b", output: '{"found":"b1"}' },
    ]);

    const first = await startAiServer({ folder });
    const reached = Promise.withResolvers<void>();
    first.provider.answer(async ({ body }) => {
      if (turnOf(body) < 5) return answerOf(turnOf(body));
      reached.resolve();
      return await new Promise(() => undefined);
    });
    await first.client.register(talk("talk_tools", turns, {}, ...toolsOfTurn));
    const id = await first.client.start("talk_tools");
    await reached.promise;
    await first.close();
    const second = await startAiServer({ folder, answer: ({ body }) => answerOf(turnOf(body)) });
    expect((await second.client.ended(id)).status).toBe("COMPLETED");
    await second.close();
    expect(first.provider.requests.map(({ bytes }) => bytes.toString())).toEqual(expected.slice(0, 5));
    expect(second.provider.requests.map(({ bytes }) => bytes.toString())).toEqual(expected.slice(4));
  });
});

test("what a tool gave is shown also where it lies in the payload store", async () => {
  const server = await startAiServer({ settings: { "service.app.taskOutputPayloadSizeThreshold": "1KB" } });
  const large = "x".repeat(5000);
  let turn = 0;
  server.provider.answer(() =>
    ++turn === 1 ? openaiCalls({ id: "call_1", name: "lookup", args: `{"key":"${large}"}` }) : openaiResponse("done"),
  );
  await server.client.register(talk("talk_large", 2, {}, ...toolsOfTurn));
  expect((await server.client.ended(await server.client.start("talk_large"))).status).toBe("COMPLETED");
  const [, second] = server.provider.requests;
  await server.close();
  expect(itemsOf(second?.body).find(({ output }) => output !== undefined)?.output).toBe(`{"found":"${large}"}`);
});
