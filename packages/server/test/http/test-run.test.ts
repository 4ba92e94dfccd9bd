import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client, Json, WireExecution } from "../support/client.ts";
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

const http = entry("HTTP", "h", { inputParameters: { http_request: { uri: "http://127.0.0.1:9/", method: "GET" } } });

async function run(request: Json): Promise<WireExecution> {
  const answer = await client.post("/workflow/test", request);
  expect(answer).toMatchObject({ status: 200 });
  return answer.json as WireExecution;
}

const statuses = ({ tasks }: WireExecution) => tasks.map((task) => `${task.referenceTaskName}:${task.status}`);

test("S29: every task ends by its mock, and nobody is called", async () => {
  const name = aName("mocked");
  await client.registerTasks(aTask(name));
  await client.register(
    aWorkflow(
      name,
      [
        simple(name, "a"),
        http,
        entry("INLINE", "i", {
          inputParameters: { evaluatorType: "graaljs", expression: "$.x + 1", x: "${h.output.response.body.n}" },
        }),
        entry("WAIT", "w"),
      ],
      { outputParameters: { n: "${i.output.result}" } },
    ),
  );
  const execution = await run({
    name,
    version: 1,
    taskRefToMockOutput: {
      a: [{ output: { v: 1 } }],
      h: [{ status: "COMPLETED", output: { response: { body: { n: 41 } } } }],
      w: [{}],
    },
  });
  expect(execution).toMatchObject({ status: "COMPLETED", output: { n: 42 } });
  expect(statuses(execution)).toEqual(["a:COMPLETED", "h:COMPLETED", "i:COMPLETED", "w:COMPLETED"]);
  expect((await client.execution(execution.workflowId)).status).toBe("COMPLETED");
  expect(await client.poll(name)).toEqual([]);
});

test("attempts and iterations take one mock each, and it stands where there are none", async () => {
  const name = aName("attempts");
  await client.registerTasks(aTask(name, { retryCount: 1 }));
  const loop = entry("DO_WHILE", "l", {
    loopCondition: "$.l.iteration < 2",
    inputParameters: { l: "${l.output}" },
    loopOver: [simple(name, "x")],
  });
  await client.register(aWorkflow(name, [loop, simple(name, "last")]));
  const x = [{ status: "FAILED" }, { output: { n: 1 } }, { output: { n: 2 } }];
  const execution = await run({ name, taskRefToMockOutput: { x } });
  expect(execution.status).toBe("RUNNING");
  expect(statuses(execution)).toEqual([
    "l:COMPLETED",
    "x__1:FAILED",
    "x__1:COMPLETED",
    "x__2:COMPLETED",
    "last:SCHEDULED",
  ]);
});

test("sub-workflows are run on mocks of their own", async () => {
  const [name, child] = [aName("outer"), aName("inner")];
  await client.register(
    aWorkflow(child, [http], { outputParameters: { got: "${h.output.v}" } }),
    aWorkflow(name, [entry("SUB_WORKFLOW", "s", { subWorkflowParam: { name: child } })], {
      outputParameters: { got: "${s.output.got}" },
    }),
  );
  const mocks = { taskRefToMockOutput: { h: [{ output: { v: "mocked" } }] } };
  const execution = await run({ name, subWorkflowTestRequest: { s: { name: child, ...mocks } } });
  expect(execution).toMatchObject({ status: "COMPLETED", output: { got: "mocked" } });
  const without = await run({ name });
  expect(statuses(without)).toEqual(["s:IN_PROGRESS"]);
  expect(statuses(await client.execution(without.tasks[0]?.subWorkflowId ?? ""))).toEqual(["h:SCHEDULED"]);
});

test("a mock that takes too long times its task out", async () => {
  const name = aName("late");
  await client.registerTasks(
    aTask(name, { timeoutSeconds: 5, responseTimeoutSeconds: 5, timeoutPolicy: "TIME_OUT_WF" }),
  );
  await client.register(aWorkflow(name, [simple(name, "a")]));
  const execution = await run({ name, taskRefToMockOutput: { a: [{ executionTime: 6000 }] } });
  expect([execution.status, statuses(execution)]).toEqual(["TIMED_OUT", ["a:TIMED_OUT"]]);
});

test("a definition in the request is run without being registered", async () => {
  const workflowDef = aWorkflow("passing", [simple("nobody", "a")]);
  const execution = await run({
    name: "passing",
    workflowDef,
    taskRefToMockOutput: { a: [{ status: "FAILED_WITH_TERMINAL_ERROR" }] },
  });
  expect(execution.status).toBe("FAILED");
  expect((await client.get("/metadata/workflow/passing")).status).toBe(404);
});

test("what cannot be read is refused", async () => {
  expect((await client.post("/workflow/test", { name: "none" })).status).toBe(404);
  expect((await client.post("/workflow/test", {})).status).toBe(400);
  const bad = await client.post("/workflow/test", { name: "x", taskRefToMockOutput: { a: [{ status: "ZZ" }] } });
  expect(bad.json).toMatchObject({
    status: 400,
    message:
      'Expected taskRefToMockOutput[a][0].status to be one of COMPLETED, FAILED, FAILED_WITH_TERMINAL_ERROR, IN_PROGRESS, got "ZZ"',
  });
});
