import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, Json } from "../support/client.ts";
import { aName, aWorkflow, entry } from "../support/definitions.ts";
import { aFolder, removeFolder, startChildServer, startServer, type TestServer } from "../support/server.ts";

const enabled = { "service.workflow-message-queue.enabled": "true" };
const pull = (ref: string, inputParameters: Json = {}) => entry("PULL_WORKFLOW_MESSAGES", ref, { inputParameters });

/** Takes messages for ever, a hundred at a time. */
const taker = aWorkflow("taker", [
  entry("DO_WHILE", "loop", { loopCondition: "true", loopOver: [pull("p", { batchSize: 100 })] }),
]);

type Message = {
  readonly id: string;
  readonly workflowId: string;
  readonly payload: Json;
  readonly receivedAt: string;
};

const taken = async (client: Client, id: string): Promise<readonly Message[]> =>
  (await client.execution(id)).tasks.flatMap(({ outputData }) => (outputData["messages"] ?? []) as Message[]);

describe("messages", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ settings: { ...enabled, "service.workflow-message-queue.maxQueueSize": "1000" } });
    await server.client.register(
      taker,
      aWorkflow("waiting", [entry("WAIT", "w"), pull("p", { batchSize: 2 })]),
      aWorkflow("pulling", [pull("p")]),
    );
  });
  afterAll(async () => {
    await server.close();
    expect(server.errors).toEqual([]);
  });

  test("a push is answered with the message's id, and has completed the task that waited for it", async () => {
    const { client } = server;
    const id = await client.start("pulling");
    const before = Date.now();
    const { status, headers, text } = await client.post(`/workflow/${id}/messages`, { a: [1, null] });
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain;charset=UTF-8"]);
    const { status: ended, output } = await client.execution(id);
    expect(ended).toBe("COMPLETED");
    const [message] = output["messages"] as Message[];
    expect(output).toEqual({ messages: [message], count: 1 });
    expect(message).toEqual({ id: text, workflowId: id, payload: { a: [1, null] }, receivedAt: message?.receivedAt });
    expect(Date.parse(message?.receivedAt ?? "")).toBeGreaterThanOrEqual(before - 1);
  });

  test("messages pushed before the task is there wait for it", async () => {
    const { client } = server;
    const id = await client.start("waiting");
    for (const n of [1, 2, 3]) await client.post(`/workflow/${id}/messages`, { n });
    await client.post(`/tasks/${id}/w/COMPLETED`, {});
    expect((await client.ended(id)).output["count"]).toBe(2);
  });

  test.each([
    ["[1]", "Expected a JSON object as message, got a list"],
    ['"x"', "Expected a JSON object as message, got a string"],
    ["null", "Expected a JSON object as message, got null"],
    ["", "Expected a JSON body, got none"],
  ])("the body %s is refused", async (text, message) => {
    const id = await server.client.start("waiting");
    const answer = await server.client.send("POST", `/workflow/${id}/messages`, { text });
    expect([answer.status, answer.json]).toEqual([400, expect.objectContaining({ status: 400, message })]);
  });

  test("an execution that does not run takes none, and says how it is", async () => {
    const { client } = server;
    const id = await client.start("pulling");
    const push = async () => {
      const { status, json } = await client.post(`/workflow/${id}/messages`, {});
      return [status, (json as Json)["message"]];
    };
    await client.put(`/workflow/${id}/pause`);
    expect(await push()).toEqual([409, `Workflow ${id} is not in RUNNING state (current: PAUSED)`]);
    await client.delete(`/workflow/${id}`);
    expect(await push()).toEqual([409, `Workflow ${id} is not in RUNNING state (current: TERMINATED)`]);
  });

  test.each(["00000000-0000-4000-8000-000000000000", "0190aaaa-0000-7000-8000-000000000000", "nobody"])(
    "an execution %s that is not there is 404",
    async (id) => {
      const { status, json } = await server.client.post(`/workflow/${id}/messages`, {});
      expect([status, json]).toEqual([404, expect.objectContaining({ message: `Workflow not found: ${id}` })]);
    },
  );

  test("a full queue answers 429, which may be tried again", async () => {
    const own = await startServer({ settings: { ...enabled, "service.workflow-message-queue.maxQueueSize": "20" } });
    await own.client.register(aWorkflow("waiting", [entry("WAIT", "w")]));
    const id = await own.client.start("waiting");
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => own.client.post(`/workflow/${id}/messages`, { n })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.json).toMatchObject({
      status: 429,
      message: `Workflow message queue for workflowId=${id} has reached the maximum size of 20`,
      retryable: true,
    });
    await own.close();
  });

  test("1,000 messages pushed at once arrive once each, in the order in which they were acknowledged", async () => {
    const { client } = server;
    const id = await client.start("taker");
    const pushed: { readonly id: string; readonly sentAt: number; readonly acknowledgedAt: number }[] = [];
    let moment = 0;
    const pusher = async (who: number) => {
      for (let n = 0; n < 20; n++) {
        const sentAt = ++moment;
        const { status, text } = await client.post(`/workflow/${id}/messages`, { who, n, text: "x".repeat(n * 50) });
        expect(status).toBe(200);
        pushed.push({ id: text, sentAt, acknowledgedAt: ++moment });
      }
    };
    await Promise.all(Array.from({ length: 50 }, (_, who) => pusher(who)));
    const arrived = await taken(client, id);
    const places = new Map(arrived.map((message, place) => [message.id, place]));
    expect(arrived).toHaveLength(1000);
    expect(places.size).toBe(1000);
    expect(new Set(pushed.map((one) => one.id))).toEqual(new Set(places.keys()));
    // Whatever was acknowledged before another was even sent has come before it.
    const inOrder = [...pushed].sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
    let lastSentAt = 0;
    for (const { sentAt, acknowledgedAt } of inOrder) {
      expect(acknowledgedAt).toBeGreaterThan(lastSentAt);
      lastSentAt = Math.max(lastSentAt, sentAt);
    }
  }, 30_000);
});

test("with the queue switched off there is no such route, and the task is a worker's", async () => {
  const server = await startServer();
  const { client } = server;
  await client.register(aWorkflow("pulling", [pull("p")]));
  const id = await client.start("pulling");
  expect((await client.post(`/workflow/${id}/messages`, {})).status).toBe(404);
  expect((await client.take("PULL_WORKFLOW_MESSAGES")).workflowInstanceId).toBe(id);
  await server.close();
});

test("acknowledged messages outlive kills, each is taken once, and none is lost", async () => {
  const folder = aFolder();
  const name = aName("killed");
  const acknowledged = new Set<string>();
  let id = "";
  for (let life = 0; life < 2; life++) {
    const { client, kill } = await startChildServer({ folder, settings: enabled });
    if (life === 0) {
      await client.register({ ...taker, name }, aWorkflow("waiting", [entry("WAIT", "w"), pull("p")]));
      id = await client.start(name);
    }
    const enough = Promise.withResolvers<void>();
    const pushing = Array.from({ length: 8 }, async () => {
      for (;;) {
        const { text } = await client.post(`/workflow/${id}/messages`, { life });
        acknowledged.add(text);
        if (acknowledged.size >= (life + 1) * 150) enough.resolve();
      }
    });
    // The connection that is cut is how a pusher hears of the end.
    const ends = pushing.map((one) => one.catch(() => undefined));
    await enough.promise;
    await kill();
    await Promise.all(ends);
  }
  const { client, stop } = await startChildServer({ folder, settings: enabled });
  const ids = (await taken(client, id)).map((message) => message.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...acknowledged].filter((one) => !ids.includes(one))).toEqual([]);
  expect(await stop()).toBe(0);
  removeFolder(folder);
}, 60_000);
