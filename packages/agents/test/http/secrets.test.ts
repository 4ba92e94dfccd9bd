import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@downbeat/server/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aTool } from "../support/agent-server.ts";
import { watch } from "../support/watch.ts";

const VALUE = "sk-live-9f8e7d6c5b4a";
const folder = mkdtempSync(join(tmpdir(), "secrets-"));
const key = (byte: number): string => Buffer.alloc(32, byte).toString("base64");
const main = fileURLToPath(import.meta.resolve("@downbeat/server")).replace(/index\.ts$/, "main.ts");

/** Who the tool calls: keeps the headers it was sent. */
const seen: IncomingHttpHeaders[] = [];
const upstream = createServer((request, response) => {
  seen.push(request.headers);
  response.setHeader("content-type", "application/json");
  response.end('{"ok":true}');
});
let child: ChildProcess;
let client: Client;
/** Everything the servers wrote. */
let log = "";
/** Everything they answered. */
let answers = "";

beforeAll(async () => {
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
});
afterAll(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startChild(keys: { readonly key: string; readonly previous?: string }): Promise<void> {
  const settings = {
    "service.server.port": "0",
    "service.db.url": join(folder, "test.db"),
    "service.log.format": "json",
    "service.log.level": "debug",
    "service.integrations.ai.enabled": "true",
    "service.secrets.type": "database",
  };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const env = { SERVICE_SECRETS_KEY: keys.key, SERVICE_SECRETS_PREVIOUS_KEYS: keys.previous ?? "" };
  child = spawn(process.execPath, [main, ...args], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const from = log.length;
  const base = await new Promise<string>((resolve) => {
    const hear = (chunk: Buffer) => {
      log += chunk.toString();
      const [, address] = /"address":"([^"]+)"/.exec(log.slice(from)) ?? [];
      if (address !== undefined) resolve(address);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
  });
  client = new Client(base);
}

async function stopChild(): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

const look = async (path: string): Promise<unknown> => {
  const { text, json } = await client.get(path);
  answers += text;
  return json;
};

/** Every byte below the folder. */
const files = (): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("\n");

test("a secret reaches the tools that need it and is found nowhere else; its key can be changed", async () => {
  await startChild({ key: key(1) });
  const put = await client.send("PUT", "/secrets/API_TOKEN", {
    text: VALUE,
    headers: { "content-type": "text/plain" },
  });
  expect(put.status).toBe(200);
  expect(await look("/secrets")).toEqual(["API_TOKEN"]);
  expect(await look("/secrets/v2")).toMatchObject([{ name: "API_TOKEN", partial: "..." }]);
  expect((await client.get("/secrets/API_TOKEN")).status).toBe(403);
  expect(await look("/secrets/API_TOKEN/exists")).toBe(true);

  // Prefilled tools run before a model is asked: what a model does is not what this is about.
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/x`;
  const headers = { Authorization: "Bearer ${API_TOKEN}" };
  const agentConfig = {
    name: "keeper",
    model: "openai/gpt-4o-mini",
    instructions: "Be brief.",
    tools: [
      aTool("remote", { toolType: "http", config: { url, method: "POST", headers, credentials: ["API_TOKEN"] } }),
      aTool("local", { config: { credentials: ["API_TOKEN"] } }),
    ],
    prefillTools: [
      { toolName: "remote", arguments: { q: "1" } },
      { toolName: "local", arguments: { q: "2" } },
    ],
  };
  const started = await client.post("/agent/start", { agentConfig, prompt: "go" });
  answers += started.text;
  const { executionId: id } = started.json as { readonly executionId: string };
  const watching = await watch(client.base, id);
  const task = await client.take("local");
  expect(task["runtimeMetadata"]).toEqual({ API_TOKEN: VALUE });
  await client.complete(task, { result: "done" });
  await client.until(id, ({ tasks }) => tasks.some(({ taskType }) => taskType === "LLM_CHAT_COMPLETE"));
  expect(seen.map(({ authorization }) => authorization)).toEqual([`Bearer ${VALUE}`]);

  for (const path of [
    `/workflow/${id}`,
    `/agent/executions/${id}/full`,
    `/agent/execution/${id}`,
    `/agent/executions/${id}/tasks`,
    `/agent/executions?agentName=keeper`,
    `/agent/${id}/status`,
    "/agent/keeper",
    "/agent/definitions/keeper",
    "/metadata/taskdefs/local",
    `/tasks/${task.taskId}`,
    "/tasks/search",
    "/environment",
    "/admin/config",
  ]) {
    await look(path);
  }
  await client.delete(`/agent/${id}/cancel`);
  await watching.ended;
  await stopChild();

  await startChild({ key: key(2), previous: key(1) });
  expect(await look("/secrets")).toEqual(["API_TOKEN"]);
  await stopChild();
  await startChild({ key: key(2) });
  await client.registerTasks({ name: "asks", ownerEmail: "a@b.c", runtimeMetadata: ["API_TOKEN"] });
  await client.register({
    name: "uses",
    version: 1,
    ownerEmail: "a@b.c",
    schemaVersion: 2,
    timeoutSeconds: 0,
    tasks: [{ name: "asks", taskReferenceName: "asks", type: "SIMPLE" }],
  });
  await client.start("uses");
  expect((await client.take("asks"))["runtimeMetadata"]).toEqual({ API_TOKEN: VALUE });
  expect((await client.delete("/secrets/API_TOKEN")).status).toBe(200);
  expect(await look("/secrets/API_TOKEN/exists")).toBe(false);
  await stopChild();

  expect(watching.heard.length).toBeGreaterThan(3);
  expect(answers.length).toBeGreaterThan(5000);
  for (const text of [files(), log, answers, JSON.stringify(watching.heard)]) {
    expect(text).not.toContain(VALUE);
    expect(text).not.toContain(Buffer.from(VALUE).toString("base64").slice(0, 20));
    expect(text).not.toContain(key(1));
  }
}, 90_000);

test("a store that can be written does not start without a key", async () => {
  const args = [main, "--service.server.port=0", "--service.secrets.type=database", `--service.db.url=${folder}/x.db`];
  const refused = spawn(process.execPath, args, { cwd: folder, env: {}, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  refused.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = (await once(refused, "exit")) as [number | null];
  expect(code).toBe(1);
  expect(said).toContain("service.secrets.key");
}, 30_000);
