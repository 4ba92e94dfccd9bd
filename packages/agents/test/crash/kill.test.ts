import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client, NODES } from "@downbeat/server/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aTool, calling, says } from "../support/agent-server.ts";
import { type Heard, typesOf, watch } from "../support/watch.ts";

if (NODES > 0) process.stdout.write("skipped: servers that are killed are tested on the embedded store\n");

const folder = mkdtempSync(join(tmpdir(), "agents-"));
/** Model calls that wait for an answer. */
const asked: ServerResponse[] = [];
let onAsked = (): void => undefined;
const model = createServer((request, response) => {
  request.resume();
  asked.push(response);
  onAsked();
});
let child: ChildProcess;
let client: Client;

beforeAll(async () => {
  model.listen(0, "127.0.0.1");
  await once(model, "listening");
});
afterAll(async () => {
  child.kill("SIGKILL");
  await once(child, "exit");
  model.closeAllConnections();
  model.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startChild(): Promise<void> {
  const main = fileURLToPath(new URL("../support/child-main.ts", import.meta.url));
  const address = `http://127.0.0.1:${(model.address() as AddressInfo).port}/`;
  child = spawn(process.execPath, [main, folder, address], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [base] = (await once(lines, "line")) as [string];
  client = new Client(base);
}

async function killAndRestart(): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  asked.splice(0);
  await startChild();
}

/** The next model call, once it is there. */
async function nextCall(): Promise<ServerResponse> {
  if (asked.length === 0) {
    await new Promise<void>((resolve) => {
      onAsked = resolve;
    });
  }
  const call = asked.shift();
  if (call === undefined) throw new Error("Expected a model call");
  return call;
}

const answer = (call: ServerResponse, output: object): void => {
  call.end(JSON.stringify(output));
};

test.skipIf(NODES > 0)(
  "a run goes on after its server was killed in a model call, at an approval and in a tool call; nothing is done twice and its stream has no gap",
  async () => {
    await startChild();
    const agentConfig = {
      name: "survivor",
      model: "openai/gpt-4o-mini",
      instructions: "Be brief.",
      tools: [aTool("first"), aTool("second", { approvalRequired: true })],
    };
    const { json } = await client.post("/agent/start", { agentConfig, prompt: "go" });
    const id = (json as { readonly executionId: string }).executionId;

    const heard: Heard[] = [];
    /** Watches on from what was heard last, until an event of this type is new. */
    const hear = async (type: string): Promise<void> => {
      const watching = await watch(client.base, id, heard.at(-1)?.id);
      await watching.until(type);
      heard.push(...watching.heard);
      watching.hangUp();
    };

    answer(await nextCall(), calling(["first", { q: "1" }]));
    await client.complete(await client.take("first"), { result: "one" });
    await hear("tool_result");
    await nextCall();
    await killAndRestart();

    answer(await nextCall(), calling(["second", { q: "2" }]));
    await hear("waiting");
    await killAndRestart();

    expect((await client.get(`/agent/${id}/status`)).json).toMatchObject({ isWaiting: true });
    expect((await client.post(`/agent/${id}/respond`, { approved: true })).status).toBe(200);
    const claimed = await client.take("second");
    await killAndRestart();

    await client.complete(claimed, { result: "two" });
    answer(await nextCall(), says("all done"));
    await hear("done");

    const run = await client.ended(id);
    expect(run.output).toMatchObject({ result: "all done" });
    const calls = run.tasks.filter(({ taskType }) => taskType === "first" || taskType === "second");
    expect(calls.map(({ taskType, status, retryCount }) => [taskType, status, retryCount])).toEqual([
      ["first", "COMPLETED", 0],
      ["second", "COMPLETED", 0],
    ]);
    expect(await client.poll("first", { timeout: 50 })).toEqual([]);
    expect(typesOf(heard)).toEqual([
      "thinking",
      "tool_call",
      "tool_result",
      "thinking",
      "waiting",
      "tool_call",
      "tool_result",
      "thinking",
      "done",
    ]);
    expect(heard.map((event) => event.id)).toEqual([...new Set(heard.map((event) => event.id))].sort((a, b) => a - b));
    const whole = await watch(client.base, id);
    await whole.ended;
    expect(whole.heard).toEqual(heard);
  },
  60_000,
);
