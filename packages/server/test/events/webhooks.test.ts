import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, eventually, type Json, type WireExecution } from "../support/client.ts";
import { aName, aWorkflow, entry } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

const SECRET = "it is between us";
let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startServer({ env: { SERVICE_SECRET_HOOK: SECRET } });
  client = server.client;
});
afterAll(async () => {
  await server.close();
  // A webhook without its secret is for an operator to hear of.
  expect(server.errors.filter((line) => !line.includes("its secret is not set"))).toEqual([]);
});

async function aWebhook(more: Json): Promise<string> {
  const name = aName("hook");
  expect((await client.post("/webhooks", { name, secretName: "HOOK", ...more })).status).toBe(200);
  return name;
}

const send = (name: string, text: string, headers: Record<string, string> = {}) =>
  client.send("POST", `/webhook/${name}`, { text, headers });

const hex = (text: string, secret = SECRET): string => createHmac("sha256", secret).update(text).digest("hex");

async function handle(name: string, actions: readonly Json[], more: Json = {}): Promise<void> {
  const handler = { name: aName("handler"), event: `webhook:${name}`, active: true, actions, ...more };
  expect((await client.post("/event", handler)).status).toBe(200);
}

const found = (name: string, count: number): Promise<readonly WireExecution[]> =>
  eventually(async () => {
    const query = encodeURIComponent(`workflowType = ${name}`);
    const { results } = (await client.get(`/workflow/search-v2?query=${query}`)).json as { results: WireExecution[] };
    return results.length >= count ? results : undefined;
  });

describe("a webhook", () => {
  test("starts a workflow for a signed request, once for each delivery", async () => {
    const target = aName("target");
    await client.register(aWorkflow(target, [entry("NOOP", "n")]));
    const name = await aWebhook({
      verifier: "HMAC_SHA256",
      header: "X-Hub-Signature-256",
      prefix: "sha256=",
      idHeader: "X-GitHub-Delivery",
    });
    const input = { ref: "${body.ref}", kind: "${headers.x-github-event}", q: "${query.a}", all: "${headers}" };
    await handle(name, [{ action: "start_workflow", start_workflow: { name: target, input } }], {
      condition: "$.headers['x-github-event'] == 'push'",
    });
    const text = JSON.stringify({ ref: "main", text: "ä" });
    const headers = {
      "x-hub-signature-256": `sha256=${hex(text)}`,
      "x-github-event": "push",
      "x-github-delivery": "d-1",
      authorization: "Bearer secret",
    };
    const first = await send(`${name}?a=b`, text, headers);
    expect([first.status, first.json]).toEqual([200, { messageId: "d-1", duplicate: false }]);
    expect((await send(`${name}?a=b`, text, headers)).json).toEqual({ messageId: "d-1", duplicate: true });
    const [started] = await found(target, 1);
    expect(started?.input).toMatchObject({ ref: "main", kind: "push", q: "b" });
    expect(Object.keys(started?.input["all"] as Json)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/authorization|signature/)]),
    );
  });

  test("signals a workflow that waits", async () => {
    const waiting = aName("waiting");
    await client.register(aWorkflow(waiting, [entry("WAIT", "w")]));
    const id = await client.start(waiting);
    const name = await aWebhook({ verifier: "HEADER", header: "X-Token" });
    await handle(name, [
      {
        action: "complete_task",
        complete_task: { workflowId: "${body.order}", taskRefName: "w", output: { paid: true } },
      },
    ]);
    const text = new URLSearchParams({ order: id }).toString();
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect((await send(name, text, { ...form, "x-token": SECRET })).status).toBe(200);
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED", output: { paid: true } });
  });

  test("refuses what is not signed with its secret, or too old, and does nothing", async () => {
    const [hmac, header, standard] = [
      await aWebhook({ verifier: "HMAC_SHA256", header: "X-Signature", encoding: "base64" }),
      await aWebhook({ verifier: "HEADER", header: "X-Token" }),
      await aWebhook({ verifier: "STANDARD" }),
    ];
    const at = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds);
    const sign = (id: string, timestamp: string, text: string, secret = SECRET) => ({
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,AAAA v1,${createHmac("sha256", secret).update(`${id}.${timestamp}.${text}`).digest("base64")}`,
    });
    const base64 = createHmac("sha256", SECRET).update("{}").digest("base64");
    const cases: readonly [number, string, string, Record<string, string>][] = [
      [200, hmac, "{}", { "x-signature": base64 }],
      [401, hmac, "{ }", { "x-signature": base64 }],
      [401, hmac, "{}", {}],
      [401, hmac, "{}", { "x-signature": hex("{}") }],
      [200, header, "{}", { "x-token": SECRET }],
      [401, header, "{}", { "x-token": `${SECRET}x` }],
      [401, header, "{}", {}],
      [200, standard, "{}", sign("a", at(0), "{}")],
      [401, standard, "{}", sign("b", at(-3600), "{}")],
      [401, standard, "{}", sign("c", at(0), "{}", "another")],
      [401, standard, "{}", { ...sign("d", at(0), "{}"), "webhook-id": "e" }],
      [401, standard, "{}", {}],
    ];
    for (const [status, name, text, headers] of cases) {
      const answer = await send(name, text, headers);
      expect([name, headers, answer.status]).toEqual([name, headers, status]);
      if (status === 401) expect(answer.json).toMatchObject({ status: 401, retryable: false });
    }
    const messages = async (name: string) =>
      ((await client.get(`/event/message/${encodeURIComponent(`webhook:${name}`)}`)).json as Json[]).length;
    expect([await messages(hmac), await messages(header), await messages(standard)]).toEqual([1, 1, 1]);
  });

  test("that is not there, is switched off or has no secret says so", async () => {
    expect((await send("none", "{}")).status).toBe(404);
    const name = await aWebhook({ verifier: "NONE" });
    expect((await send(name, "{}")).status).toBe(200);
    expect((await client.put("/webhooks", { name, verifier: "NONE", active: false })).status).toBe(200);
    expect((await send(name, "{}")).status).toBe(404);
    const unset = await aWebhook({ verifier: "HEADER", header: "X", secretName: "NOWHERE" });
    expect((await send(unset, "{}")).json).toMatchObject({ status: 503, retryable: true });
  });

  test("that cannot work is refused", async () => {
    const { json } = await client.post("/webhooks", { name: "a b", verifier: "HMAC_SHA256" });
    expect(json).toMatchObject({
      status: 400,
      validationErrors: [{ path: "name" }, { path: "secretName" }, { path: "header" }],
    });
    expect((await client.post("/webhooks", { name: "x", verifier: "MAGIC" })).status).toBe(400);
    const name = await aWebhook({ verifier: "NONE" });
    expect((await client.post("/webhooks", { name, verifier: "NONE" })).status).toBe(409);
    expect((await client.put("/webhooks", { name: "none", verifier: "NONE" })).status).toBe(404);
    expect((await client.delete("/webhooks/none")).status).toBe(404);
  });

  test("takes JSON of any depth as what it is", async () => {
    const name = await aWebhook({ verifier: "NONE" });
    await handle(name, [], {
      actions: [{ action: "start_workflow", start_workflow: { name: "none" } }],
      condition: "true",
    });
    expect((await send(name, "[".repeat(100_000))).status).toBe(200);
    expect((await send(name, "[".repeat(100_000) + "]".repeat(100_000))).status).toBe(200);
  });
});
