import { type JsonObject, RawJson } from "@downbeat/engine";
import type { Extension, Runtime } from "@downbeat/server";
import { startServer, type TestServer } from "@downbeat/server/testing";
import { hasPostgres, newDatabase, testThatPostgresIsThere } from "@downbeat/store/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { extension } from "../../src/index.ts";
import { anAgent, aTool, calling, says } from "../support/agent-server.ts";
import { typesOf, watch } from "../support/watch.ts";

testThatPostgresIsThere();

const chat = { type: "LLM_CHAT_COMPLETE", mode: "outside", initialStatus: "SCHEDULED" } as const;

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
        taskTypes: [chat],
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

test.skipIf(!hasPostgres)(
  "what a model says is heard where nobody runs it, in order, and only while it is watched",
  async () => {
    const url = await newDatabase();
    const text = Array.from({ length: 300 }, (_, index) => `${index} ✓ "said" `);
    const speaking: Speaking = { begun: deferred(), mayGoOn: deferred(), mayEnd: deferred() };
    const settings = { "service.db.type": "postgres", "service.db.url": url };
    const [speaker, other] = [
      await startServer({ settings, extensions: [speaks(text, speaking), extension], taskTypes: [chat] }),
      await startServer({ settings, extensions: [extension], taskTypes: [chat] }),
    ];
    const { json } = await other.client.post("/agent/start", { agentConfig: anAgent(), prompt: "go" });
    const { executionId: id } = json as { readonly executionId: string };
    const there = await fetch(`${other.client.base}/agent/stream/${id}?tokens=true`);
    const reader = there.body?.pipeThrough(new TextDecoderStream()).getReader();
    const runtime = await speaking.begun.promise;
    await vi.waitUntil(() => runtime.tokens.isWatched(id), 5000);
    speaking.mayGoOn.resolve(undefined);
    let heard = "";
    const deltas = () =>
      [...heard.matchAll(/^event: token\ndata: (.*)\n/gm)].map(([, data]) => JSON.parse(data ?? "").delta);
    while (deltas().join("").length < text.join("").length) heard += (await reader?.read())?.value ?? "";
    speaking.mayEnd.resolve(undefined);
    while (!heard.includes("event: done")) heard += (await reader?.read())?.value ?? "";
    expect(deltas().join("")).toBe(text.join(""));
    // What comes close together goes together.
    expect(deltas().length).toBeLessThan(text.length / 2);
    await vi.waitUntil(() => !runtime.tokens.isWatched(id), 5000);
    await Promise.all([speaker.close(), other.close()]);
  },
  60_000,
);

type Speaking = {
  readonly begun: Deferred<Runtime>;
  readonly mayGoOn: Deferred<undefined>;
  readonly mayEnd: Deferred<undefined>;
};
type Deferred<T> = ReturnType<typeof Promise.withResolvers<T>>;
const deferred = <T>(): Deferred<T> => Promise.withResolvers<T>();

/** A model that says its words one by one, once it may. */
const speaks = (words: readonly string[], { begun, mayGoOn, mayEnd }: Speaking): Extension => ({
  name: "speaks",
  open: (runtime) => ({
    executors: [
      {
        type: "LLM_CHAT_COMPLETE",
        concurrency: 1,
        async run({ head, task }) {
          begun.resolve(runtime);
          await mayGoOn.promise;
          const of = { executionId: head.id, taskId: "t", referenceTaskName: task.ref, kind: "text" } as const;
          for (const delta of words) runtime.tokens.publish({ ...of, delta });
          await mayEnd.promise;
          return { status: "COMPLETED", outputMode: "replace", output: new RawJson(JSON.stringify(says("Hello"))) };
        },
      },
    ],
  }),
});

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
