import { type JsonObject, RawJson } from "@downbeat/engine";
import { startServer, type TestServer } from "@downbeat/server/testing";
import { hasPostgres, newDatabase, testThatPostgresIsThere } from "@downbeat/store/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { extension } from "../../src/index.ts";
import { anAgent, aTool, calling, says } from "../support/agent-server.ts";
import { typesOf, watch } from "../support/watch.ts";

testThatPostgresIsThere();

/** Two servers on one PostgreSQL. */
const servers: TestServer[] = [];
const answers: JsonObject[] = [];

beforeAll(async () => {
  if (!hasPostgres) return;
  const url = await newDatabase();
  for (let node = 0; node < 2; node++) {
    servers.push(
      await startServer({
        settings: {
          "service.db.type": "postgres",
          "service.db.url": url,
          "service.secrets.type": "database",
          "service.secrets.key": Buffer.alloc(32, 5).toString("base64"),
        },
        extensions: [extension],
        taskTypes: [{ type: "LLM_CHAT_COMPLETE", mode: "outside", initialStatus: "SCHEDULED" }],
        executors: [
          {
            type: "LLM_CHAT_COMPLETE",
            concurrency: 2,
            run: async () => ({
              status: "COMPLETED",
              outputMode: "replace",
              output: new RawJson(JSON.stringify(answers.shift() ?? says("out of words"))),
            }),
          },
        ],
      }),
    );
  }
}, 60_000);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  expect(servers.flatMap(({ errors }) => errors)).toEqual([]);
});

test.skipIf(!hasPostgres)(
  "whoever watches, at whichever server, hears the same events with the same numbers",
  async () => {
    const [one, other] = servers;
    if (one === undefined || other === undefined) throw new Error("Expected two servers");
    answers.push(calling(["across", { q: "1" }]), calling(["across", { q: "2" }]), says("done"));
    const agentConfig = anAgent({ tools: [aTool("across", { approvalRequired: true })] });
    const { json } = await one.client.post("/agent/start", { agentConfig, prompt: "go" });
    const { executionId: id } = json as { readonly executionId: string };
    const here = await watch(one.client.base, id);
    const there = await watch(other.client.base, id);
    for (const turn of [1, 2]) {
      await Promise.all([here.until("waiting", turn), there.until("waiting", turn)]);
      const { client } = turn === 1 ? other : one;
      await client.post(`/agent/events/${id}`, { type: "thinking", content: `turn ${turn}` });
      expect((await client.post(`/agent/${id}/respond`, { approved: true })).status).toBe(200);
      await one.client.complete(await one.client.take("across"), { result: turn });
    }
    await Promise.all([here.ended, there.ended]);
    expect(there.heard).toEqual(here.heard);
    expect(here.heard.map((event) => event.id)).toEqual(here.heard.map((_, index) => index + 1));
    expect(typesOf(here.heard).filter((type) => type === "tool_result")).toHaveLength(2);
    expect(here.heard.at(-1)?.type).toBe("done");
  },
  60_000,
);

test.skipIf(!hasPostgres)("a secret that is stored at one server is there at the other", async () => {
  const [one, other] = servers;
  const put = await one?.client.send("PUT", "/secrets/SHARED", {
    text: "v",
    headers: { "content-type": "text/plain" },
  });
  expect(put?.status).toBe(200);
  expect((await other?.client.get("/secrets/SHARED/exists"))?.json).toBe(true);
  await other?.client.delete("/secrets/SHARED");
  expect((await one?.client.get("/secrets/SHARED/exists"))?.json).toBe(false);
});
