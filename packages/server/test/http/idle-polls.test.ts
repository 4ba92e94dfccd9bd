import { once } from "node:events";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, eventually, type Json } from "../support/client.ts";
import { aName, aTask, aWorkflow, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

const POLLS = 1000;

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startServer();
  client = server.client;
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

function openPoll(taskType: string, worker: number, agent: Agent): ClientRequest {
  const call = request(`${client.base}/tasks/poll/batch/${taskType}?timeout=5000&workerid=w${worker}`, { agent });
  call.on("error", () => undefined);
  call.end();
  return call;
}

const readAnswer = async (call: ClientRequest): Promise<Json[]> => {
  const [response] = (await once(call, "response")) as [IncomingMessage];
  return JSON.parse(Buffer.concat(await response.toArray()).toString()) as Json[];
};

test("a thousand polls may wait at once: the server stays quick, and one start wakes one of them", async () => {
  const busy = aName("busy");
  await client.registerTasks(aTask(busy));
  await client.register(aWorkflow(busy, [simple(busy, "t")]));
  const agent = new Agent({ maxSockets: POLLS + 1 });
  try {
    // Half of them for the task that comes, half for others.
    const calls = Array.from({ length: POLLS }, (_, n) => openPoll(n % 2 === 0 ? busy : `idle_${n}`, n, agent));
    const answers = calls.map(readAnswer);
    await eventually(async () => {
      const polled = (await client.get("/tasks/queue/polldata/all")).json as Json[];
      return polled.length > POLLS / 2 ? true : undefined;
    });
    const askedAt = performance.now();
    const id = await client.start(busy);
    // A poll that was opened early may end empty meanwhile; the first one with a task counts.
    const first = await Promise.any(
      answers.map(async (answer) => ((await answer).length > 0 ? answer : Promise.reject(new Error("Nothing came")))),
    );
    expect(first).toMatchObject([{ workflowInstanceId: id }]);
    expect(performance.now() - askedAt).toBeLessThan(1000);
    const all = (await Promise.all(answers)).flat();
    expect(all).toHaveLength(1);
  } finally {
    agent.destroy();
  }
});
