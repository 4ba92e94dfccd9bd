import { RawJson } from "@downbeat/engine";
import type { Extension } from "@downbeat/server";
import { startServer } from "@downbeat/server/testing";
import { expect, test } from "vitest";
import { extension } from "../../src/index.ts";
import { anAgent, says } from "../support/agent-server.ts";

type Listener = (token: object) => void;

test("tokens reach those who asked for them, while the model speaks, and nobody else", async () => {
  const listeners = new Map<string, Listener>();
  const watch = (id: string, listener: Listener) => {
    listeners.set(id, listener);
    return () => listeners.delete(id);
  };
  // The package of the models brings them; here a test does.
  const tokens: Extension = {
    name: "tokens",
    open(runtime) {
      Object.assign(runtime, { tokens: { watch } });
      return {};
    },
  };
  let speak = (): void => undefined;
  const spoken = new Promise<void>((resolve) => {
    speak = resolve;
  });
  const server = await startServer({
    extensions: [tokens, extension],
    taskTypes: [{ type: "LLM_CHAT_COMPLETE", mode: "outside", initialStatus: "SCHEDULED" }],
    executors: [
      {
        type: "LLM_CHAT_COMPLETE",
        concurrency: 1,
        async run() {
          await spoken;
          return { status: "COMPLETED", outputMode: "replace", output: new RawJson(JSON.stringify(says("Hello"))) };
        },
      },
    ],
  });
  const { client } = server;
  const { json } = await client.post("/agent/start", { agentConfig: anAgent(), prompt: "go" });
  const { executionId: id } = json as { readonly executionId: string };
  const open = (query: string) => fetch(`${client.base}/agent/stream/${id}${query}`);
  const plain = await open("");
  expect(listeners.has(id)).toBe(false);
  const asked = await open("?tokens=true");
  const reader = asked.body?.pipeThrough(new TextDecoderStream()).getReader();
  let heard = "";
  while (!heard.includes("event: thinking")) heard += (await reader?.read())?.value ?? "";
  listeners.get(id)?.({ kind: "text", delta: "Hel" });
  while (!heard.includes("event: token")) heard += (await reader?.read())?.value ?? "";
  expect(heard).toContain('data: {"kind":"text","delta":"Hel"}');
  speak();
  while (!heard.includes("event: done")) heard += (await reader?.read())?.value ?? "";
  const others = await plain.text();
  expect(others).toContain("event: done");
  expect(others).not.toContain("event: token");
  await server.close();
});
