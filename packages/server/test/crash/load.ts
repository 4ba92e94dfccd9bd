import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import type { Client, Json, WireTask } from "../support/client.ts";
import { aWorkflow, entry, simple } from "../support/definitions.ts";
import { Ledger } from "./ledger.ts";
import type { Random } from "./random.ts";

const STARTERS = 4;
const WORKERS = 6;
const DRAIN_MS = 40_000;
/** Longer than a server is usually away, short enough to wait for. */
const RESPONSE_TIMEOUT_SECONDS = 5;

/** Servers that come and go. */
export type Servers = {
  /** One that is alive now, or the next. */
  client(): Promise<Client>;
  /** Asks until one answers: an answer that was lost with its server is asked for again. */
  ask<T>(question: (client: Client) => Promise<T>): Promise<T>;
};

/** The connection ended without an answer; anything else is an answer we did not want. */
export const isLost = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && error.name === "TimeoutError");

export const elapsed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Everything a search finds, page by page. */
export async function everything<T>(client: Client, path: string): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const { json } = await client.get(`${path}&start=${found.length}&size=1000`);
    const { totalHits, results } = json as { totalHits: number; results: T[] };
    found.push(...results);
    if (found.length >= totalHits || results.length === 0) return found;
  }
}

const kinds = ["steps", "fork", "loop", "parent", "pause", "call"] as const;

/** Starts, works and writes down what was acknowledged, while servers die; then checks that all of it is there. */
export class Load {
  readonly ledger = new Ledger();
  readonly #servers: Servers;
  readonly #random: Random;
  readonly #isOver = { load: false, work: false };
  #budget = 0;
  #refill = Promise.withResolvers<void>();
  #called = 0;
  #starters: readonly Promise<void>[] = [];
  #workers: readonly Promise<void>[] = [];
  /** The world outside: what HTTP tasks call. */
  readonly #outside = createServer((_request, response) => {
    this.#called++;
    response.setHeader("content-type", "application/json").end('{"called":true}');
  });

  constructor(servers: Servers, random: Random) {
    this.#servers = servers;
    this.#random = random;
  }

  /** Rejects when something goes wrong with the load itself. */
  async begin(): Promise<{ readonly failed: Promise<unknown> }> {
    await new Promise<void>((resolve) => this.#outside.listen(0, "127.0.0.1", resolve));
    await this.#servers.ask((client) => this.#register(client));
    this.#starters = Array.from({ length: STARTERS }, () => this.#startLoad());
    this.#workers = Array.from({ length: WORKERS }, (_, index) => this.#workLoop(`worker-${index}`));
    return { failed: Promise.all([...this.#starters, ...this.#workers]) };
  }

  /** So many more starts from now on. */
  allow(starts: number): void {
    this.#budget = starts;
    this.#refill.resolve();
    this.#refill = Promise.withResolvers<void>();
  }

  /** No more starts; waits until everything has ended, or nothing ends any more, and checks. */
  async finish(leastStarts: number): Promise<void> {
    this.#isOver.load = true;
    this.allow(0);
    await Promise.all(this.#starters);
    const unfinished = await this.#drain();
    this.#isOver.work = true;
    await Promise.all(this.#workers);
    expect(this.ledger.starts.size).toBeGreaterThan(leastStarts);
    await this.#check(await this.#servers.client(), unfinished);
  }

  close(): void {
    this.#outside.close();
  }

  async #check(client: Client, unfinished: readonly string[]): Promise<void> {
    const { starts, results, logs, definitions, offeredAgain, deliveredTwice } = this.ledger;
    console.info(
      `${starts.size} starts, ${results.size} results, ${logs.size} tasks with logs, ${definitions.size} definitions, ${this.#called} calls`,
    );
    expect(unfinished, "executions that did not complete").toEqual([]);
    expect(offeredAgain, "tasks offered after their end was acknowledged").toEqual([]);
    expect(deliveredTwice, "tasks given to two workers").toEqual([]);

    const names = new Set(((await client.get("/metadata/workflow")).json as Json[]).map((def) => def["name"]));
    const lostNames = [...definitions].filter((name) => !names.has(name));
    expect(lostNames, "definitions that are lost").toEqual([]);
    await this.#checkResults(client);
    await this.#checkLogs(client);
  }

  async #checkResults(client: Client): Promise<void> {
    const { results } = this.ledger;
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
  }

  async #checkLogs(client: Client): Promise<void> {
    const lost: string[] = [];
    for (const [taskId, lines] of this.ledger.logs) {
      const stored = ((await client.get(`/tasks/${taskId}/log`)).json ?? []) as { readonly log: string }[];
      const found = new Set(stored.map(({ log }) => log));
      lost.push(...lines.filter((line) => !found.has(line)));
    }
    expect(lost, "log lines that are lost").toEqual([]);
  }

  /** Waits until every acknowledged start has ended; gives those that did not complete in time. */
  async #drain(): Promise<string[]> {
    const giveUpAt = performance.now() + DRAIN_MS;
    let open = [...this.ledger.starts];
    while (open.length > 0 && performance.now() < giveUpAt) {
      const client = await this.#servers.client();
      const states = await Promise.all(
        open.slice(0, 20).map(async (id) => ({ id, status: await statusOf(client, id) })),
      );
      const done = new Set(states.filter(({ status }) => status === "COMPLETED").map(({ id }) => id));
      if (done.size === 0) await elapsed(50);
      const looked = new Set(states.map(({ id }) => id));
      const rest = open.filter((id) => !looked.has(id));
      open = [...rest, ...open.filter((id) => looked.has(id) && !done.has(id))];
    }
    const client = await this.#servers.client();
    return await Promise.all(open.map(async (id) => `${id} ${await statusOf(client, id)}`));
  }

  async #register(client: Client): Promise<void> {
    const inLife = {
      retryCount: 100,
      retryDelaySeconds: 0,
      responseTimeoutSeconds: RESPONSE_TIMEOUT_SECONDS,
      timeoutSeconds: 0,
    };
    await client.registerTasks({ name: "step", ...inLife }, { name: "flaky", ...inLife });
    const { port } = this.#outside.address() as AddressInfo;
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

  /** Starts executions and registers definitions, as many as are allowed. */
  async #startLoad(): Promise<void> {
    const random = this.#random;
    for (let n = 0; !this.#isOver.load; n++) {
      if (this.#budget <= 0) {
        await this.#refill.promise;
        continue;
      }
      this.#budget--;
      const kind = random.pick(kinds);
      const input = { n, text: "x".repeat(random.pick([10, 500, 5000])) };
      this.ledger.noteStart(await this.#servers.ask((client) => client.start(kind, input)));
      if (!random.isOneIn(8)) continue;
      const name = `extra_${random.between(1, 2 ** 30)}`;
      await this.#servers.ask((client) => client.register(aWorkflow(name, [simple("step", "a")])));
      this.ledger.noteDefinition(name);
    }
  }

  /** Polls and answers until there is nothing left to do. */
  async #workLoop(workerId: string): Promise<void> {
    const random = this.#random;
    while (!this.#isOver.work) {
      const type = random.pick(["step", "step", "flaky"]);
      const sentAt = { value: 0 };
      const tasks = await this.#servers.ask((client) => {
        sentAt.value = performance.now();
        return client.poll(type, { count: random.between(1, 6), timeout: 100, workerid: workerId });
      });
      for (const task of tasks) this.ledger.noteDelivery(task, sentAt.value);
      await Promise.all(tasks.map((task) => this.#answer(task)));
    }
  }

  async #answer(task: WireTask): Promise<void> {
    const { taskId } = task;
    const random = this.#random;
    if (random.isOneIn(4)) {
      const line = `about ${taskId} ${random.between(1, 2 ** 30)}`;
      await this.#servers.ask((client) => client.send("POST", `/tasks/${taskId}/log`, { text: line }));
      this.ledger.noteLog(taskId, line);
    }
    const isFailure = task.taskType === "flaky" && random.isOneIn(4);
    const status = isFailure ? "FAILED" : "COMPLETED";
    const text = "y".repeat(random.pick([0, 100, 1000, 20_000]));
    const outputData = { by: taskId, n: random.between(1, 1000), text };
    const line = `result of ${taskId} ${random.between(1, 2 ** 30)}`;
    const logs = random.isOneIn(3) ? [{ log: line, createdTime: Date.now() }] : [];
    await this.#servers.ask((client) =>
      client.update(task, { status, outputData, logs, ...(isFailure ? { reasonForIncompletion: "flaky" } : {}) }),
    );
    this.ledger.noteResult(taskId, { status, outputData, acknowledgedAt: Date.now() });
    if (logs.length > 0) this.ledger.noteLog(taskId, line);
  }
}

async function statusOf(client: Client, id: string): Promise<string> {
  const { status, json, text } = await client.get(`/workflow/${id}/status`);
  return status === 200 ? String((json as Json)["status"]) : `${status} ${text}`;
}
