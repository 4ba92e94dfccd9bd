import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, Json } from "../support/client.ts";
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

describe("a definition that was created", () => {
  test("reads back with every default written out", async () => {
    const name = aName("defaults");
    const created = await client.post("/metadata/workflow", { name, tasks: [simple("a")] });
    expect(created).toMatchObject({ status: 200, text: "" });
    const { json } = await client.get(`/metadata/workflow/${name}`);
    expect(json).toEqual({
      createTime: expect.any(Number),
      updateTime: 0,
      name,
      version: 1,
      tasks: [
        {
          name: "a",
          taskReferenceName: "a",
          inputParameters: {},
          type: "SIMPLE",
          decisionCases: {},
          defaultCase: [],
          forkTasks: [],
          startDelay: 0,
          joinOn: [],
          optional: false,
          defaultExclusiveJoinTask: [],
          asyncComplete: false,
          loopOver: [],
          onStateChange: {},
          permissive: false,
          metadata: {},
        },
      ],
      inputParameters: [],
      outputParameters: {},
      schemaVersion: 2,
      restartable: true,
      workflowStatusListenerEnabled: false,
      timeoutPolicy: "ALERT_ONLY",
      timeoutSeconds: 0,
      variables: {},
      inputTemplate: {},
      enforceSchema: true,
      metadata: {},
      maskedFields: [],
    });
    expect((json as Json)["createTime"]).toBeGreaterThan(Date.now() - 60_000);
  });

  test("keeps every field it was given", async () => {
    const given = aWorkflow(aName("full"), [simple("a", "a_ref", { optional: true, startDelay: 3, retryCount: 2 })], {
      version: 7,
      description: "all of it",
      inputParameters: ["x"],
      outputParameters: { r: "${a_ref.output.r}", n: null },
      restartable: false,
      ownerEmail: "o@example.com",
      timeoutPolicy: "TIME_OUT_WF",
      timeoutSeconds: 60,
      failureWorkflow: "other",
      variables: { v: { deep: [1, null] } },
      inputTemplate: { x: 1 },
      metadata: { classifier: "AGENT" },
    });
    await client.post("/metadata/workflow", given);
    const { json } = await client.get(`/metadata/workflow/${given["name"]}`);
    expect(json).toMatchObject(given);
  });

  test("does not keep fields that the interface does not know", async () => {
    const name = aName("unknown");
    await client.post("/metadata/workflow", { ...aWorkflow(name, [simple("a")]), tags: ["x"], fancy: 1 });
    const { json } = await client.get(`/metadata/workflow/${name}`);
    expect(json).not.toHaveProperty("fancy");
    expect(json).not.toHaveProperty("tags");
  });

  test("may carry any name, even one that every object has a property of", async () => {
    for (const name of ["constructor", "__proto__", "größe 流程 / 100%"]) {
      expect(await client.post("/metadata/workflow", aWorkflow(name, [simple("a")]))).toMatchObject({ status: 200 });
      const { json } = await client.get(`/metadata/workflow/${encodeURIComponent(name)}`);
      expect((json as Json)["name"]).toBe(name);
      const all = (await client.get("/metadata/workflow/names-and-versions")).json as Json;
      expect(Object.getOwnPropertyDescriptor(all, name)?.value).toMatchObject([{ name, version: 1 }]);
      await client.delete(`/metadata/workflow/${encodeURIComponent(name)}/1`);
    }
  });
});

describe("creating", () => {
  test("the same name and version again is a conflict", async () => {
    const def = aWorkflow(aName("twice"), [simple("a")]);
    await client.post("/metadata/workflow", def);
    expect(await client.post("/metadata/workflow", def)).toMatchObject({
      status: 409,
      json: { status: 409, message: `Workflow with ${def["name"]}.1 already exists!`, retryable: false },
    });
  });

  test("an existing pair is a conflict even when the body is not valid", async () => {
    const def = aWorkflow(aName("twice"), [simple("a")]);
    await client.post("/metadata/workflow", def);
    expect((await client.post("/metadata/workflow", { ...def, tasks: [] })).status).toBe(409);
  });

  test("with overwrite replaces what is there and keeps its creation time", async () => {
    const def = aWorkflow(aName("over"), [simple("a")]);
    await client.post("/metadata/workflow", def);
    const before = (await client.get(`/metadata/workflow/${def["name"]}`)).json as Json;
    const answer = await client.post("/metadata/workflow?overwrite=true", { ...def, description: "new" });
    expect(answer).toMatchObject({ status: 200, text: "" });
    const after = (await client.get(`/metadata/workflow/${def["name"]}`)).json as Json;
    expect(after).toMatchObject({ description: "new", createTime: before["createTime"] });
    expect(after["updateTime"]).toBeGreaterThan(0);
  });

  test("of two at once, one wins", async () => {
    const def = aWorkflow(aName("race"), [simple("a")]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.post("/metadata/workflow", def)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });

  test("accepts numbers and booleans written as text, and null for a number", async () => {
    const name = aName("lenient");
    const body = {
      name,
      version: "2",
      schemaVersion: 2.0,
      restartable: "false",
      timeoutSeconds: null,
      tasks: [simple("a")],
    };
    expect(await client.post("/metadata/workflow", body)).toMatchObject({ status: 200 });
    const { json } = await client.get(`/metadata/workflow/${name}`);
    expect(json).toMatchObject({ version: 2, restartable: false, timeoutSeconds: 0 });
  });

  test("takes a task without a type for a worker's", async () => {
    const name = aName("typeless");
    await client.post("/metadata/workflow", { name, tasks: [{ name: "a", taskReferenceName: "a" }] });
    const { json } = await client.get(`/metadata/workflow/${name}`);
    expect(json).toMatchObject({ tasks: [{ type: "SIMPLE" }] });
  });

  test("accepts a WAIT with both duration and until, which only validation refuses", async () => {
    const def = aWorkflow(aName("wait"), [
      entry("WAIT", "w", { inputParameters: { duration: "1s", until: "2030-01-01" } }),
    ]);
    expect((await client.post("/metadata/workflow", def)).status).toBe(200);
    const refused = await client.post("/metadata/workflow/validate", def);
    expect(refused.json).toMatchObject({
      validationErrors: [
        {
          path: "validateWorkflowDef.arg0.tasks[0]",
          message: "Both 'duration' and 'until' specified. Please provide only one input",
        },
      ],
    });
  });
});

describe("versions", () => {
  let name: string;
  beforeAll(async () => {
    name = aName("versions");
    await client.register(
      aWorkflow(name, [simple("a")], { version: 2 }),
      aWorkflow(name, [simple("a")], { version: 10 }),
      aWorkflow(name, [simple("a")], { version: 1 }),
    );
  });

  test("the latest is the highest number, not the last one stored", async () => {
    expect((await client.get(`/metadata/workflow/${name}`)).json).toMatchObject({ version: 10 });
    const latest = (await client.get("/metadata/workflow/latest-versions")).json as Json[];
    expect(latest.filter((def) => def["name"] === name)).toMatchObject([{ version: 10 }]);
  });

  test("one is read by its number", async () => {
    expect((await client.get(`/metadata/workflow/${name}?version=2`)).json).toMatchObject({ version: 2 });
  });

  test("a missing one is a 404 that names it", async () => {
    expect((await client.get(`/metadata/workflow/${name}?version=9`)).json).toMatchObject({
      status: 404,
      message: `No such workflow found by name: ${name}, version: 9`,
    });
    expect((await client.get("/metadata/workflow/nobody")).json).toMatchObject({
      status: 404,
      message: "No such workflow found by name: nobody, version: null",
    });
  });

  test("a version that is no number is a 400", async () => {
    expect((await client.get(`/metadata/workflow/${name}?version=abc`)).status).toBe(400);
  });

  test("are listed ascending, by name and on their own", async () => {
    const byName = (await client.get("/metadata/workflow/names-and-versions")).json as Record<string, Json[]>;
    const summary = { name, createTime: expect.any(Number), updateTime: expect.any(Number) };
    const expected = [1, 2, 10].map((version) => ({ ...summary, version }));
    expect(byName[name]).toEqual(expected);
    expect((await client.get(`/metadata/workflow/${name}/versions`)).json).toMatchObject(
      [1, 2, 10].map((version) => ({ name, version })),
    );
    expect((await client.get("/metadata/workflow/nobody/versions")).json).toEqual([]);
    expect((await client.get("/metadata/workflow/names")).json).toContain(name);
  });

  test("the list of all is ordered by name, then version", async () => {
    const all = (await client.get("/metadata/workflow")).json as { name: string; version: number }[];
    const sorted = all.toSorted((a, b) => (a.name === b.name ? a.version - b.version : a.name < b.name ? -1 : 1));
    expect(all.map(({ name: n, version }) => `${n} ${version}`)).toEqual(
      sorted.map(({ name: n, version }) => `${n} ${version}`),
    );
  });

  test("the list can be narrowed to a classifier, whatever its case", async () => {
    const agent = aName("agent");
    const marked = aName("agent");
    await client.register(
      aWorkflow(agent, [simple("a")], { metadata: { classifier: "AGENT" } }),
      aWorkflow(marked, [simple("a")], { metadata: { agentDef: {} } }),
    );
    const agents = (await client.get("/metadata/workflow?classifier=agent")).json as Json[];
    const names = agents.map((def) => def["name"]);
    expect(names).toEqual(expect.arrayContaining([agent, marked]));
    expect(names).not.toContain(name);
    const workflows = (await client.get("/metadata/workflow?classifier=Workflow")).json as Json[];
    expect(workflows.map((def) => def["name"])).toContain(name);
  });

  test("deleting one leaves the others, and the latest is found again", async () => {
    const other = aName("versions");
    await client.register(aWorkflow(other, [simple("a")]), aWorkflow(other, [simple("a")], { version: 2 }));
    expect(await client.delete(`/metadata/workflow/${other}/2`)).toMatchObject({ status: 200, text: "" });
    expect((await client.get(`/metadata/workflow/${other}`)).json).toMatchObject({ version: 1 });
    expect(await client.delete(`/metadata/workflow/${other}/2`)).toMatchObject({
      status: 404,
      json: { message: `No such workflow definition: ${other} version: 2` },
    });
    expect((await client.delete(`/metadata/workflow/${other}/two`)).status).toBe(400);
  });

  test("deleting a definition keeps its executions, and they go on", async () => {
    const other = aName("deleted");
    await client.register(aWorkflow(other, [simple(`${other}_a`, "a"), simple(`${other}_b`, "b")]));
    const id = await client.start(other);
    await client.delete(`/metadata/workflow/${other}/1`);
    await client.complete(await client.take(`${other}_a`));
    await client.complete(await client.take(`${other}_b`), { done: true });
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED", output: { done: true } });
  });
});

describe("the bulk update", () => {
  test("creates and updates, and answers the names", async () => {
    const first = aName("bulk");
    const second = aName("bulk");
    await client.register(aWorkflow(first, [simple("a")]));
    const answer = await client.put("/metadata/workflow?overwrite=true", [
      aWorkflow(first, [simple("a")], { description: "changed" }),
      aWorkflow(second, [simple("a")]),
    ]);
    expect(answer.json).toEqual({ bulkErrorResults: {}, bulkSuccessfulResults: [first, second] });
    expect((await client.get(`/metadata/workflow/${first}`)).json).toMatchObject({ description: "changed" });
  });

  test("stores nothing when one of them is not valid", async () => {
    const good = aName("bulk");
    const answer = await client.put("/metadata/workflow", [
      aWorkflow(good, [simple("a")]),
      aWorkflow(aName("bulk"), []),
    ]);
    expect(answer.json).toMatchObject({
      status: 400,
      validationErrors: [{ path: "updateWorkflowDef.arg0[1].tasks", message: "WorkflowTask list cannot be empty" }],
    });
    expect((await client.get(`/metadata/workflow/${good}`)).status).toBe(404);
  });

  test.each([
    ["an empty list", [], "updateWorkflowDef.arg0", "WorkflowDefList is empty"],
    ["a null in the list", [null], "updateWorkflowDef.arg0[0].<list element>", "WorkflowDef cannot be null"],
  ])("refuses %s", async (_what, body, path, message) => {
    expect((await client.put("/metadata/workflow", body)).json).toMatchObject({
      status: 400,
      validationErrors: [{ path, message }],
    });
  });

  test("refuses an object in place of a list", async () => {
    expect((await client.put("/metadata/workflow", aWorkflow("x", [simple("a")]))).status).toBe(400);
  });
});

const P = "validateWorkflowDef.arg0";
const withTask = (task: Json): Json => aWorkflow("checked", [task]);
const refused: readonly (readonly [string, Json, string, string])[] = [
  ["no name", { tasks: [simple("a")] }, `${P}.name`, "WorkflowDef name cannot be null or empty"],
  ["an empty name", aWorkflow("", [simple("a")]), `${P}.name`, "WorkflowDef name cannot be null or empty"],
  ["no tasks", { name: "checked" }, `${P}.tasks`, "WorkflowTask list cannot be empty"],
  ["null for tasks", { name: "checked", tasks: null }, `${P}.tasks`, "WorkflowTask list cannot be empty"],
  [
    "schema version 1",
    aWorkflow("checked", [simple("a")], { schemaVersion: 1 }),
    `${P}.schemaVersion`,
    "workflowDef schemaVersion: 2 is only supported",
  ],
  [
    "a task without a name",
    withTask(simple("", "a")),
    `${P}.tasks[0].name`,
    "WorkflowTask name cannot be empty or null",
  ],
  [
    "a task without a reference name",
    withTask({ name: "a", type: "SIMPLE" }),
    `${P}.tasks[0].taskReferenceName`,
    "WorkflowTask taskReferenceName name cannot be empty or null",
  ],
  [
    "a negative start delay",
    withTask(simple("a", "a", { startDelay: -1 })),
    `${P}.tasks[0].startDelay`,
    "must be greater than or equal to 0",
  ],
  [
    "a reference name used twice",
    aWorkflow("checked", [simple("a"), simple("b", "a")]),
    P,
    "taskReferenceName: a should be unique across tasks for a given workflowDefinition: checked",
  ],
  [
    "a reference to a task that is not there",
    withTask(simple("a", "a", { inputParameters: { k: "${ghost.output.x}" } })),
    P,
    "taskReferenceName: ghost for given task: a input value: k of input parameter: ${ghost.output.x} is not defined in workflow definition.",
  ],
  [
    "a fork without branches",
    withTask(entry("FORK_JOIN", "f")),
    `${P}.tasks[0]`,
    "forkTasks should have atleast one task for taskType: FORK_JOIN taskName: f",
  ],
  [
    "a switch without cases",
    withTask(entry("SWITCH", "s", { evaluatorType: "value-param", expression: "x" })),
    `${P}.tasks[0]`,
    "decisionCases should have atleast one task for taskType: SWITCH taskName: s",
  ],
  [
    "an HTTP task without a request",
    withTask(entry("HTTP", "h")),
    `${P}.tasks[0]`,
    "inputParameters.http_request or inputParameters.uri field is required for taskType: HTTP taskName: h",
  ],
  [
    "a sub-workflow task without a name of one",
    withTask(entry("SUB_WORKFLOW", "s")),
    `${P}.tasks[0]`,
    "subWorkflowParam field is required for taskType: SUB_WORKFLOW taskName: s",
  ],
  [
    "a jq task without a query",
    withTask(entry("JSON_JQ_TRANSFORM", "j")),
    `${P}.tasks[0]`,
    "inputParameters.queryExpression field is required for taskType: JSON_JQ_TRANSFORM taskName: j",
  ],
  [
    "a terminate task without a status",
    withTask(entry("TERMINATE", "t")),
    `${P}.tasks[0]`,
    "terminate task must have an terminationStatus parameter and must be set to COMPLETED or FAILED, taskName: t",
  ],
  [
    "a loop without a condition",
    withTask(entry("DO_WHILE", "d", { loopOver: [simple("a")] })),
    `${P}.tasks[0]`,
    "loopCondition field is required for taskType: DO_WHILE taskName: d",
  ],
  [
    "a mistake inside a case",
    withTask(
      entry("SWITCH", "s", {
        evaluatorType: "value-param",
        expression: "x",
        decisionCases: { yes: [simple("", "a")] },
      }),
    ),
    `${P}.tasks[0].decisionCases[yes].<map value>[0].name`,
    "WorkflowTask name cannot be empty or null",
  ],
  [
    "a mistake inside a branch",
    withTask(entry("FORK_JOIN", "f", { forkTasks: [[simple("", "a")]] })),
    `${P}.tasks[0].forkTasks[0].<list element>[0].name`,
    "WorkflowTask name cannot be empty or null",
  ],
];

describe("validating", () => {
  test("a good definition answers nothing and stores nothing", async () => {
    const name = aName("validated");
    const answer = await client.post("/metadata/workflow/validate", aWorkflow(name, [simple("a")]));
    expect(answer).toMatchObject({ status: 200, text: "" });
    expect((await client.get(`/metadata/workflow/${name}`)).status).toBe(404);
  });

  test.each(refused)("refuses %s and says where", async (_what, body, path, message) => {
    const answer = await client.post("/metadata/workflow/validate", body);
    expect(answer).toMatchObject({
      status: 400,
      json: {
        status: 400,
        message: "Validation failed, check below errors for detail.",
        instance: expect.any(String),
        retryable: false,
        validationErrors: expect.arrayContaining([expect.objectContaining({ path, message })]),
      },
    });
  });

  test("shows the value that is wrong when it is a scalar, and leaves it out when it is absent", async () => {
    const absent = await client.post("/metadata/workflow/validate", { tasks: [simple("a")] });
    expect(absent.json).toMatchObject({ validationErrors: [expect.not.objectContaining({ invalidValue: "" })] });
    const wrong = await client.post("/metadata/workflow/validate", aWorkflow("x", [simple("a")], { schemaVersion: 3 }));
    expect(wrong.json).toMatchObject({ validationErrors: [{ invalidValue: "3" }] });
  });

  test("refuses a task without a type", async () => {
    const answer = await client.post("/metadata/workflow/validate", withTask({ name: "a", taskReferenceName: "a" }));
    expect(answer.json).toMatchObject({ validationErrors: [{ message: "WorkTask type cannot be null or empty" }] });
  });

  test.each([
    ["an unknown policy", { name: "x", tasks: [simple("a")], timeoutPolicy: "SOMETIMES" }],
    ["text for the tasks", { name: "x", tasks: "many" }],
    ["text for a number", { name: "x", tasks: [simple("a")], version: "one" }],
    ["a list", [aWorkflow("x", [simple("a")])]],
    ["null", null],
  ])("refuses %s with a 400", async (_what, body) => {
    expect((await client.post("/metadata/workflow/validate", body)).status).toBe(400);
    expect((await client.post("/metadata/workflow", body)).status).toBe(400);
  });
});

test("a definition with the owner's e-mail missing is refused where the server asks for one", async () => {
  const strict = await startServer({ settings: { "service.app.ownerEmailMandatory": "true" } });
  try {
    const answer = await strict.client.post("/metadata/workflow", aWorkflow("x", [simple("a")]));
    expect(answer.json).toMatchObject({
      validationErrors: [{ path: "registerWorkflowDef.arg0.ownerEmail", message: "ownerEmail cannot be empty" }],
    });
    expect((await strict.client.post("/metadata/taskdefs", [aTask("x")])).status).toBe(400);
    expect((await strict.client.post("/metadata/taskdefs", [aTask("x", { ownerEmail: "o@x.org" })])).status).toBe(200);
  } finally {
    await strict.close();
  }
});
