import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Answer, type Client, eventually } from "../support/client.ts";
import { aWorkflow, simple } from "../support/definitions.ts";
import { aFolder, type ChildServer, removeFolder, startChildServer } from "../support/server.ts";

/** Long enough for a busy machine, far shorter than any poll or grace period. */
const SOON_MS = 3000;

let folder: string;
let server: ChildServer;

beforeEach(async () => {
  folder = aFolder();
  server = await startChildServer({ folder });
});

afterEach(async () => {
  // Undefined when it did not start.
  await (server as ChildServer | undefined)?.kill();
  removeFolder(folder);
});

test("a server that is stopped answers waiting polls and ends well at once", async () => {
  const { client } = server;
  const polls = ["a", "b", "c"].map((type) => client.get(`/tasks/poll/batch/${type}?timeout=5000`));
  await hasPolls(client, 3);
  const startedAt = performance.now();
  const code = server.stop();
  expect((await Promise.all(polls)).map(({ status, text }) => [status, text])).toEqual([
    [200, "[]"],
    [200, "[]"],
    [200, "[]"],
  ]);
  expect(await code).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
});

test("a server that is stopped under load finishes what it has begun, and all it acknowledged is there", async () => {
  const { client } = server;
  await client.register(aWorkflow("w", [simple("pay")]));
  const acknowledged: string[] = [];
  let isOver = false;
  const callers = Array.from({ length: 20 }, async () => {
    while (!isOver) {
      const answer = await client
        .post("/workflow", { name: "w", input: {} })
        .catch((): Answer | undefined => undefined);
      // Refused by a server that is stopping, or not reached any more.
      if (answer === undefined || answer.status === 503) return;
      expect(answer.status).toBe(200);
      acknowledged.push(answer.text);
    }
  });
  await eventually(async () => (acknowledged.length > 200 ? true : undefined));
  expect(await server.stop()).toBe(0);
  isOver = true;
  await Promise.all(callers);
  server = await startChildServer({ folder });
  for (const id of acknowledged) expect((await server.client.get(`/workflow/${id}/status`)).status).toBe(200);
});

test("a task that is handed out while the server stops reaches its worker, or is offered again", async () => {
  const { client } = server;
  await client.registerTasks({ name: "pay", retryCount: 0, responseTimeoutSeconds: 3600 });
  await client.register(aWorkflow("w", [simple("pay")]));
  const poll = client.get("/tasks/poll/batch/pay?timeout=5000&count=10");
  await hasPolls(client, 1);
  const start = client.start("w");
  const code = server.stop();
  const started = await start.catch(() => undefined);
  const delivered = (await poll).json as { readonly workflowInstanceId: string }[];
  expect(await code).toBe(0);
  server = await startChildServer({ folder });
  const offered = await server.client.poll("pay", { count: 10 });
  const found = [...delivered, ...offered].map(({ workflowInstanceId }) => workflowInstanceId);
  if (started !== undefined) expect(found).toEqual([started]);
});

/** Resolves when this many queues have been polled: the polls are waiting. */
const hasPolls = (client: Client, count: number) =>
  eventually(async () => {
    const polls = (await client.get("/tasks/queue/polldata/all")).json as unknown[];
    return polls.length >= count ? true : undefined;
  });

test("connections that nobody used, or whose request never came whole, do not keep a server from stopping", async () => {
  const { hostname, port } = new URL(server.client.base);
  const sockets = [1, 2].map(() => connect({ host: hostname, port: Number(port) }));
  for (const socket of sockets) {
    // How the server closes it does not matter.
    socket.on("error", () => undefined);
    await once(socket, "connect");
  }
  sockets[1]?.write("POST /api/workflow HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{");
  await server.client.get("/health");
  const startedAt = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
  for (const socket of sockets) socket.destroy();
});
