import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, Json } from "../support/client.ts";
import { aName, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let client: Client;
let name: string;
beforeAll(async () => {
  server = await startServer();
  client = server.client;
  name = aName("started");
  const x = { inputParameters: { x: "${workflow.input.x}" } };
  await client.register(
    aWorkflow(name, [simple("first", "a", x)]),
    aWorkflow(name, [simple("second", "a", x)], { version: 2 }),
  );
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("a start", () => {
  test("answers the id as bare text, and the first task is scheduled by then", async () => {
    const answer = await client.post("/workflow", { name, version: 1, input: { x: 1 }, correlationId: "c" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/plain;charset=UTF-8");
    expect(answer.text).toMatch(UUID_V7);
    expect(await client.execution(answer.text)).toMatchObject({
      workflowId: answer.text,
      workflowName: name,
      workflowVersion: 1,
      status: "RUNNING",
      correlationId: "c",
      input: { x: 1 },
      output: {},
      endTime: 0,
      priority: 0,
      taskToDomain: {},
      failedReferenceTaskNames: [],
      tasks: [{ taskType: "first", referenceTaskName: "a", status: "SCHEDULED", seq: 1, inputData: { x: 1 } }],
    });
  });

  test("without a version takes the latest", async () => {
    expect(await client.execution(await client.start(name))).toMatchObject({
      workflowVersion: 2,
      tasks: [{ taskType: "second" }],
    });
  });

  test("by name in the path takes version, correlation id and priority from the query and the body as input", async () => {
    const answer = await client.post(`/workflow/${name}?version=1&correlationId=k%20%C3%BC&priority=7`, { x: "in" });
    expect(answer.headers.get("content-type")).toBe("text/plain;charset=UTF-8");
    expect(await client.execution(answer.text)).toMatchObject({
      workflowVersion: 1,
      correlationId: "k ü",
      priority: 7,
      input: { x: "in" },
      tasks: [{ workflowPriority: 7 }],
    });
  });

  test("by name in the path works without a body", async () => {
    const answer = await client.post(`/workflow/${name}`);
    expect(answer.status).toBe(200);
    expect(await client.execution(answer.text)).toMatchObject({ input: {} });
  });

  test("reads the body as JSON whatever its content type says, and ignores text after it", async () => {
    const body = `${JSON.stringify({ name })} and more`;
    for (const type of ["text/plain", "application/xml", "application/x-www-form-urlencoded"]) {
      const answer = await client.send("POST", "/workflow", { text: body, headers: { "content-type": type } });
      expect(answer).toMatchObject({ status: 200, text: expect.stringMatching(UUID_V7) });
    }
  });

  test("ignores fields it does not know", async () => {
    expect((await client.post("/workflow", { name, tags: { a: 1 }, startedBy: "me" })).status).toBe(200);
  });

  test("of a definition that needs nobody is over when the id is answered", async () => {
    const other = aName("instant");
    await client.register(
      aWorkflow(other, [entry("SET_VARIABLE", "s", { inputParameters: { v: 5 } }), entry("NOOP", "n")], {
        outputParameters: { v: "${workflow.variables.v}" },
      }),
    );
    expect(await client.execution(await client.start(other))).toMatchObject({ status: "COMPLETED", output: { v: 5 } });
  });

  test("keeps every value of its input exactly", async () => {
    const input = {
      text: "größe 流程 \u0000 \ud83d\ude00 \u2028",
      "": "empty key",
      __proto__x: 1,
      nothing: null,
      deep: [[{ a: [1.5, -0.25, 1e21, 9007199254740991, true] }]],
      constructor: "own",
    };
    const id = await client.start(name, input);
    const execution = await client.execution(id);
    expect(execution.input).toEqual(input);
  });
});

describe("a start is refused with", () => {
  test.each<readonly [string, Json, number, string]>([
    ["an unknown name", { name: "nobody" }, 404, "No such workflow defined. name=nobody, version=null"],
    [
      "an unknown version",
      { name: "VERSIONED", version: 9 },
      404,
      "No such workflow defined. name=VERSIONED, version=9",
    ],
    ["an empty name", { name: "" }, 400, "Workflow name must be specified when searching for a definition"],
    ["null for the input", { name: "VERSIONED", input: null }, 400, "NULL input passed when starting workflow"],
  ])("%s", async (_what, body, status, message) => {
    const named = JSON.parse(JSON.stringify(body).replace("VERSIONED", name)) as Json;
    expect((await client.post("/workflow", named)).json).toMatchObject({
      status,
      message: message.replace("VERSIONED", name),
      retryable: false,
      instance: expect.any(String),
    });
  });

  test("no name at all", async () => {
    expect((await client.post("/workflow", {})).json).toMatchObject({
      status: 400,
      validationErrors: [{ path: "startWorkflow.arg0.name", message: "Workflow name cannot be null or empty" }],
    });
  });

  test("an unknown name in the path", async () => {
    expect((await client.post("/workflow/nobody", {})).json).toMatchObject({
      status: 404,
      message: "No such workflow found by name: nobody, version: null",
    });
    expect((await client.post(`/workflow/${name}?version=9`, {})).json).toMatchObject({
      status: 404,
      message: `No such workflow found by name: ${name}, version: 9`,
    });
  });

  test.each([
    [-1, "priority: -1 should be minimum 0", "0 is the minimum priority value"],
    [100, "priority: 100 should be maximum 99", "99 is the maximum priority value"],
  ])("priority %d", async (priority, inBody, inQuery) => {
    const invalidValue = String(priority);
    expect((await client.post("/workflow", { name, priority })).json).toMatchObject({
      status: 400,
      validationErrors: [{ path: "startWorkflow.arg0.priority", message: inBody, invalidValue }],
    });
    expect((await client.post(`/workflow/${name}?priority=${priority}`, {})).json).toMatchObject({
      status: 400,
      validationErrors: [{ path: "startWorkflow.arg3", message: inQuery, invalidValue }],
    });
  });

  test.each([
    ["an input that is no map", { input: [1] }],
    ["a version that is no number", { version: "two" }],
    ["a domain map that is none", { taskToDomain: "x" }],
    ["an unknown idempotency strategy", { idempotencyKey: "k", idempotencyStrategy: "MAYBE" }],
    ["a name that is no text", { name: { a: 1 } }],
  ])("%s", async (_what, more) => {
    expect((await client.post("/workflow", { name, ...more })).status).toBe(400);
  });

  test("a sub-workflow that has no definition, and nothing is started", async () => {
    const parent = aName("parent");
    await client.register(
      aWorkflow(parent, [simple("never"), entry("SUB_WORKFLOW", "sub", { subWorkflowParam: { name: "ghost" } })]),
    );
    expect((await client.post("/workflow", { name: parent })).json).toMatchObject({
      status: 404,
      message: "The Task ghost defined as a sub-workflow has no workflow definition available ",
    });
    expect(await client.poll("never")).toEqual([]);
  });

  test("an input that does not fit the schema of the definition", async () => {
    const other = aName("schema");
    const inputSchema = {
      name: "in",
      version: 1,
      type: "JSON",
      data: { type: "object", required: ["n"], properties: { n: { type: "number" } } },
    };
    await client.register(aWorkflow(other, [simple("any")], { inputSchema }));
    const refused = await client.post("/workflow", { name: other, input: { n: "five" } });
    expect(refused.status).toBe(400);
    expect((refused.json as Json)["message"]).toContain("/n must be number");
    expect((await client.post("/workflow", { name: other })).status).toBe(400);
    expect((await client.post("/workflow", { name: other, input: { n: 5 } })).status).toBe(200);
    await client.register(aWorkflow(other, [simple("any")], { inputSchema, enforceSchema: false }));
    expect((await client.post("/workflow", { name: other, input: { n: "five" } })).status).toBe(200);
  });
});

describe("priorities at the bounds", () => {
  test.each([0, 99])("%d is accepted", async (priority) => {
    expect(await client.execution(await client.start(name, {}, { priority }))).toMatchObject({ priority });
  });
});

describe("a start with a definition of its own", () => {
  test("runs it and does not store it", async () => {
    const inline = aName("inline");
    const workflowDef = aWorkflow(inline, [entry("NOOP", "n")], { version: 3 });
    const id = await client.start(inline, {}, { workflowDef });
    expect(await client.execution(id)).toMatchObject({
      status: "COMPLETED",
      workflowName: inline,
      workflowVersion: 3,
    });
    expect((await client.get(`/metadata/workflow/${inline}`)).status).toBe(404);
  });

  test("uses it instead of the stored one of the same name", async () => {
    const workflowDef = aWorkflow(name, [entry("NOOP", "n")]);
    const execution = await client.execution(await client.start(name, {}, { workflowDef }));
    expect(execution.tasks).toMatchObject([{ taskType: "NOOP" }]);
  });

  test("is refused when the definition is not valid", async () => {
    const workflowDef = aWorkflow("inline", []);
    expect((await client.post("/workflow", { name: "inline", workflowDef })).json).toMatchObject({
      status: 400,
      validationErrors: [
        { path: "startWorkflow.arg0.workflowDef.tasks", message: "WorkflowTask list cannot be empty" },
      ],
    });
  });
});

describe("an idempotency key", () => {
  const startWith = (idempotencyKey: string, idempotencyStrategy?: string) =>
    client.post("/workflow", { name, idempotencyKey, ...(idempotencyStrategy && { idempotencyStrategy }) });

  test("without a strategy is kept and nothing more", async () => {
    const key = aName("key");
    const first = await startWith(key);
    const second = await startWith(key);
    expect(second.text).not.toBe(first.text);
    expect(await client.execution(second.text)).toMatchObject({ idempotencyKey: key });
  });

  test("with RETURN_EXISTING answers the execution that has it", async () => {
    const key = aName("key");
    const first = await startWith(key, "RETURN_EXISTING");
    expect(await startWith(key, "RETURN_EXISTING")).toMatchObject({ status: 200, text: first.text });
  });

  test("with FAIL is a conflict, also when the execution is over", async () => {
    const key = aName("key");
    const first = await startWith(key, "FAIL");
    expect((await startWith(key, "FAIL")).status).toBe(409);
    await client.delete(`/workflow/${first.text}`);
    expect((await startWith(key, "FAIL")).json).toMatchObject({ status: 409, retryable: false });
  });

  test("with FAIL_ON_RUNNING is a conflict while the execution runs, and free afterwards", async () => {
    const key = aName("key");
    const first = await startWith(key, "FAIL_ON_RUNNING");
    expect((await startWith(key, "FAIL_ON_RUNNING")).status).toBe(409);
    await client.delete(`/workflow/${first.text}`);
    const second = await startWith(key, "FAIL_ON_RUNNING");
    expect(second.status).toBe(200);
    expect(second.text).not.toBe(first.text);
    expect((await startWith(key, "FAIL_ON_RUNNING")).status).toBe(409);
  });

  test("belongs to its workflow's name", async () => {
    const other = aName("other");
    await client.register(aWorkflow(other, [simple("any")]));
    const key = aName("key");
    await startWith(key, "FAIL");
    const request = { name: other, idempotencyKey: key, idempotencyStrategy: "FAIL" };
    expect((await client.post("/workflow", request)).status).toBe(200);
  });

  test("makes one execution of twenty starts at once", async () => {
    const key = aName("key");
    const answers = await Promise.all(Array.from({ length: 20 }, () => startWith(key, "RETURN_EXISTING")));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });

  test("with FAIL lets one of twenty at once through", async () => {
    const key = aName("key");
    const answers = await Promise.all(Array.from({ length: 20 }, () => startWith(key, "FAIL")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });
});
