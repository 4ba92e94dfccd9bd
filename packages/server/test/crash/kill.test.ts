import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client, Json, WireTask } from "../support/client.ts";
import { aWorkflow, entry, simple } from "../support/definitions.ts";
import { aFolder, type ChildServer, removeFolder, startChildServer } from "../support/server.ts";
import { Ledger } from "./ledger.ts";
import { createRandom } from "./random.ts";

const KILLS = 20;
const STARTS_PER_LIFE = 20;
const STARTERS = 4;
const WORKERS = 6;
const LONGEST_LIFE_MS = 1500;
const DRAIN_MS = 40_000;
/** Longer than a server is usually away, short enough to wait for. */
const RESPONSE_TIMEOUT_SECONDS = 5;

const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 2 ** 31);
const random = createRandom(seed);
const folder = aFolder();
const ledger = new Ledger();
let called = 0;

/** The world outside: what HTTP tasks call. */
const outside = createServer((_request, response) => {
  called++;
  response.setHeader("content-type", "application/json").end('{"called":true}');
});

beforeAll(async () => {
  await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  await lives.kill();
  outside.close();
  removeFolder(folder);
});

/** One server after the other on the same file. */
class Lives {
  #server: ChildServer | undefined;
  #waiting: ((client: Client) => void)[] = [];
  /** How long the slowest start took. */
  slowestMs = 0;

  async begin(): Promise<void> {
    const startedAt = performance.now();
    this.#server = await startChildServer({ folder, settings: { "service.log.level": "info" } });
    this.slowestMs = Math.max(this.slowestMs, Math.round(performance.now() - startedAt));
    for (const resolve of this.#waiting.splice(0)) resolve(this.#server.client);
  }

  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.kill();
  }

  async stop(): Promise<number | null | undefined> {
    const server = this.#server;
    this.#server = undefined;
    return await server?.stop();
  }

  /** The server that is alive now, or the next. */
  client(): Promise<Client> {
    if (this.#server !== undefined) return Promise.resolve(this.#server.client);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Asks until a server answers: an answer that was lost with its server is asked for again. */
  async ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
    for (;;) {
      const client = await this.client();
      try {
        return await question(client);
      } catch (error) {
        if (!isLost(error)) throw error;
        // The process may be dead before its end is known here: its successor is another client.
        if (client === (await this.client())) await this.#died(client);
      }
    }
  }

  async #died(client: Client): Promise<void> {
    while (client === (await this.client())) await new Promise((resolve) => setImmediate(resolve));
  }
}

const lives = new Lives();

/** The connection ended without an answer; anything else is an answer we did not want. */
const isLost = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && error.name === "TimeoutError");

test(`nothing acknowledged is lost over ${KILLS} kills (CRASH_SEED=${seed})`, { timeout: 180_000 }, async () => {
  console.info(`CRASH_SEED=${seed}`);
  await lives.begin();
  await lives.ask(register);
  const isOver = { load: false, work: false };
  const budget = { starts: STARTS_PER_LIFE, refill: Promise.withResolvers<void>() };
  const load = Array.from({ length: STARTERS }, () => startLoad(budget, isOver));
  const work = Array.from({ length: WORKERS }, (_, index) => workLoop(`worker-${index}`, isOver));
  const failed = Promise.all([...load, ...work]);

  for (let life = 1; life <= KILLS; life++) {
    const enough = ledger.more(random.between(3, 110));
    await Promise.race([enough, elapsed(LONGEST_LIFE_MS), failed]);
    // Off the beat of the answers: in the middle of a group, too.
    await elapsed(random.between(0, 8));
    await lives.kill();
    await lives.begin();
    budget.starts = STARTS_PER_LIFE;
    budget.refill.resolve();
    budget.refill = Promise.withResolvers<void>();
  }
  isOver.load = true;
  budget.refill.resolve();
  await Promise.all(load);

  const unfinished = await drain();
  isOver.work = true;
  await Promise.all(work);
  const client = await lives.client();
  await check(client, unfinished);
  expect(await lives.stop()).toBe(0);
});

async function check(client: Client, unfinished: readonly string[]): Promise<void> {
  const { starts, results, logs, definitions, offeredAgain } = ledger;
  console.info(
    `${starts.size} starts, ${results.size} results, ${logs.size} tasks with logs, ${definitions.size} definitions, ${called} calls, slowest start ${lives.slowestMs} ms`,
  );
  expect(starts.size).toBeGreaterThan(KILLS);
  expect(unfinished, "executions that did not complete").toEqual([]);
  expect(offeredAgain, "tasks offered after their end was acknowledged").toEqual([]);

  const names = new Set(((await client.get("/metadata/workflow")).json as Json[]).map((def) => def["name"]));
  expect(
    [...definitions].filter((name) => !names.has(name)),
    "definitions that are lost",
  ).toEqual([]);

  const wrong: unknown[] = [];
  let late = 0;
  for (const [taskId, result] of results) {
    const task = await client.task(taskId);
    const isRecorded =
      task.status === result.status && JSON.stringify(task.outputData) === JSON.stringify(result.outputData);
    if (isRecorded) continue;
    // Its server was away for longer than the response timeout: the task had timed out before the result came.
    const isLate =
      task.status === "TIMED_OUT" &&
      Number(task["endTime"]) <= result.acknowledgedAt &&
      Number(task["endTime"]) - Number(task["startTime"]) >= RESPONSE_TIMEOUT_SECONDS * 1000;
    if (isLate) late++;
    else wrong.push({ taskId, result, status: task.status, outputData: task.outputData });
  }
  expect(wrong, "results that are not recorded as acknowledged").toEqual([]);
  expect(late / results.size, "share of results that came too late").toBeLessThan(0.2);

  const lost: string[] = [];
  for (const [taskId, lines] of logs) {
    const stored = ((await client.get(`/tasks/${taskId}/log`)).json ?? []) as { readonly log: string }[];
    const found = new Set(stored.map(({ log }) => log));
    lost.push(...lines.filter((line) => !found.has(line)));
  }
  expect(lost, "log lines that are lost").toEqual([]);
}

/** Waits until every acknowledged start has ended; gives those that did not complete in time. */
async function drain(): Promise<string[]> {
  const giveUpAt = performance.now() + DRAIN_MS;
  let open = [...ledger.starts];
  while (open.length > 0 && performance.now() < giveUpAt) {
    const client = await lives.client();
    const states = await Promise.all(open.slice(0, 20).map(async (id) => ({ id, status: await statusOf(client, id) })));
    const done = new Set(states.filter(({ status }) => status === "COMPLETED").map(({ id }) => id));
    if (done.size === 0) await elapsed(50);
    const looked = new Set(states.map(({ id }) => id));
    const rest = open.filter((id) => !looked.has(id));
    open = [...rest, ...open.filter((id) => looked.has(id) && !done.has(id))];
  }
  const client = await lives.client();
  return await Promise.all(open.map(async (id) => `${id} ${await statusOf(client, id)}`));
}

async function statusOf(client: Client, id: string): Promise<string> {
  const { status, json, text } = await client.get(`/workflow/${id}/status`);
  return status === 200 ? String((json as Json)["status"]) : `${status} ${text}`;
}

// ---- load

const kinds = ["steps", "fork", "loop", "parent", "pause", "call"] as const;

async function register(client: Client): Promise<void> {
  const inLife = {
    retryCount: 100,
    retryDelaySeconds: 0,
    responseTimeoutSeconds: RESPONSE_TIMEOUT_SECONDS,
    timeoutSeconds: 0,
  };
  await client.registerTasks({ name: "step", ...inLife }, { name: "flaky", ...inLife });
  const { port } = outside.address() as AddressInfo;
  const http_request = { uri: `http://127.0.0.1:${port}/`, method: "GET" };
  await client.register(
    aWorkflow("steps", [simple("step", "a"), simple("flaky", "b"), simple("step", "c")]),
    aWorkflow("fork", [
      entry("FORK_JOIN", "fork", {
        forkTasks: [[simple("step", "x")], [simple("flaky", "y"), simple("step", "y2")], [simple("step", "z")]],
      }),
      entry("JOIN", "join", { joinOn: ["x", "y2", "z"] }),
      simple("step", "after"),
    ]),
    aWorkflow("loop", [
      entry("DO_WHILE", "loop", {
        loopCondition: "if ($.loop['iteration'] < 3) { true; } else { false; }",
        loopOver: [simple("step", "in"), simple("flaky", "in2")],
      }),
    ]),
    aWorkflow("parent", [
      entry("SUB_WORKFLOW", "child", { subWorkflowParam: { name: "steps", version: 1 } }),
      simple("step", "after"),
    ]),
    aWorkflow("pause", [
      simple("step", "before"),
      entry("WAIT", "wait", { inputParameters: { duration: "1 seconds" } }),
      simple("flaky", "after"),
    ]),
    aWorkflow("call", [entry("HTTP", "http", { inputParameters: { http_request } }), simple("step", "after")]),
  );
}

type Over = { load: boolean; work: boolean };
type Budget = { starts: number; refill: PromiseWithResolvers<void> };

/** Starts executions and registers definitions, a bounded number in each life of the server. */
async function startLoad(budget: Budget, isOver: Over): Promise<void> {
  for (let n = 0; !isOver.load; n++) {
    if (budget.starts <= 0) {
      await budget.refill.promise;
      continue;
    }
    budget.starts--;
    const kind = random.pick(kinds);
    ledger.noteStart(
      await lives.ask((client) => client.start(kind, { n, text: "x".repeat(random.pick([10, 500, 5000])) })),
    );
    if (random.isOneIn(8)) {
      const name = `extra_${random.between(1, 2 ** 30)}`;
      await lives.ask((client) => client.register(aWorkflow(name, [simple("step", "a")])));
      ledger.noteDefinition(name);
    }
  }
}

/** Polls and answers until there is nothing left to do. */
async function workLoop(workerId: string, isOver: Over): Promise<void> {
  while (!isOver.work) {
    const type = random.pick(["step", "step", "flaky"]);
    const sentAt = { value: 0 };
    const tasks = await lives.ask((client) => {
      sentAt.value = performance.now();
      return client.poll(type, { count: random.between(1, 6), timeout: 100, workerid: workerId });
    });
    for (const task of tasks) ledger.noteDelivery(task, sentAt.value);
    await Promise.all(tasks.map((task) => answer(task)));
  }
}

async function answer(task: WireTask): Promise<void> {
  const { taskId } = task;
  if (random.isOneIn(4)) {
    const line = `about ${taskId} ${random.between(1, 2 ** 30)}`;
    await lives.ask((client) => client.send("POST", `/tasks/${taskId}/log`, { text: line }));
    ledger.noteLog(taskId, line);
  }
  const isFailure = task.taskType === "flaky" && random.isOneIn(4);
  const status = isFailure ? "FAILED" : "COMPLETED";
  const outputData = { by: taskId, n: random.between(1, 1000), text: "y".repeat(random.pick([0, 100, 1000, 20_000])) };
  const line = `result of ${taskId} ${random.between(1, 2 ** 30)}`;
  const logs = random.isOneIn(3) ? [{ log: line, createdTime: Date.now() }] : [];
  await lives.ask((client) =>
    client.update(task, { status, outputData, logs, ...(isFailure ? { reasonForIncompletion: "flaky" } : {}) }),
  );
  ledger.noteResult(taskId, { status, outputData, acknowledgedAt: Date.now() });
  if (logs.length > 0) ledger.noteLog(taskId, line);
}

const elapsed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
