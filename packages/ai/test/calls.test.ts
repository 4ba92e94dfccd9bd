import { once } from "node:events";
import { aFolder, removeFolder, startChildServer } from "@downbeat/server/testing";
import { afterEach, describe, expect, test } from "vitest";
import { type AiServer, oneTask, runTask, startAiServer } from "./support/ai-server.ts";
import { startLocalProvider } from "./support/local-provider.ts";
import { openaiResponse } from "./support/replies.ts";

const input = { llmProvider: "openai", model: "gpt-4o-mini", messages: [{ role: "user", message: "Hello" }] };

let server: AiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const start = async (settings: Readonly<Record<string, string>> = {}, env: Readonly<Record<string, string>> = {}) => {
  server = await startAiServer({ settings, env });
  return server;
};

/** Answers nothing until told to. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("a provider that is busy", () => {
  test("is asked again after what its Retry-After says, within the same attempt", async () => {
    const ai = await start();
    const times: number[] = [];
    ai.provider.answer(() => {
      times.push(performance.now());
      return times.length === 1 ? { status: 429, headers: { "retry-after": "1" }, json: {} } : openaiResponse("Hi");
    });
    const { task } = await runTask(ai, "LLM_CHAT_COMPLETE", input);
    expect(task).toMatchObject({ status: "COMPLETED", retryCount: 0 });
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(1000);
  });

  test("keeps the next attempt waiting for as long as it asks", async () => {
    const ai = await start({ "service.ai.max-retries": "0" });
    let asked = 0;
    ai.provider.answer(() =>
      ++asked === 1
        ? { status: 429, headers: { "retry-after": "1" }, json: { error: "slow down" } }
        : openaiResponse("Hi"),
    );
    const { execution } = await runTask(ai, "LLM_CHAT_COMPLETE", input);
    expect(execution.tasks.map(({ status }) => status)).toEqual(["FAILED", "COMPLETED"]);
    expect(execution.tasks[0]?.reasonForIncompletion).toContain(
      'Responses API failed with status 429: {"error":"slow down"}',
    );
    expect(execution.tasks[1]?.["startDelayInSeconds"]).toBe(1);
  });

  test("that wants to be left alone for long is, and the attempt ends", async () => {
    const ai = await start();
    ai.provider.answer(() => ({ status: 429, headers: { "retry-after": "3600" }, json: {} }));
    await ai.client.register(oneTask("LLM_CHAT_COMPLETE", input));
    const id = await ai.client.start("one_llm_chat_complete");
    const { tasks } = await ai.client.until(id, (execution) => execution.tasks.length === 2);
    expect(tasks[1]).toMatchObject({ status: "SCHEDULED", startDelayInSeconds: 3600 });
    expect(ai.provider.requests).toHaveLength(1);
  });

  test("a name that leads to a private address is refused at once", async () => {
    const ai = await start({ "service.ai.outbound.allowed-origins": "http://localhost:40009" });
    const { task } = await runTask(
      ai,
      "LLM_CHAT_COMPLETE",
      { ...input, baseUrl: "http://localhost:40009" },
      { retryCount: 0 },
    );
    expect(task.reasonForIncompletion).toContain("Outbound access denied: localhost resolves to a private address");
  });

  test("is not asked again for what it says is wrong", async () => {
    const ai = await start();
    ai.provider.answer(() => ({ status: 404, json: { error: "no such model" } }));
    await runTask(ai, "LLM_CHAT_COMPLETE", input, { retryCount: 0 });
    expect(ai.provider.requests).toHaveLength(1);
  });

  test("gets no more calls at once than it may", async () => {
    const ai = await start({ "service.ai.max-concurrent-calls": "5", "service.ai.openai.max-concurrent-calls": "2" });
    let [atOnce, most] = [0, 0];
    ai.provider.answer(async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, 20));
      atOnce -= 1;
      return openaiResponse("Hi");
    });
    await ai.client.register(oneTask("LLM_CHAT_COMPLETE", input));
    const ids = await Promise.all(Array.from({ length: 8 }, () => ai.client.start("one_llm_chat_complete")));
    for (const id of ids) expect((await ai.client.ended(id)).status).toBe("COMPLETED");
    expect(most).toBe(2);
  });
});

test("a call that takes too long fails the task", async () => {
  const ai = await start({ "service.ai.openai.timeout": "200ms" });
  const { opened, open } = gate();
  ai.provider.answer(async () => {
    await opened;
    return openaiResponse("too late");
  });
  const { task } = await runTask(ai, "LLM_CHAT_COMPLETE", input, { retryCount: 0 });
  expect([task.status, task.reasonForIncompletion]).toEqual([
    "FAILED",
    "Task execution failed: OpenAI Responses API call failed: no answer within 0.2 s",
  ]);
  open();
});

test("terminating the execution hangs up on the provider", async () => {
  const ai = await start();
  const { opened, open } = gate();
  let hungUp: Promise<unknown> | undefined;
  const arrived = gate();
  ai.provider.answer(async (_request, response) => {
    hungUp = once(response, "close");
    arrived.open();
    await opened;
    return openaiResponse("for nobody");
  });
  await ai.client.register(oneTask("LLM_CHAT_COMPLETE", input));
  const id = await ai.client.start("one_llm_chat_complete");
  await arrived.opened;
  await ai.client.delete(`/workflow/${id}`);
  await hungUp;
  open();
  const execution = await ai.client.execution(id);
  expect([execution.status, execution.tasks[0]?.status]).toEqual(["TERMINATED", "CANCELED"]);
  expect(ai.errors).toEqual([]);
});

describe("who may be called", () => {
  test("a provider without a key is not configured", async () => {
    const ai = await start({ "service.ai.openai.api-key": "" });
    for (const llmProvider of ["openai", "nobody"]) {
      const { task } = await runTask(ai, "LLM_CHAT_COMPLETE", { ...input, llmProvider });
      expect(task.status).toBe("FAILED_WITH_TERMINAL_ERROR");
      expect(task.reasonForIncompletion).toBe(`Non-retryable error: No configuration found for: ${llmProvider}`);
    }
    const { task } = await runTask(ai, "LLM_CHAT_COMPLETE", { model: "m", messages: input.messages });
    expect(task.reasonForIncompletion).toBe("Non-retryable error: llmProvider not specified: null");
    expect(ai.provider.requests).toEqual([]);
  });

  test("a base URL that a task gives never gets the key, unless its origin is allowed", async () => {
    const other = await startLocalProvider();
    other.answer(() => openaiResponse("from elsewhere"));
    try {
      const ai = await start();
      const refused = await runTask(ai, "LLM_CHAT_COMPLETE", { ...input, baseUrl: other.url });
      expect(refused.task.status).toBe("FAILED_WITH_TERMINAL_ERROR");
      expect(refused.task.reasonForIncompletion).toBe(
        `Non-retryable error: Outbound access denied: ${other.url} is not in service.ai.outbound.allowed-origins`,
      );
      await ai.close();
      const guarded = await start({ "service.ai.outbound.allowed-origins": other.url });
      const secluded = await runTask(guarded, "LLM_CHAT_COMPLETE", { ...input, baseUrl: other.url });
      expect(secluded.task.reasonForIncompletion).toContain(
        "Outbound access denied: 127.0.0.1 resolves to a private address",
      );
      expect(other.requests).toEqual([]);
      await guarded.close();
      const open = await start({
        "service.ai.outbound.allowed-origins": other.url,
        "service.ai.outbound.allow-private-networks": "true",
      });
      const allowed = await runTask(open, "LLM_CHAT_COMPLETE", { ...input, baseUrl: `${other.url}/proxy/v1` });
      expect(allowed.task.outputData["result"]).toBe("from elsewhere");
      expect(other.requests[0]?.path).toBe("/proxy/v1/responses");
    } finally {
      await other.close();
    }
  });

  test("a redirect is not followed: the key would go with it", async () => {
    const other = await startLocalProvider();
    try {
      const ai = await start();
      ai.provider.answer(() => ({ status: 307, headers: { location: `${other.url}/v1/messages` } }));
      const claude = { ...input, llmProvider: "anthropic", model: "claude-sonnet-4-20250514" };
      const { task } = await runTask(ai, "LLM_CHAT_COMPLETE", claude, { retryCount: 0 });
      expect(task.reasonForIncompletion).toContain("Anthropic Messages API failed with status 307");
      expect([ai.provider.requests.length, other.requests.length]).toEqual([1, 0]);
    } finally {
      await other.close();
    }
  });

  test("keys come from the providers' own variables, unless a setting says otherwise", async () => {
    const ai = await start(
      { "service.ai.grok.api-key": "" },
      { XAI_API_KEY: "from-xai", GROK_API_KEY: "from-grok", OPENAI_API_KEY: "unused" },
    );
    ai.provider.answer(({ path }) => (path.endsWith("responses") ? openaiResponse("Hi") : { status: 400 }));
    await runTask(ai, "LLM_CHAT_COMPLETE", { ...input, llmProvider: "grok" }, { retryCount: 0 });
    expect(ai.provider.requests.at(-1)?.headers.authorization).toBe("Bearer from-xai");
    await runTask(ai, "LLM_CHAT_COMPLETE", input);
    expect(ai.provider.requests.at(-1)?.headers.authorization).toBe("Bearer key-openai");
  });

  test("an instance has a name, a key and an address of its own", async () => {
    const other = await startLocalProvider();
    other.answer(() => openaiResponse("from Europe"));
    try {
      const instances = [{ name: "openai-eu", provider: "openai", apiKey: "key-eu", baseUrl: other.url }];
      const ai = await start({ "service.ai.instances": JSON.stringify(instances) });
      const { task } = await runTask(ai, "LLM_CHAT_COMPLETE", { ...input, llmProvider: "OpenAI-EU" });
      expect(task.outputData["result"]).toBe("from Europe");
      expect(other.requests[0]?.headers.authorization).toBe("Bearer key-eu");
    } finally {
      await other.close();
    }
  });

  test("the status route tells who is configured", async () => {
    const ai = await start({ "service.ai.cohere.api-key": "", "service.ai.cohere.base-url": "" });
    const { json } = await ai.client.get("/providers/status");
    const { managedByHost, providers } = json as {
      managedByHost: boolean;
      providers: { name: string; configured: boolean }[];
    };
    expect(managedByHost).toBe(false);
    expect(providers.map(({ name }) => name)).toEqual([
      "openai",
      "anthropic",
      "gemini",
      "azureopenai",
      "aws_bedrock",
      "mistral",
      "cohere",
      "grok",
      "perplexity",
      "huggingface",
      "ollama",
    ]);
    expect(providers.find(({ name }) => name === "cohere")).toEqual({ name: "cohere", configured: false });
    expect(providers.find(({ name }) => name === "ollama")).toEqual({
      name: "ollama",
      configured: true,
      baseUrl: ai.provider.url,
      reachable: true,
    });
  });
});

test("a call that a crash cut off is made again, and its task completes once", async () => {
  const provider = await startLocalProvider();
  const folder = aFolder();
  const settings = {
    "service.integrations.ai.enabled": "true",
    "service.ai.openai.api-key": "key-openai",
    "service.ai.openai.base-url": provider.url,
  };
  const arrived = gate();
  provider.answer(async () => {
    arrived.open();
    return await new Promise(() => undefined);
  });
  const first = await startChildServer({ folder, settings });
  await first.client.register(oneTask("LLM_CHAT_COMPLETE", input));
  const id = await first.client.start("one_llm_chat_complete");
  await arrived.opened;
  await first.kill();
  provider.answer(() => openaiResponse("again"));
  const second = await startChildServer({ folder, settings });
  try {
    const execution = await second.client.ended(id);
    expect(execution.tasks.map(({ status, outputData }) => [status, outputData["result"]])).toEqual([
      ["COMPLETED", "again"],
    ]);
  } finally {
    await second.stop();
    await provider.close();
    removeFolder(folder);
  }
}, 120_000);
