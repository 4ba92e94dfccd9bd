import type { Extension } from "@downbeat/server";
import { startServer, type TestServer } from "@downbeat/server/testing";
import { extension } from "../../src/index.ts";
import { type LocalProvider, startLocalProvider } from "./local-provider.ts";

export type AiServer = TestServer & { readonly provider: LocalProvider };

type Options = {
  readonly settings?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** How its provider answers from the start: what a server left undone is gone on with at once. */
  readonly answer?: Parameters<LocalProvider["answer"]>[0];
  /** Beside the AI tasks. */
  readonly extensions?: readonly Extension[];
};

const keys = ["openai", "anthropic", "azureopenai", "gemini", "mistral", "cohere", "grok", "perplexity", "huggingface"];

/** A server with the AI tasks, all of whose providers are one local server. */
export async function startAiServer({
  settings = {},
  env = {},
  folder,
  answer,
  extensions = [],
}: Options = {}): Promise<AiServer> {
  const provider = await startLocalProvider();
  if (answer !== undefined) provider.answer(answer);
  const of: Record<string, string> = {
    "service.integrations.ai.enabled": "true",
    "service.ai.bedrock.access-key": "AKIDTEST",
    "service.ai.bedrock.secret-key": "bedrock-secret",
    "service.ai.litellm.api-key": "key-litellm",
    "service.ai.stabilityai.api-key": "key-stabilityai",
  };
  for (const block of keys) of[`service.ai.${block}.api-key`] = `key-${block}`;
  for (const block of [...keys, "bedrock", "litellm", "stabilityai", "ollama"]) {
    of[`service.ai.${block}.base-url`] = provider.url;
  }
  const server = await startServer({
    settings: { ...of, ...settings },
    env,
    extensions: [extension, ...extensions],
    ...(folder === undefined ? {} : { folder }),
  });
  return {
    ...server,
    provider,
    async close() {
      await server.close();
      await provider.close();
    },
  };
}

type Json = Record<string, unknown>;

/** A workflow of one task. */
export const oneTask = (type: string, inputParameters: Json, more: Json = {}): Json => ({
  name: `one_${type.toLowerCase()}`,
  version: 1,
  ownerEmail: "test@example.com",
  tasks: [{ name: "task", taskReferenceName: "task", type, inputParameters, ...more }],
});

/** Runs a workflow of one task to its end, and gives its last attempt. `start` is the workflow's own input. */
export async function runTask(server: TestServer, type: string, input: Json, more: Json = {}, start: Json = {}) {
  const def = oneTask(type, input, more);
  await server.client.register(def);
  const id = await server.client.start(String(def["name"]), start);
  const execution = await server.client.ended(id);
  const task = execution.tasks.at(-1);
  if (task === undefined) throw new Error("Expected a task, got none");
  return { execution, task };
}
