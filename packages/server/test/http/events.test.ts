import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, eventually, type Json, type WireExecution } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startServer();
  client = server.client;
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

async function aHandler(event: string, actions: readonly Json[], more: Json = {}): Promise<string> {
  const name = aName("handler");
  expect((await client.post("/event", { name, event, active: true, actions, ...more })).status).toBe(200);
  return name;
}

/** A workflow that publishes its input to `service:<event>`. */
async function aSource(event: string): Promise<string> {
  const name = aName("source");
  const task = entry("EVENT", "e", { sink: `service:${event}`, inputParameters: { data: "${workflow.input}" } });
  await client.register(aWorkflow(name, [task]));
  return name;
}

async function aTarget(): Promise<string> {
  const name = aName("target");
  await client.register(aWorkflow(name, [entry("WAIT", "w")], { variables: { list: [1] } }));
  return name;
}

/** Executions of a definition, once there are so many. */
const found = (name: string, count: number): Promise<readonly WireExecution[]> =>
  eventually(async () => {
    const query = encodeURIComponent(`workflowType = ${name}`);
    const { results } = (await client.get(`/workflow/search-v2?query=${query}`)).json as { results: WireExecution[] };
    return results.length >= count ? results : undefined;
  });

describe("an event", () => {
  test("starts a workflow with what its handler makes of it", async () => {
    const [event, target] = [aName("paid"), await aTarget()];
    const source = await aSource(event);
    const start_workflow = {
      name: target,
      correlationId: "order-${data.id}",
      input: { id: "${data.id}", from: "${$.workflowInstanceId}", none: "${data.none}" },
    };
    await aHandler(`conductor:${source}:${event}`, [{ action: "start_workflow", start_workflow }]);
    const id = await client.start(source, { id: 7 });
    const [started] = await found(target, 1);
    const { tasks } = await client.execution(id);
    expect(started).toMatchObject({
      correlationId: "order-7",
      event: `service:${source}:${event}`,
      input: {
        id: 7,
        from: id,
        none: null,
        "conductor.event.messageId": tasks[0]?.taskId,
        "service.event.name": `service:${source}:${event}`,
      },
    });
  });

  test("reaches a handler by its short name too, and each handler once", async () => {
    const [event, target] = [aName("short"), await aTarget()];
    const source = await aSource(event);
    const actions = [{ action: "start_workflow", start_workflow: { name: target } }];
    await aHandler(`service:${event}`, actions);
    await aHandler(`service:${event}`, actions, { active: false });
    await aHandler(`service:${event}`, actions, { condition: "$.data.go" });
    await client.start(source, { go: false });
    await client.start(source, { go: true });
    expect(await found(target, 3)).toHaveLength(3);
  });

  test("completes and fails tasks, changes variables and terminates", async () => {
    const [event, target] = [aName("act"), await aTarget()];
    const source = await aSource(event);
    const of = (kind: string) => ({ condition: `$.data.kind == '${kind}'` });
    const workflowId = "${data.target}";
    await aHandler(
      `service:${event}`,
      [
        {
          action: "update_workflow_variables",
          update_workflow_variables: { workflowId, variables: { list: [2], x: "${data.kind}" }, appendArray: true },
        },
        { action: "complete_task", complete_task: { workflowId, taskRefName: "w", output: { by: "${data.kind}" } } },
      ],
      of("complete"),
    );
    await aHandler(
      `service:${event}`,
      [{ action: "fail_task", fail_task: { workflowId, taskRefName: "w", reasonForIncompletion: "told so" } }],
      of("fail"),
    );
    await aHandler(
      `service:${event}`,
      [{ action: "terminate_workflow", terminate_workflow: { workflowId, terminationReason: "enough" } }],
      of("terminate"),
    );
    const act = async (kind: string) => {
      const id = await client.start(target);
      await client.start(source, { kind, target: id });
      return await client.ended(id);
    };
    expect(await act("complete")).toMatchObject({
      status: "COMPLETED",
      variables: { list: [1, 2], x: "complete" },
      output: { by: "complete", taskRefName: "w" },
    });
    expect(await act("fail")).toMatchObject({ status: "FAILED", tasks: [{ reasonForIncompletion: "told so" }] });
    expect(await act("terminate")).toMatchObject({ status: "TERMINATED", reasonForIncompletion: "enough" });
  });

  test("is published when a task changes its state", async () => {
    const [name, target] = [aName("stateful"), await aTarget()];
    await client.registerTasks(aTask(name));
    const onStateChange = { "onStart,onSuccess": [{ type: name, payload: { ref: "t", out: "${t.output.v}" } }] };
    await client.register(aWorkflow(name, [simple(name, "t", { onStateChange })]));
    await aHandler(`service:${name}`, [
      { action: "start_workflow", start_workflow: { name: target, input: { out: "${out}" } } },
    ]);
    await client.start(name);
    const task = await client.take(name);
    await found(target, 1);
    // Taken again, it does not start again.
    await client.update(task, { status: "IN_PROGRESS", callbackAfterSeconds: 0 });
    await client.complete(await client.take(name), { v: 5 });
    expect((await found(target, 2)).map(({ input }) => input["out"])).toEqual([null, 5]);
  });

  test("that nobody can act on does no harm", async () => {
    const event = aName("harmless");
    const source = await aSource(event);
    await aHandler(`service:${event}`, [
      { action: "start_workflow", start_workflow: { name: "nowhere" } },
      { action: "complete_task", complete_task: { workflowId: "none", taskRefName: "w" } },
    ]);
    await aHandler(`service:${event}`, [{ action: "start_workflow", start_workflow: { name: "x" } }], {
      condition: "][",
    });
    expect(await client.ended(await client.start(source))).toMatchObject({ status: "COMPLETED" });
  });
});

test("S25: a condition that fails stops no other handler, and a handler's changes hold for the next event", async () => {
  const [event, target] = [aName("mixed"), await aTarget()];
  const source = await aSource(event);
  const actions = [{ action: "start_workflow", start_workflow: { name: target, input: { n: "${data.n}" } } }];
  const broken = await aHandler(`service:${event}`, actions, { condition: "$.data.none.at.all > 1" });
  await aHandler(`service:${event}`, actions);
  await client.start(source, { n: 1 });
  expect((await found(target, 1)).map(({ input }) => input["n"])).toEqual([1]);
  await client.put("/event", { name: broken, event: `service:${event}`, active: true, actions, condition: "true" });
  await client.start(source, { n: 2 });
  expect((await found(target, 3)).map(({ input }) => input["n"]).toSorted()).toEqual([1, 2, 2]);
});

describe("handlers", () => {
  const actions = [{ action: "start_workflow", start_workflow: { name: "x" } }];

  test("are created, one or several, read by event, replaced and deleted", async () => {
    const [one, two] = [aName("one"), aName("two")];
    const event = `service:${one}`;
    expect(
      (
        await client.post("/event", [
          { name: one, event, actions },
          { name: two, event, actions, active: true },
        ])
      ).status,
    ).toBe(200);
    const of = async (query = "") =>
      ((await client.get(`/event/${encodeURIComponent(`conductor:${one}`)}?${query}`)).json as Json[]).map(
        ({ name }) => name,
      );
    expect([await of(), await of("activeOnly=false")]).toEqual([[two], [one, two]]);
    await client.put("/event", { name: one, event, actions, active: true });
    expect(await of()).toEqual([one, two]);
    expect((await client.get("/admin/queues")).json).toMatchObject({ [event]: one });
    expect((await client.delete(`/event/${one}`)).status).toBe(200);
    expect(await of("activeOnly=false")).toEqual([two]);
    expect((await client.get("/event")).json).toContainEqual({
      name: two,
      event,
      active: true,
      actions: [{ action: "start_workflow", start_workflow: { name: "x", input: {} }, expandInlineJSON: false }],
    });
  });

  test("that are there, are not there, or are not whole are refused", async () => {
    const name = await aHandler("service:x", actions);
    expect((await client.post("/event", { name, event: "e:x", actions })).json).toMatchObject({
      status: 409,
      message: `EventHandler with name ${name} already exists!`,
    });
    expect((await client.put("/event", { name: "none", event: "e:x", actions })).status).toBe(404);
    expect((await client.delete("/event/none")).status).toBe(404);
    expect((await client.post("/event", {})).json).toMatchObject({ status: 400, validationErrors: { length: 3 } });
    expect((await client.post("/event", { name: "n", event: "e:x", actions: [{ action: "explode" }] })).status).toBe(
      400,
    );
  });
});
