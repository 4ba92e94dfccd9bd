import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, type Json, type WireTask } from "../support/client.ts";
import { aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { CheckedClient } from "./checked-client.ts";
import { loadDocument, type OpenApiDocument, operationsOf } from "./the-document.ts";

let server: TestServer;
let document: OpenApiDocument;
let client: CheckedClient;
beforeAll(async () => {
  server = await startServer({
    env: { SERVICE_ENV_REGION: "north" },
    settings: { "service.server.body-limit": "1MB", "service.workflow-message-queue.enabled": "true" },
  });
  document = await loadDocument(server.client);
  client = new CheckedClient(server.client.base, document);
  await client.registerTasks(
    aTask("work", { inputSchema: { name: "s", type: "JSON", data: { type: "object" } } }),
    aTask("slow", { retryCount: 1, retryDelaySeconds: 0 }),
  );
  await client.register(...definitions);
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

const wait = entry("WAIT", "pause");
const child = entry("SUB_WORKFLOW", "child", { subWorkflowParam: { name: "inner", version: 1 } });

const definitions = [
  aWorkflow("one", [simple("work", "w", { inputParameters: { n: "${workflow.input.n}" } })], {
    description: "One task",
    ownerEmail: "owner@example.com",
  }),
  aWorkflow("flaky", [simple("slow", "s")]),
  aWorkflow("inner", [wait]),
  aWorkflow("outer", [child], { outputParameters: { seen: "${child.output}" } }),
  aWorkflow("many", [
    entry("SET_VARIABLE", "set", { inputParameters: { colour: "red", nothing: null } }),
    entry("SWITCH", "choose", {
      evaluatorType: "value-param",
      expression: "way",
      inputParameters: { way: "left" },
      decisionCases: { left: [entry("NOOP", "left")] },
    }),
    entry("FORK_JOIN", "fork", { forkTasks: [[simple("work", "a")], [simple("work", "b", { optional: true })]] }),
    entry("JOIN", "join", { joinOn: ["a", "b"] }),
    entry("DO_WHILE", "loop", {
      loopCondition: "$.loop['iteration'] < 2",
      evaluatorType: "graaljs",
      inputParameters: { loop: "${loop.output}" },
      loopOver: [entry("JSON_JQ_TRANSFORM", "jq", { inputParameters: { queryExpression: ".x", x: 1 } })],
    }),
    entry("HUMAN", "person"),
  ]),
  aWorkflow("ends", [
    entry("TERMINATE", "t", { inputParameters: { terminationStatus: "FAILED", terminationReason: "so it goes" } }),
  ]),
  aWorkflow("two", [simple("work", "first"), simple("work", "second")]),
  aWorkflow("two", [simple("work", "first"), simple("work", "second"), wait], { version: 2 }),
] satisfies Json[];

/** What did not fit the document, of everything asked since the last look. */
function expectNoViolations(): void {
  expect([...new Set(client.violations.splice(0))]).toEqual([]);
}

/** Takes what is offered and ends it, until the execution has no open worker task. */
async function workOff(
  taskType: string,
  result: Json = { status: "COMPLETED", outputData: { done: true } },
): Promise<void> {
  for (;;) {
    const tasks = await client.poll(taskType, { count: 10, timeout: 100, workerid: "w1" });
    if (tasks.length === 0) return;
    for (const task of tasks) await client.update(task, result);
  }
}

async function lookAt(id: string): Promise<void> {
  await client.execution(id);
  await client.get(`/workflow/${id}?includeTasks=false`);
  await client.get(`/workflow/${id}/status?includeOutput=true&includeVariables=true`);
  await client.get(`/workflow/${id}/status`);
  await client.get(`/workflow/${id}/tasks`);
}

test("definitions", async () => {
  for (const path of [
    "/workflow",
    "/workflow/names",
    "/workflow/names-and-versions",
    "/workflow/latest-versions",
    "/workflow/one",
    "/workflow/two/versions",
    "/taskdefs",
    "/taskdefs/work",
  ]) {
    expect([path, (await client.get(`/metadata${path}`)).status]).toEqual([path, 200]);
  }
  const full = aWorkflow(
    "full",
    [
      simple("work", "w", {
        taskDefinition: aTask("work"),
        cacheConfig: { key: "k", ttlInSecond: 5 },
        retryCount: 2,
        onStateChange: { onSuccess: [{ type: "t", payload: {} }] },
      }),
    ],
    {
      rateLimitConfig: { rateLimitKey: "k", concurrentExecLimit: 5 },
      inputSchema: { name: "in", data: {} },
      cacheConfig: { key: "c", ttlInSecond: 1 },
      metadata: { classifier: "x" },
      maskedFields: ["secret"],
    },
  );
  await client.post("/metadata/workflow/validate", full);
  await client.post("/metadata/workflow", full);
  await client.get("/metadata/workflow/full");
  await client.put("/metadata/taskdefs", aTask("work"));
  await client.registerTasks(aTask("gone"));
  await client.delete("/metadata/taskdefs/gone");
  await client.delete("/metadata/workflow/full/1");
  expectNoViolations();
});

test("executions that run, wait, end and fail", async () => {
  const many = await client.start(
    "many",
    { n: 1 },
    { correlationId: "c1", priority: 3, createdBy: "me", taskToDomain: { nobody: "d" } },
  );
  await lookAt(many);
  await workOff("work");
  await client.until(many, ({ tasks }) => tasks.some((task) => task.taskType === "HUMAN"));
  await lookAt(many);
  await client.post(`/tasks/${many}/person/COMPLETED`, { by: "hand" });
  await lookAt(many);

  const failed = await client.start("flaky");
  await workOff("slow", {
    status: "FAILED",
    reasonForIncompletion: "out of luck",
    logs: [{ log: "a line", createdTime: 5 }],
  });
  await client.ended(failed);
  await lookAt(failed);
  await lookAt(await client.start("ends"));
  await client.post("/workflow/one?version=1&correlationId=c1", { n: 2 });
  expectNoViolations();
});

test("operations on executions", async () => {
  const id = await client.start("two");
  await client.put(`/workflow/${id}/pause`);
  await lookAt(id);
  await client.put(`/workflow/${id}/resume`);
  await client.put(`/workflow/decide/${id}`);
  await client.post(`/workflow/${id}/resetcallbacks`);
  await client.put(`/workflow/${id}/skiptask/second`, { taskOutput: { skipped: true } });
  await client.post(`/workflow/${id}/variables`, { colour: "blue" });
  await client.post(`/workflow/${id}/upgrade`, { name: "two", version: 2 });
  await client.post(`/workflow/${id}/jump/pause`, {});
  await client.post(`/workflow/${id}/state?waitForSeconds=1`, {
    variables: { a: 1 },
    taskReferenceName: "pause",
    taskResult: { status: "COMPLETED" },
  });
  await lookAt(id);
  await client.post(`/workflow/${id}/restart`);
  await client.delete(`/workflow/${id}?reason=enough`);
  await lookAt(id);
  await client.post(`/workflow/${id}/retry`);
  await client.delete(`/workflow/${id}`);
  await client.post(`/workflow/${id}/rerun`, {});
  await client.delete(`/workflow/${id}/terminate-remove`);
  await client.delete(`/workflow/${await client.start("one")}/remove`);
  expectNoViolations();
});

test("synchronous answers, whatever is asked for", async () => {
  for (const strategy of ["TARGET_WORKFLOW", "BLOCKING_WORKFLOW", "BLOCKING_TASK", "BLOCKING_TASK_INPUT"]) {
    const { json } = await client.post(`/workflow/execute/outer/1?waitForSeconds=5&returnStrategy=${strategy}`, {
      correlationId: "c",
    });
    const { targetWorkflowId: id } = json as { readonly targetWorkflowId: string };
    await client.post(`/tasks/${id}/COMPLETED/signal/sync?returnStrategy=${strategy}`, { x: 1 });
    await client.ended(id);
    await lookAt(id);
  }
  const id = await client.start("inner");
  await client.post(`/tasks/${id}/pause/IN_PROGRESS/sync`, {});
  await client.post(`/tasks/${id}/COMPLETED/signal`, {});
  await client.post("/workflow/test", { name: "one", taskRefToMockOutput: { w: [{ output: { mocked: true } }] } });
  expectNoViolations();
});

test("many at once", async () => {
  const ids = [await client.start("one"), await client.start("inner"), "nobody"];
  await client.put("/workflow/bulk/pause", ids);
  await client.put("/workflow/bulk/resume", ids);
  await client.post("/workflow/bulk/search", ids);
  await client.post("/workflow/bulk/terminate", ids);
  await client.post("/workflow/bulk/restart", ids);
  await client.post("/workflow/bulk/terminate?reason=again", ids);
  await client.post("/workflow/bulk/retry", ids);
  await client.send("DELETE", "/workflow/bulk/terminate-remove", { body: [ids[0]] });
  await client.send("DELETE", "/workflow/bulk/remove", { body: ids });
  expectNoViolations();
});

test("tasks, their logs and queues", async () => {
  await client.start("one", {}, { correlationId: "c" });
  await client.start("one");
  await client.start("one");
  for (const path of ["size?taskType=work", "sizes?taskType=work,slow", "all", "all/verbose"])
    await client.get(`/tasks/queue/${path}`);
  const single = (await client.get("/tasks/poll/work?workerid=w")).json as WireTask;
  await client.get(`/tasks/${single.taskId}`);
  await client.get(`/tasks/${single.taskId}/log`);
  await client.send("POST", `/tasks/${single.taskId}/log`, {
    text: "a line",
    headers: { "content-type": "text/plain" },
  });
  await client.get(`/tasks/${single.taskId}/log`);
  const { taskId, workflowInstanceId } = single;
  await client.post("/tasks/update-v2", {
    taskId,
    workflowInstanceId,
    status: "IN_PROGRESS",
    callbackAfterSeconds: 100,
  });
  const next = await client.post("/tasks/update-v2", {
    taskId,
    workflowInstanceId,
    status: "COMPLETED",
    outputData: { a: null },
  });
  expect(next.status).toBe(200);
  await client.poll("work", { domain: "far" });
  await client.get("/tasks/poll/nobody");
  await client.get("/tasks/queue/polldata?taskType=work");
  await client.get("/tasks/queue/polldata/all");
  await client.post("/tasks/queue/requeue/work");
  await client.get("/admin/task/work");
  await workOff("work");
  expectNoViolations();
});

test("executions by what they were started with", async () => {
  await client.start("one", {}, { correlationId: "order-1" });
  for (const query of ["", "?includeClosed=true&includeTasks=true"]) {
    await client.get(`/workflow/one/correlated/order-1${query}`);
    await client.post(`/workflow/one/correlated${query}`, ["order-1", "nobody"]);
    await client.post(`/workflow/correlated/batch${query}`, { correlationIds: ["order-1"], workflowNames: ["one"] });
  }
  await client.get("/workflow/running/one");
  await client.get(`/workflow/running/one?startTime=1&endTime=${Date.now()}`);
  expectNoViolations();
});

test("searches", async () => {
  await client.start("one", { text: "needle" }, { correlationId: "order-2" });
  for (const path of ["/workflow/search", "/workflow/search-v2"]) {
    const found = await client.get(
      `${path}?query=${encodeURIComponent("workflowType IN (one,flaky,many)")}&sort=startTime:DESC&size=20`,
    );
    expect((found.json as { readonly results: unknown[] }).results.length).toBeGreaterThan(2);
    await client.get(`${path}?freeText=nobodyhasthis`);
  }
  for (const path of [
    "/workflow/search-by-tasks",
    "/workflow/search-by-tasks-v2",
    "/tasks/search",
    "/tasks/search-v2",
  ]) {
    for (const query of ["status=COMPLETED", "status=FAILED", "status=SCHEDULED"]) {
      await client.get(`${path}?query=${encodeURIComponent(query)}`);
    }
  }
  expectNoViolations();
});

test("tags", async () => {
  for (const path of ["/metadata/workflow/one/tags", "/metadata/task/work/tags"]) {
    await client.post(path, { key: "team", value: "a" });
    await client.put(path, [{ key: "team", value: "b", type: "METADATA" }]);
    await client.get(path);
    await client.get("/metadata/tags");
    await client.send("DELETE", path, { body: [{ key: "team", value: "b" }] });
  }
  expectNoViolations();
});

test("schedules", async () => {
  const name = "documented schedule";
  const path = `/scheduler/schedules/${encodeURIComponent(name)}`;
  const schedule = {
    name,
    cronSchedules: [{ cronExpression: "0 0 0 1 1 *" }],
    startWorkflowRequest: { name: "one", version: 1, workflowDef: definitions[0] },
    scheduleStartTime: 1,
    scheduleEndTime: 4_000_000_000_000,
    description: "d",
  };
  await client.post("/scheduler/schedules", {
    name: "other",
    cronExpression: "@daily",
    startWorkflowRequest: { name: "x" },
  });
  await client.post("/scheduler/schedules", schedule);
  await client.put(`${path}/tags`, [{ key: "a", value: "b" }]);
  await client.put(`${path}/pause?reason=why`);
  for (const read of ["", "/search", "/tags?tag=a:b"]) await client.get(`/scheduler/schedules${read}`);
  for (const read of ["", "/tags", "/next"]) await client.get(path + read);
  await client.put(`${path}/resume`);
  await client.post(`${path}/run`);
  await client.post("/scheduler/schedules/other/run");
  for (const action of ["pause", "resume"]) await client.put(`/scheduler/bulk/${action}`, [name, "nobody"]);
  await client.get("/scheduler/search/executions");
  for (const action of ["pause", "resume", "requeue"]) await client.get(`/scheduler/admin/${action}`);
  await client.send("DELETE", `${path}/tags`, { body: [{ key: "a", value: "b" }] });
  await client.delete(path);
  await client.delete("/scheduler/schedules/other");
  expectNoViolations();
});

test("messages", async () => {
  const id = await client.start("one");
  await client.post(`/workflow/${id}/messages`, { a: 1 });
  await client.post("/workflow/nobody/messages", {});
  expectNoViolations();
});

test("background jobs", async () => {
  const startJob = async (): Promise<string> => {
    const { json } = await client.post("/workflow/bulk/jobs", {
      action: "pause",
      query: "workflowType=one",
      reason: "r",
    });
    return (json as { readonly jobId: string }).jobId;
  };
  const cancelled = await eventually(async () => {
    const id = await startJob();
    return (await client.post(`/workflow/bulk/jobs/${id}/cancel`)).status === 200 ? id : undefined;
  });
  await client.get("/workflow/bulk/jobs");
  await client.get(`/workflow/bulk/jobs/${cancelled}`);
  const done = await startJob();
  await eventually(async () => {
    const { status } = (await client.get(`/workflow/bulk/jobs/${done}`)).json as { readonly status: string };
    return status === "RUNNING" ? undefined : true;
  });
  await client.get(`/workflow/bulk/jobs/${done}/results`);
  await client.delete(`/workflow/bulk/jobs/${done}`);
  expectNoViolations();
});

test("event handlers", async () => {
  const actions = [
    {
      action: "start_workflow",
      start_workflow: { name: "x", version: 1, input: { a: "${b}" }, taskToDomain: { t: "d" } },
    },
    { action: "complete_task", complete_task: { workflowId: "${id}", taskRefName: "t" } },
    { action: "terminate_workflow", terminate_workflow: { workflowId: "${id}", terminationReason: "r" } },
    { action: "update_workflow_variables", update_workflow_variables: { workflowId: "${id}", variables: { a: 1 } } },
  ];
  const handler = {
    name: "answers",
    event: "service:answers",
    condition: "true",
    evaluatorType: "javascript",
    actions,
  };
  await client.post("/event", handler);
  await client.put("/event", { ...handler, active: true });
  await client.get("/event");
  await client.get("/event/service%3Aanswers");
  await client.get("/event/handler/answers");
  for (const method of ["POST", "PUT", "GET", "DELETE"])
    await client.send(method, "/event/answers/tags", method === "GET" ? {} : { body: [{ key: "a", value: "b" }] });
  await client.post("/event/dry-run", { event: "service:answers", payload: { a: 1 } });
  await client.post("/event/handleIncomingEvent", { event: "service:answers", messageId: "m", payload: { a: 1 } });
  await client.post("/event/message/service%3Aanswers/m/replay");
  for (const path of ["execution", "execution/answers", "message", "message/service%3Aanswers", "subscription"])
    await client.get(`/event/${path}`);
  await client.post("/event/queue/connectivity", { sink: "kafka:t", input: {} });
  await client.delete("/event/answers");
  expectNoViolations();
});

test("messages that could not be handled", async () => {
  const actions = [{ action: "start_workflow", start_workflow: { name: "nobody" } }];
  await client.post("/event", { name: "failing", event: "service:failing", active: true, actions });
  for (const messageId of ["one", "two"])
    await client.post("/event/handleIncomingEvent", { event: "service:failing", messageId });
  const { results } = (await client.get("/event/dead-letter")).json as { readonly results: { readonly id: string }[] };
  await client.post(`/event/dead-letter/${encodeURIComponent(results[0]?.id ?? "")}/replay`);
  await client.delete(`/event/dead-letter/${encodeURIComponent(results[1]?.id ?? "")}`);
  expectNoViolations();
});

test("webhooks", async () => {
  const webhook = { name: "answers", verifier: "NONE" };
  await client.post("/webhooks", webhook);
  await client.put("/webhooks", { ...webhook, description: "for anyone" });
  await client.get("/webhooks");
  await client.get("/webhooks/answers");
  await client.post("/webhook/answers", { a: 1 });
  await client.delete("/webhooks/answers");
  expectNoViolations();
});

test("the rest of the interface", async () => {
  for (const path of [
    "/health",
    "/version",
    "/environment",
    "/environment/REGION",
    "/environment/NOBODY",
    "/secrets",
    "/admin/config",
    "/admin/nodes",
    "/admin/overview",
    "/admin/queues",
    "/admin/retention",
    "/scheduler/nextFewSchedules?cronExpression=@daily",
    "/queue/",
    "/queue/size",
  ]) {
    expect([path, (await client.get(path)).status]).toEqual([path, 200]);
  }
  const id = await client.start("one");
  await client.post(`/admin/sweep/requeue/${id}`);
  await client.post(`/admin/consistency/verifyAndRepair/${id}`);
  for (const place of [
    "workflow/externalstoragelocation",
    "workflow/external-storage-location",
    "tasks/externalstoragelocation",
    "tasks/external-storage-location",
  ]) {
    const query = "path=p&operation=WRITE&payloadType=TASK_OUTPUT";
    const { uri } = (await client.get(`/${place}?${query}`)).json as { readonly uri: string };
    const path = uri.slice(client.base.length);
    await client.put(path, { large: true });
    await client.get(path);
  }
  const root = new CheckedClient(client.base.replace(/\/api$/, ""), document);
  for (const path of [
    "/health",
    "/health/live",
    "/health/ready",
    "/actuator",
    "/actuator/info",
    "/actuator/health",
    "/actuator/prometheus",
  ])
    await root.get(path);
  for (const seen of root.seen) client.seen.add(seen);
  client.violations.push(...root.violations);
  expectNoViolations();
});

test("errors of every kind", async () => {
  const id = await client.start("one");
  const kinds: readonly (readonly [number, string, string, unknown?])[] = [
    [400, "POST", "/metadata/workflow", {}],
    [400, "POST", "/metadata/taskdefs", [{ name: "", retryCount: -1 }]],
    [400, "POST", "/workflow", { name: "one", priority: 100 }],
    [400, "POST", "/workflow", { name: "one", input: 5 }],
    [400, "POST", "/tasks", { status: "COMPLETED" }],
    [400, "POST", `/tasks/${id}/w/NEVER`, {}],
    [400, "GET", `/workflow/${id}?includeTasks=perhaps`],
    [400, "GET", "/tasks/queue/size"],
    [400, "GET", "/tasks/poll/batch/work?timeout=6000"],
    [400, "PUT", "/workflow/bulk/pause", []],
    [400, "GET", "/workflow/externalstoragelocation?path=p&operation=X&payloadType=Y"],
    [400, "POST", `/queue/update/${id}/w/COMPLETED`, {}],
    [404, "GET", "/workflow/nobody"],
    [404, "GET", "/metadata/workflow/nobody"],
    [404, "DELETE", "/metadata/taskdefs/nobody"],
    [404, "GET", "/tasks/nobody"],
    [404, "POST", "/workflow/nobody", {}],
    [404, "POST", `/tasks/${id}/nobody/COMPLETED`, {}],
    [404, "GET", "/external-storage/nobody"],
    [409, "POST", "/metadata/workflow", definitions[0]],
    [409, "PUT", `/workflow/${id}/resume`],
    [409, "POST", `/workflow/${id}/rerun`, {}],
    [413, "POST", "/workflow/one", { big: "x".repeat(1_100_000) }],
  ];
  for (const [status, method, path, body] of kinds) {
    const answer = await client.send(method, path, { body });
    expect([method, path, answer.status]).toEqual([method, path, status]);
    expect(answer.json).toMatchObject({
      status,
      message: expect.stringMatching(/\w/),
      instance: expect.any(String),
      retryable: false,
    });
  }
  expectNoViolations();
});

test("every success that the document promises was seen", () => {
  // A queue takes messages only where a broker is; a stream has no end; secrets are asked for with the agents.
  const exempt = (path: string) =>
    path.includes("/queue/update/") || path.endsWith("/stream") || path.startsWith("/api/secrets");
  const promised = operationsOf(document)
    .filter(({ path }) => !exempt(path))
    .flatMap(({ method, path, operation }) =>
      Object.keys(operation.responses)
        .filter((status) => status !== "default")
        .map((status) => `${method} ${path} ${status}`),
    );
  expect(promised.filter((one) => !client.seen.has(one))).toEqual([]);
});
