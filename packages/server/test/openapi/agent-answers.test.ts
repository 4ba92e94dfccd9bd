import { afterAll, beforeAll, expect, test } from "vitest";
import { aWorkflow, entry } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { CheckedClient } from "./checked-client.ts";
import { loadDocument, type OpenApiDocument, operationsOf } from "./the-document.ts";

const key = Buffer.alloc(32, 7).toString("base64");

let server: TestServer;
let document: OpenApiDocument;
let client: CheckedClient;
beforeAll(async () => {
  server = await startServer({
    settings: {
      "service.integrations.ai.enabled": "true",
      "service.secrets.type": "database",
      "service.secrets.key": key,
      "service.secrets.allow-read": "true",
    },
  });
  document = await loadDocument(server.client);
  client = new CheckedClient(server.client.base, document);
  await client.register(aWorkflow("asks", [entry("HUMAN", "person")]));
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

function expectNoViolations(): void {
  expect([...new Set(client.violations.splice(0))]).toEqual([]);
}

/** An agent that waits for a worker before it asks a model. */
const agentConfig = {
  name: "waits",
  model: "openai/gpt-4o-mini",
  instructions: "Be brief.",
  description: "Waits",
  callbacks: [{ position: "before_agent", taskName: "prepare" }],
};

async function start(): Promise<string> {
  const { json } = await client.post("/agent/start", { agentConfig, prompt: "go" });
  return (json as { readonly executionId: string }).executionId;
}

test("agents", async () => {
  await client.post("/agent/compile", { agentConfig });
  await client.post("/agent/deploy", { agentConfig });
  await client.post("/agent/inspect-plan", {
    agentConfig: { ...agentConfig, strategy: "plan_execute", tools: [{ name: "t" }] },
    plan: { steps: [{ id: "a", operations: [{ tool: "t", args: {} }] }] },
  });
  await client.post("/agent/inspect-plan", { agentConfig: { strategy: "plan_execute" }, plan: {} });
  await client.get("/agent/list");
  await client.get("/agent/waits");
  await client.get("/agent/definitions/waits");
  await client.post("/agent/deploy", { agentConfig: { ...agentConfig, name: "goes" } });
  await client.delete("/agent/goes");
  expectNoViolations();
});

test("runs", async () => {
  const id = await start();
  for (const path of [
    `/agent/executions/${id}`,
    `/agent/executions/${id}/full`,
    `/agent/executions/${id}/usage`,
    `/agent/executions/${id}/tasks`,
    `/agent/execution/${id}`,
    `/agent/${id}/status`,
    "/agent/executions?agentName=waits",
    "/agent/executions/search?query=workflowType%3Dwaits",
  ]) {
    expect([path, (await client.get(path)).status]).toEqual([path, 200]);
  }
  await client.post(`/agent/${id}/signal`, { message: "hurry" });
  await client.post(`/agent/${id}/stop`);
  await client.put(`/agent/${id}/pause`);
  await client.put(`/agent/${id}/resume`);
  await client.post(`/agent/events/${id}`, { type: "thinking", content: "hm" });
  await client.delete(`/agent/${id}/cancel`);
  await client.get(`/agent/${id}/status`);
  await client.post(`/agent/executions/${id}/restart`);
  await client.delete(`/agent/executions/${id}`);
  await client.post(`/agent/executions/${id}/retry`);
  await client.delete(`/agent/executions/${id}`);
  await client.post(`/agent/executions/${id}/rerun`, {});
  await client.delete(`/agent/executions/${id}/record`);
  const asking = await client.start("asks");
  await client.get(`/agent/${asking}/status`);
  await client.post(`/agent/${asking}/respond`, { approved: true });
  await client.get(`/agent/${asking}/status`);
  const ids = [await start(), await start()];
  await client.put("/agent/executions/bulk/pause", ids);
  await client.put("/agent/executions/bulk/resume", ids);
  await client.post("/agent/executions/bulk/terminate", ids);
  await client.post("/agent/executions/bulk/restart", ids);
  await client.post("/agent/executions/bulk/retry", ids);
  await client.post("/agent/executions/prune");
  expectNoViolations();
});

test("runs of frameworks", async () => {
  const { json } = await client.post("/agent/execution", { workflowName: "claude", input: { prompt: "x" } });
  const { executionId } = json as { readonly executionId: string };
  const step = await client.post(`/agent/${executionId}/tasks`, { taskDefName: "Bash", referenceTaskName: "bash_1" });
  const { taskId } = step.json as { readonly taskId: string };
  await client.post("/tasks", { taskId, workflowInstanceId: executionId, status: "COMPLETED", outputData: { ok: 1 } });
  expect(await client.task(taskId)).toMatchObject({ status: "COMPLETED", referenceTaskName: "bash_1" });
  await client.post(`/agent/execution/${executionId}/complete`, { done: true });
  const asking = await client.start("asks");
  const { text } = await client.post(`/agent/tasks/${asking}/person/COMPLETED`, { by: "hand" });
  await client.post(`/tasks/${text}/log`, "a line");
  expect((await client.get(`/agent/tasks/${text}/log`)).json).toMatchObject([{ log: "a line" }]);
  expectNoViolations();
});

test("secrets", async () => {
  const readOnly = await startServer();
  const reader = new CheckedClient(readOnly.client.base, document);
  for (const asked of [client, reader]) {
    await asked.send("PUT", "/secrets/TOKEN", { text: "s3cret", headers: { "content-type": "text/plain" } });
    await asked.send("PUT", "/secrets/no%20name", { text: "s3cret", headers: { "content-type": "text/plain" } });
    await asked.get("/secrets");
    await asked.post("/secrets");
    await asked.get("/secrets/v2");
    await asked.get("/secrets/TOKEN");
    await asked.get("/secrets/OTHER");
    await asked.get("/secrets/no%20name");
    await asked.get("/secrets/TOKEN/exists");
    await asked.get("/secrets/no%20name/exists");
    await asked.delete("/secrets/no%20name");
    await asked.delete("/secrets/TOKEN");
  }
  // Agents are off by default; secrets are not.
  expect((await readOnly.client.get("/agent/list")).status).toBe(404);
  for (const seen of reader.seen) client.seen.add(seen);
  client.violations.push(...reader.violations);
  await readOnly.close();
  expectNoViolations();
});

test("every success that the document promises of these was seen", () => {
  const promised = operationsOf(document)
    .filter(({ path }) => /^\/api\/(agent|secrets)\b/.test(path) && !path.includes("/stream/"))
    .flatMap(({ method, path, operation }) =>
      Object.keys(operation.responses)
        .filter((status) => status !== "default")
        .map((status) => `${method} ${path} ${status}`),
    );
  expect(promised.length).toBeGreaterThan(40);
  expect(promised.filter((one) => !client.seen.has(one))).toEqual([]);
});
