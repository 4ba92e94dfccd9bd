import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConfigError } from "../../src/config.ts";
import { type Client, eventually, type Json } from "../support/client.ts";
import { aName, aWorkflow, entry, simple } from "../support/definitions.ts";
import {
  aFolder,
  type ChildServer,
  removeFolder,
  startChildServer,
  startServer,
  type TestServer,
} from "../support/server.ts";

type Posted = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Json;
};

/** The other side: keeps what it is told, and fails as often as it is asked to. */
const posted: Posted[] = [];
let failing = 0;
const receiver = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    if (failing > 0) {
      failing--;
      response.writeHead(503).end();
      return;
    }
    const text = Buffer.concat(parts).toString("utf8");
    posted.push({ path: request.url ?? "", headers: request.headers, text, body: JSON.parse(text) as Json });
    response.writeHead(202).end();
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  receiver.close();
});
beforeEach(() => {
  posted.length = 0;
  failing = 0;
});

const url = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;

const settings = (more: Record<string, string> = {}): Record<string, string> => ({
  "service.workflow-status-listener.type": "workflow_publisher",
  "service.task-status-listener.type": "task_publisher",
  "service.status-notifier.notification.url": url(),
  "service.status-notifier.notification.endpointWorkflow": "workflow",
  "service.status-notifier.notification.endpointTask": "task",
  "service.status-notifier.notification.subscribedWorkflowStatuses":
    "RUNNING,COMPLETED,TERMINATED,PAUSED,RESUMED,RESTARTED,RETRIED,RERAN,FINALIZED",
  "service.status-notifier.notification.subscribedTaskStatuses": "SCHEDULED,IN_PROGRESS,COMPLETED,FAILED,CANCELED",
  ...more,
});

const ofExecution = (id: string, path: string) =>
  posted.filter((one) => one.body["workflowId"] === id && one.path === `/hooks/${path}`);

const told = (id: string, path: string, count: number): Promise<readonly Posted[]> =>
  eventually(async () => {
    const found = ofExecution(id, path);
    return found.length >= count ? found : undefined;
  });

describe("a webhook", () => {
  let server: TestServer;
  let client: Client;
  const secret = `whsec_${Buffer.from("a secret of some length").toString("base64")}`;

  beforeAll(async () => {
    server = await startServer({
      settings: settings({ "service.status-notifier.notification.signing-secret": secret }),
    });
    client = server.client;
    await client.register(
      aWorkflow("listened", [simple("work", "a"), simple("work", "b")], { workflowStatusListenerEnabled: true }),
      aWorkflow("unheard", [simple("work2", "a")]),
    );
  });
  afterAll(async () => {
    await server.close();
    expect(server.errors).toEqual([]);
  });

  test("hears of the execution and its tasks, in order and signed", async () => {
    const id = await client.start("listened", { order: 7 });
    await client.complete(await client.take("work"), { done: 1 });
    await client.complete(await client.take("work"), { done: 2 });
    await client.ended(id);
    const workflow = await told(id, "workflow", 3);
    expect(workflow.map(({ body }) => body["status"])).toEqual(["RUNNING", "COMPLETED", "COMPLETED"]);
    expect(workflow[1]?.body).toMatchObject({ workflowType: "listened", version: 1, input: "{order=7}" });
    const tasks = await told(id, "task", 6);
    expect(tasks.map(({ body }) => `${body["referenceTaskName"]} ${body["status"]}`)).toEqual([
      "a SCHEDULED",
      "a IN_PROGRESS",
      "a COMPLETED",
      "b SCHEDULED",
      "b IN_PROGRESS",
      "b COMPLETED",
    ]);
    expect(tasks[2]?.body).toMatchObject({ retryCount: 0, workflowTaskType: "SIMPLE", output: "{done=1}" });
    for (const { headers, text } of [...workflow, ...tasks]) {
      const { "webhook-id": messageId, "webhook-timestamp": at, "webhook-signature": signature } = headers;
      const mac = createHmac("sha256", "a secret of some length").update(`${messageId}.${at}.${text}`).digest("base64");
      expect(signature).toBe(`v1,${mac}`);
    }
    expect(new Set(posted.map(({ headers }) => headers["webhook-id"])).size).toBe(posted.length);
  });

  test("hears what operators do", async () => {
    const id = await client.start("listened");
    await client.put(`/workflow/${id}/pause`);
    await client.put(`/workflow/${id}/resume`);
    await client.delete(`/workflow/${id}?reason=enough`);
    await client.post(`/workflow/${id}/restart`);
    await client.delete(`/workflow/${id}`);
    await client.post(`/workflow/${id}/retry`);
    const workflow = await told(id, "workflow", 9);
    expect(workflow.map(({ body }) => body["status"])).toEqual([
      "RUNNING",
      "PAUSED",
      "RUNNING",
      "TERMINATED",
      "TERMINATED",
      "RUNNING",
      "TERMINATED",
      "TERMINATED",
      "RUNNING",
    ]);
    expect(workflow[3]?.body["reasonForIncompletion"]).toBe("enough");
    await client.delete(`/workflow/${id}`);
  });

  test("of a definition without listeners hears of its end only", async () => {
    const id = await client.start("unheard");
    await client.complete(await client.take("work2"));
    const workflow = await told(id, "workflow", 1);
    expect(workflow.map(({ body }) => body["status"])).toEqual(["COMPLETED"]);
  });

  test("that fails is told again, and nothing overtakes what it has not heard", async () => {
    failing = 6;
    const id = await client.start("listened");
    await client.complete(await client.take("work"));
    await client.complete(await client.take("work"));
    const workflow = await told(id, "workflow", 3);
    expect(workflow.map(({ body }) => body["status"])).toEqual(["RUNNING", "COMPLETED", "COMPLETED"]);
  });

  test("may be another one for an execution that says so", async () => {
    await client.register(
      aWorkflow("elsewhere", [
        entry("SET_VARIABLE", "v", { inputParameters: { statusNotifier: { url: `${url()}/other` } } }),
      ]),
    );
    const id = await client.start("elsewhere");
    await eventually(async () =>
      posted.some(({ path, body }) => path === "/hooks/other/workflow" && body["workflowId"] === id) ? true : undefined,
    );
  });
});

test("S33: what a webhook does not take is kept, over a crash, and put aside in the end", {
  timeout: 120_000,
}, async () => {
  const folder = aFolder();
  const begun: ChildServer[] = [];
  const begin = async (all: Record<string, string>) => {
    const server = await startChildServer({ folder, settings: all });
    begun.push(server);
    return server;
  };
  try {
    failing = Number.MAX_SAFE_INTEGER;
    const first = await begin(settings());
    await first.client.register(aWorkflow("kept", [entry("NOOP", "n")], { workflowStatusListenerEnabled: true }));
    const ids = await Promise.all(Array.from({ length: 20 }, () => first.client.start("kept")));
    await first.kill();
    failing = 0;
    const second = await begin(settings());
    for (const id of ids) {
      const workflow = await told(id, "workflow", 3);
      expect(workflow.map(({ body }) => body["status"])).toEqual(["RUNNING", "COMPLETED", "COMPLETED"]);
    }
    await second.kill();

    failing = Number.MAX_SAFE_INTEGER;
    const givesUp = { "service.status-notifier.notification.give-up-after": "100ms" };
    const third = await begin(settings(givesUp));
    const id = await third.client.start("kept");
    const letters = await eventually(async () => {
      const { results } = (await third.client.get("/event/dead-letter?size=1000")).json as {
        results: { id: string; payload: { kind: string; head: { id: string } } }[];
      };
      const mine = results.filter(({ payload }) => payload.kind === "workflow" && payload.head.id === id);
      return mine.length === 3 ? mine : undefined;
    });
    expect(letters[0]).toMatchObject({ reason: "Expected a status of 2xx, got 503" });
    failing = 0;
    posted.length = 0;
    for (const letter of letters) await third.client.post(`/event/dead-letter/${encodeURIComponent(letter.id)}/replay`);
    await told(id, "workflow", 3);
  } finally {
    for (const server of begun) await server.kill();
    removeFolder(folder);
  }
});

test("queues: handlers hear of executions that ended", async () => {
  const server = await startServer({ settings: { "service.workflow-status-listener.type": "queue_publisher" } });
  try {
    const { client } = server;
    const listened = { workflowStatusListenerEnabled: true };
    await client.register(
      aWorkflow("good", [entry("NOOP", "n")], listened),
      aWorkflow("bad", [entry("TERMINATE", "t", { inputParameters: { terminationStatus: "FAILED" } })], listened),
      aWorkflow("heard", [entry("NOOP", "n")]),
    );
    for (const queue of ["Success", "Failure", "Finalize"]) {
      const start_workflow = { name: "heard", correlationId: `${queue} \${workflowType} \${status}` };
      const actions = [{ action: "start_workflow", start_workflow }];
      await client.post("/event", { name: aName("h"), event: `service:_callback${queue}Queue`, active: true, actions });
    }
    await client.start("good");
    await client.start("bad");
    const heard = await eventually(async () => {
      const { results } = (await client.get("/workflow/search?query=workflowType%3Dheard")).json as { results: Json[] };
      return results.length === 4 ? results : undefined;
    });
    expect(heard.map((one) => one["correlationId"]).sort()).toEqual([
      "Failure bad FAILED",
      "Finalize bad FAILED",
      "Finalize good COMPLETED",
      "Success good COMPLETED",
    ]);
    expect(server.errors).toEqual([]);
  } finally {
    await server.close();
  }
});

test("a sink of the definition's own", async () => {
  const server = await startServer();
  try {
    const { client } = server;
    const name = aName("own");
    await client.register(
      aWorkflow(name, [entry("NOOP", "n")], {
        workflowStatusListenerEnabled: true,
        workflowStatusListenerSink: "service:status",
      }),
      aWorkflow("heard", [entry("NOOP", "n")]),
    );
    const start_workflow = { name: "heard", correlationId: "${eventType} ${payload.input.a}" };
    await client.post("/event", {
      name: "h",
      event: "service:status",
      active: true,
      actions: [{ action: "start_workflow", start_workflow }],
    });
    await client.start(name, { a: 1 });
    const heard = await eventually(async () => {
      const { results } = (await client.get("/workflow/search?query=workflowType%3Dheard")).json as { results: Json[] };
      return results.length === 3 ? results : undefined;
    });
    expect(heard.map((one) => one["correlationId"])).toEqual(["started 1", "completed 1", "finalized 1"]);
  } finally {
    await server.close();
  }
});

test("settings that cannot work are refused at the start", async () => {
  for (const [wrong, problem] of [
    [{ "service.workflow-status-listener.type": "composite" }, "composite.types"],
    [{ "service.workflow-status-listener.type": "workflow_publisher" }, "notification.url"],
    [{ "service.workflow-status-listener.type": "kafka" }, "kafka.enabled"],
  ] as const) {
    const starting = startServer({ settings: wrong });
    await expect(starting).rejects.toThrow(ConfigError);
    await expect(starting).rejects.toThrow(problem);
  }
});
