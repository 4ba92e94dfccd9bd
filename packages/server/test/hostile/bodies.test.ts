import { once } from "node:events";
import type { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startRequestModel, taskDefModel, workflowDefModel } from "@downbeat/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { taskResultModel } from "../../src/http/task-update.ts";
import { scheduleModel } from "../../src/scheduler/schedule.ts";
import { type Client, eventually, type Json } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { expectAlive, expectRefusal, forAll, openSocket } from "./wire.ts";
import { type WrongValue, withValue, wrongValues } from "./wrong-values.ts";

let server: TestServer;
let client: Client;
let name: string;
beforeAll(async () => {
  server = await startServer();
  client = server.client;
  name = aName("bodies");
  await client.register(aWorkflow(name, [simple(name, "t")]));
});
afterAll(async () => {
  await expectAlive(client);
  await server.close();
  expect(server.errors).toEqual([]);
});

const MEGABYTE = 1_000_000;

describe("JSON", () => {
  test("cut off anywhere is refused", async () => {
    const whole = JSON.stringify(
      aWorkflow("cut", [simple("a", "t", { inputParameters: { é: ["\u0000", -1.5e3, null, true] } })]),
    );
    const cuts = Array.from({ length: whole.length - 1 }, (_, n) => whole.slice(0, n + 1));
    await forAll(cuts, 20, async (text) => {
      expectRefusal(text, await client.send("POST", "/metadata/workflow/validate", { text }));
    });
  });

  test.each([
    ["1,001 objects deep", `${'{"a":'.repeat(1001)}1${"}".repeat(1001)}`],
    ["1,001 lists deep", `{"a":${"[".repeat(1001)}${"]".repeat(1001)}}`],
    ["a million openings", "[".repeat(MEGABYTE)],
    ["a million closings", "]".repeat(MEGABYTE)],
    ["a million quotes", '"'.repeat(MEGABYTE + 1)],
    ["a million backslashes", `"${"\\".repeat(MEGABYTE + 1)}`],
    ["a number without end", `{"a":${"9".repeat(MEGABYTE)}x}`],
    ["a null character", "\u0000"],
    ["what JavaScript would take", "{a:1, b:undefined, c:NaN}"],
    ["a comment", '{"a":1 /* one */}'],
  ])("with %s is refused, quickly", async (_what, text) => {
    for (const [method, path] of [
      ["POST", "/workflow"],
      ["PUT", "/metadata/workflow"],
      ["POST", "/metadata/taskdefs"],
      ["POST", "/tasks"],
      ["POST", `/workflow/${name}`],
      ["PUT", "/workflow/bulk/pause"],
    ] as const) {
      const askedAt = performance.now();
      expectRefusal(path, await client.send(method, path, { text }));
      expect(performance.now() - askedAt).toBeLessThan(1000);
    }
  });

  test("of numbers beyond all bounds is kept as far as numbers go", async () => {
    const id = (
      await client.send("POST", `/workflow/${name}`, { text: '{"a":1e400,"b":-0,"c":123456789012345678901234567890}' })
    ).text;
    expect((await client.execution(id)).input).toMatchObject({ b: 0, c: 123456789012345680000000000000 });
  });

  test("that says a key twice counts the last", async () => {
    const id = (await client.send("POST", `/workflow/${name}`, { text: '{"a":1,"a":2}' })).text;
    expect((await client.execution(id)).input).toEqual({ a: 2 });
  });
});

describe("50 MB", () => {
  const chunk = Buffer.alloc(MEGABYTE, "x");

  /** Sends as long as the server listens; gives its answer, which may come at once. */
  async function sendLarge(head: string, wrap: (bytes: Buffer) => Buffer): Promise<string> {
    const socket = openSocket(client);
    socket.on("error", () => undefined);
    const answered: Buffer[] = [];
    socket.on("data", (bytes) => answered.push(bytes));
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.write(`POST /api/workflow/${name} HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
    for (let n = 0; n < 50 && !socket.destroyed && answered.length === 0; n++) {
      if (!socket.write(wrap(chunk))) await Promise.race([drained(socket), closed]);
    }
    socket.end();
    await closed;
    return Buffer.concat(answered).toString();
  }

  const drained = (socket: Socket) => new Promise<void>((resolve) => socket.once("drain", () => resolve()));

  const chunked = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);

  // In pieces, the server may have hung up before the sender has read why.
  test.each([
    ["said beforehand", "Content-Length: 50000000", (bytes: Buffer) => bytes, /^HTTP\/1\.1 413 /],
    ["in pieces", "Transfer-Encoding: chunked", chunked, /^HTTP\/1\.1 413 |^$/],
  ])("%s are refused, quickly, and the memory does not stay taken", async (_what, head, wrap, refusal) => {
    expect(await sendLarge(head, wrap)).toMatch(refusal);
    const before = memoryInUse();
    const askedAt = performance.now();
    for (let n = 0; n < 10; n++) expect(await sendLarge(head, wrap)).toMatch(refusal);
    expect(performance.now() - askedAt).toBeLessThan(5000);
    // This process is the client too: what it was still sending goes when its socket has closed.
    await eventually(async () => memoryInUse() - before < 20 * MEGABYTE || undefined);
  });

  test("of promises alone take nothing", async () => {
    const sockets = Array.from({ length: 50 }, () => {
      const socket = openSocket(client);
      socket.on("error", () => undefined);
      socket.write(`POST /api/workflow/${name} HTTP/1.1\r\nHost: x\r\nContent-Length: 19000000\r\n\r\n{`);
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    await expectAlive(client);
    expect(memoryInUse()).toBeLessThan(400 * MEGABYTE);
    for (const socket of sockets) socket.destroy();
  });
});

/** Bytes that are really in use, on the heap and beside it. */
function memoryInUse(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("a value of the wrong kind is refused, for every property", () => {
  type Send = (body: unknown) => Promise<{ readonly status: number; readonly text: string }>;

  /** Each in its own request; the refusal is no server failure and has the usual body. */
  async function expectRefused(values: Iterable<WrongValue>, base: Json, send: Send, atLeast: number): Promise<void> {
    const all = [...values];
    expect(all.length).toBeGreaterThan(atLeast);
    await forAll(all, 20, async ({ way, value }) => {
      const where = `${way.join(".")} = ${JSON.stringify(value)}`;
      const answer = await send(withValue(base, way, value));
      expect([where, answer.status, answer.text.slice(0, 300)]).toEqual([where, 400, expect.anything()]);
      expectRefusal(where, answer);
    });
  }

  test("of a workflow definition", async () => {
    const base = aWorkflow("wrong", [simple("a", "t")]);
    await expectRefused(
      wrongValues(workflowDefModel),
      base,
      (body) => client.post("/metadata/workflow/validate", body),
      300,
    );
    await expectRefused(wrongValues(workflowDefModel), base, (body) => client.put("/metadata/workflow", [body]), 300);
    expect((await client.get("/metadata/workflow/wrong")).status).toBe(404);
  });

  test("of a task definition", async () => {
    await expectRefused(
      wrongValues(taskDefModel),
      aTask("wrong"),
      (body) => client.post("/metadata/taskdefs", [body]),
      100,
    );
    expect((await client.get("/metadata/taskdefs/wrong")).status).toBe(404);
  });

  test("of a start", async () => {
    const waiting = async () => (await client.get(`/tasks/queue/size?taskType=${name}`)).json;
    const before = await waiting();
    const values = [...wrongValues(startRequestModel)].filter(
      ({ way }) => way[0] !== "workflowDef" || way.length === 1,
    );
    await expectRefused(values, { name }, (body) => client.post("/workflow", body), 40);
    expect(await waiting()).toBe(before);
  });

  test("of a schedule", async () => {
    const base = { name: "wrong", cronExpression: "@daily", startWorkflowRequest: { name } };
    const values = [...wrongValues(scheduleModel)].filter(
      ({ way }) => !(way.includes("workflowDef") && way.length > 2),
    );
    await expectRefused(values, base, (body) => client.post("/scheduler/schedules", body), 40);
    expect((await client.get("/scheduler/schedules/wrong")).status).toBe(404);
  });

  test("of a task result", async () => {
    const id = await client.start(name);
    const [task] = (await client.execution(id)).tasks;
    const base = { workflowInstanceId: id, taskId: task?.taskId, status: "COMPLETED" };
    // A line of a log may come bare.
    const values = [...wrongValues(taskResultModel)].filter(
      ({ way, value }) => !(way.join(".") === "logs.0" && typeof value === "string"),
    );
    await expectRefused(values, base, (body) => client.post("/tasks", body), 20);
    expect((await client.execution(id)).tasks).toMatchObject([{ status: "SCHEDULED" }]);
  });

  test("of the maps and lists other requests take", async () => {
    const id = await client.start(name);
    for (const [method, path] of [
      ["POST", `/workflow/${id}/rerun`],
      ["PUT", `/workflow/${id}/skiptask/t`],
      ["POST", `/workflow/${id}/variables`],
      ["POST", `/workflow/${id}/jump/t`],
      ["POST", `/workflow/${id}/upgrade`],
      ["POST", `/tasks/${id}/t/COMPLETED`],
      ["POST", `/tasks/${id}/COMPLETED/signal`],
    ] as const) {
      for (const body of ["text", 5, true, [], [{}]]) {
        const answer = await client.send(method, path, { body });
        expect([path, body, answer.status]).toEqual([path, body, 400]);
        expectRefusal(path, answer);
      }
    }
    for (const body of ["text", 5, {}, [{}], [[]], [null]]) {
      const answer = await client.put("/workflow/bulk/pause", body);
      expect([body, answer.status]).toEqual([body, 400]);
    }
    expect(await client.execution(id)).toMatchObject({ status: "RUNNING", tasks: [{ status: "SCHEDULED" }] });
  });
});

describe("keys that objects have themselves", () => {
  const hostile =
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"x","hasOwnProperty":null,"valueOf":1}';
  const expectClean = () => {
    for (const thing of [{}, [], () => 1] as unknown as Json[]) expect(thing["polluted"]).toBeUndefined();
  };

  test("are ordinary keys in every map of a definition", async () => {
    const kept = ["outputParameters", "variables", "inputTemplate", "metadata"];
    const maps = kept.map((key) => `"${key}":${hostile}`).join(",");
    const stored = aName("keys");
    const text = `[{"name":"${stored}","schemaVersion":2,${maps},"tasks":[{"name":"n","taskReferenceName":"n","type":"SET_VARIABLE","inputParameters":${hostile},"metadata":${hostile}}]}]`;
    expect((await client.send("PUT", "/metadata/workflow", { text })).status).toBe(200);
    const read = await client.get(`/metadata/workflow/${stored}`);
    expect(read.text.split(hostile)).toHaveLength(kept.length + 3);
    const { text: id } = await client.send("POST", `/workflow/${stored}`, { text: hostile });
    const execution = await client.get(`/workflow/${id}`);
    expect(execution.json).toMatchObject({ status: "COMPLETED" });
    for (const part of ["input", "output", "variables", "inputData"])
      expect(execution.text).toContain(`"${part}":${hostile}`);
    expectClean();
  });

  test("are ordinary keys in what workers and callers send", async () => {
    const id = await client.start(name);
    const task = await client.take(name);
    const { text: taskId } = await client.send("POST", "/tasks", {
      text: `{"workflowInstanceId":"${id}","taskId":"${task.taskId}","status":"COMPLETED","outputData":${hostile},"__proto__":{"status":"FAILED"}}`,
    });
    expect((await client.get(`/tasks/${taskId}`)).text).toContain(`"outputData":${hostile}`);
    await client.send("POST", "/workflow", {
      text: `{"name":"${name}","taskToDomain":{"__proto__":"d","constructor":"d"},"input":${hostile}}`,
    });
    expectClean();
  });

  test.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
    "are values like any other to a SWITCH: %s",
    async (value) => {
      const choose = entry("SWITCH", "choose", {
        evaluatorType: "value-param",
        expression: "way",
        inputParameters: { way: "${workflow.input.way}" },
        decisionCases: { other: [entry("NOOP", "other")] },
        defaultCase: [entry("NOOP", "default")],
      });
      const switching = aName("switching");
      await client.register(aWorkflow(switching, [choose]));
      const { tasks } = await client.ended(await client.start(switching, { way: value }));
      expect(tasks.map((task) => task.referenceTaskName)).toEqual(["choose", "default"]);
    },
  );

  test.each(["constructor", "toString", "__proto__", "valueOf"])(
    "may be names of definitions, references and joined tasks: %s",
    async (odd) => {
      const read = entry("SET_VARIABLE", "read", {
        inputParameters: { out: `\${${odd}.output}`, none: `\${workflow.input.${odd}.x}` },
      });
      const branch = entry("JSON_JQ_TRANSFORM", odd, { inputParameters: { queryExpression: "1" } });
      await client.register(
        aWorkflow(odd, [
          entry("FORK_JOIN", "fork", { forkTasks: [[branch]] }),
          entry("JOIN", "join", { joinOn: [odd] }),
          read,
        ]),
      );
      const execution = await client.ended(await client.start(odd));
      expect(execution).toMatchObject({ status: "COMPLETED", variables: { out: { result: 1 } } });
      expect((await client.get("/metadata/workflow/names-and-versions")).text).toContain(`"${odd}":[`);
      expectClean();
    },
  );
});
