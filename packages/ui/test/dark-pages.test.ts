import { randomBytes } from "node:crypto";
import { strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, test } from "vitest";
import { type Model, startModel } from "./support/model.ts";
import { define, defineTask, simple, start } from "./support/scenes.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

let model: Model;
const started = Promise.withResolvers<Model>();
beforeAll(async () => {
  model = await startModel();
  started.resolve(model);
});
afterAll(() => model.stop());

const ui = withUi({ colorScheme: "dark" }, async () => ({
  ...(await started.promise).settings,
  "service.file-storage.enabled": "true",
  "service.skills.enabled": "true",
  "service.secrets.type": "database",
  "service.secrets.key": randomBytes(32).toString("base64"),
}));

test("pages about agents, files and secrets are as readable in the dark", async () => {
  const { page, server } = ui;
  let turn = 0;
  model.answer(() => (turn++ === 0 ? { calls: [{ name: "refund", args: { id: "17" } }] } : { says: ["Done."] }));
  const refund = { name: "refund", description: "Refunds", toolType: "worker", approvalRequired: true };
  const { executionId } = await server.request<{ executionId: string }>("POST", "/agent/start", {
    agentConfig: { name: "support", model: "openai/gpt-4o-mini", instructions: "Help.", tools: [refund] },
    prompt: "Refund order 17",
  });
  await server.request("POST", "/agent/deploy", {
    framework: "skill",
    rawConfig: { model: "openai/gpt-4o-mini", skillMd: "---\nname: haiku\ndescription: Writes\n---\nWrite one haiku." },
  });
  const { uploadUrl } = await server.request<{ uploadUrl: string }>("POST", "/files", {
    workflowId: executionId,
    fileName: "letter.txt",
  });
  await fetch(uploadUrl, { method: "PUT", body: "Dear reader" });
  await server.request("PUT", "/secrets/API_TOKEN", "s3cret");
  const form = new FormData();
  form.set("manifest", "{}");
  const skill = zipSync({ "SKILL.md": strToU8("---\nname: sonnet\ndescription: Writes\n---\nWrite one sonnet.") });
  form.set("package", new Blob([new Uint8Array(skill)]), "skill.zip");
  await fetch(`${server.origin}/api/skills/register`, { method: "POST", body: form });
  for (const [path, ready] of [
    ["/agents", "support"],
    ["/agents/support", "No problems"],
    ["/agents/support?tab=run", "Session id"],
    ["/agents/support?tab=runs", "Refund order 17"],
    ["/new-agent", "No problems"],
    [`/agents/runs/${executionId}`, "waits for you"],
    ["/skills", "haiku"],
    ["/skills/sonnet", "Write one sonnet."],
    ["/agents/haiku?tab=skill", "Write one haiku."],
    [`/executions/${executionId}?tab=files`, "letter.txt"],
    [`/files?text=${executionId}`, "letter.txt"],
    ["/secrets", "API_TOKEN"],
  ] as const) {
    await ui.open(path);
    await page.getByText(ready).first().waitFor();
    await expectAccessible(page);
  }
});

test("pages about definitions, schedules, events and queues are as readable in the dark", async () => {
  const { page, server } = ui;
  await defineTask(server, "weigh");
  await define(server, "parcel", [simple("weigh")]);
  await define(server, "parcel", [simple("weigh"), simple("label")], { version: 2, description: "With a label" });
  await start(server, "parcel");
  await server.request("POST", "/scheduler/schedules", {
    name: "nightly",
    cronExpression: "0 30 2 * * *",
    startWorkflowRequest: { name: "parcel", version: 1 },
  });
  await server.request("POST", "/scheduler/schedules/nightly/run");
  await server.request("POST", "/event", {
    name: "on_paid",
    event: "service:paid",
    active: true,
    actions: [{ action: "start_workflow", start_workflow: { name: "parcel" } }],
  });
  await server.request("POST", "/event/handleIncomingEvent", { event: "service:paid", payload: { id: 1 } });
  for (const [path, ready] of [
    ["/definitions", "With a label"],
    ["/definitions/parcel", "No problems"],
    ["/definitions/parcel?tab=versions", '"With a label"'],
    ["/definitions/parcel?tab=run", "Correlation id"],
    ["/definitions/parcel?tab=test", "Nothing tested yet"],
    ["/definitions/parcel?tab=usage", "on_paid"],
    ["/task-definitions", "weigh"],
    ["/task-definitions/weigh", "wait for a worker"],
    ["/schedules", "nightly"],
    ["/schedules/nightly", "Executed"],
    ["/event-handlers", "on_paid"],
    ["/event-handlers/on_paid", "No problems"],
    ["/event-handlers/on_paid?tab=records", "start workflow"],
    ["/event-handlers/on_paid?tab=try", "Nothing tried yet"],
    ["/queues", "no worker has asked"],
  ] as const) {
    await ui.open(path);
    await page.getByText(ready).first().waitFor();
    await expectAccessible(page);
  }
});
