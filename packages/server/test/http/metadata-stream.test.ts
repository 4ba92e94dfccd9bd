import { afterAll, beforeAll, expect, test } from "vitest";
import { aTask, aWorkflow, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

/** Opens a stream; the function reads on until the text has all of these, in this order. */
async function listen(path: string): Promise<(...wanted: readonly string[]) => Promise<string>> {
  const response = await fetch(server.client.base + path, { signal: AbortSignal.timeout(15_000) });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  if (response.body === null) throw new Error("Expected a body");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const hasAll = (wanted: readonly string[]): boolean => {
    let from = 0;
    return wanted.every((one) => {
      const at = text.indexOf(one, from);
      from = at + one.length;
      return at !== -1;
    });
  };
  return async (...wanted) => {
    while (!hasAll(wanted)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`The stream ended without ${wanted.join(", ")}: ${text}`);
      text += value;
    }
    const heard = text;
    text = "";
    return heard;
  };
}

test("whoever watches hears of definitions, schedules and handlers that others store and remove", async () => {
  const { client } = server;
  const hear = await listen("/admin/metadata/stream");
  await hear(":\n\n");
  await client.registerTasks(aTask("weigh"));
  await client.register(aWorkflow("parcel", [simple("weigh")]));
  await hear('{"kind":"taskDef","name":"weigh"}', '{"kind":"workflowDef","name":"parcel"}');
  await client.post("/scheduler/schedules", {
    name: "nightly",
    cronExpression: "0 30 2 * * *",
    startWorkflowRequest: { name: "parcel" },
  });
  await hear('"kind":"schedule"');
  await client.post("/event", {
    name: "on_paid",
    event: "service:paid",
    active: true,
    actions: [{ action: "start_workflow", start_workflow: { name: "parcel" } }],
  });
  await hear('"kind":"eventHandler"');
  await client.delete("/event/on_paid");
  await hear('"kind":"eventHandler"');
  await client.delete("/metadata/workflow/parcel/1");
  await hear('{"kind":"workflowDef","name":"parcel"}');
});

test("a line of a log is news of its task", async () => {
  const { client } = server;
  await client.registerTasks(aTask("print"));
  await client.register(aWorkflow("letter", [simple("print")]));
  const id = await client.start("letter");
  const { taskId } = await client.take("print");
  const hear = await listen(`/workflow/${id}/stream`);
  await hear("event: task", '"status":"IN_PROGRESS"');
  await client.send("POST", `/tasks/${taskId}/log`, {
    text: "half way",
    headers: { "content-type": "text/plain" },
  });
  const told = await hear("event: task", `"taskId":"${taskId}"`, '"status":"IN_PROGRESS"');
  expect(told).toContain('"workerId"');
});
