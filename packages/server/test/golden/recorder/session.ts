import { randomBytes } from "node:crypto";
import type { WireExecution, WireTask } from "../../support/client.ts";
import { Normaliser } from "./normalise.ts";

type Json = Record<string, unknown>;

export type Answer = {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
  /** The text as JSON; undefined when it is none. */
  readonly json: unknown;
  readonly elapsedMs: number;
};

type Sent = {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly text?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

type Recorded = Sent & {
  /** Sees the answer before it is written down: to give names to the ids in it. */
  readonly after?: (answer: Answer) => void;
  /** What is written down instead of the answer's body. */
  readonly shape?: (answer: Answer) => unknown;
  /** What is written down of the time it took. */
  readonly timed?: (elapsedMs: number) => unknown;
};

type IsSo = (execution: WireExecution) => boolean;

export type SessionOptions = {
  /** Of the server, ending in /api. */
  readonly base: string;
  readonly upstream: string;
  /** Waits as long as a server needs that evaluates its executions now and then. */
  readonly isPatient: boolean;
};

const OWNER = "owner@example.com";
const ANSWER_WITHIN_MS = 40_000;
const LONG_TEXT = 2000;
const ENDED = new Set(["COMPLETED", "FAILED", "TERMINATED", "TIMED_OUT"]);

/** One group being recorded: its names, the ids it has seen, and what it has written down. */
export class Session {
  readonly records: object[] = [];
  /** Every name of the session begins with it, and with no other session's; it is written as "gold". */
  readonly prefix = `g${randomBytes(3).toString("hex")}q`;
  readonly upstream: string;
  readonly origin: string;
  readonly #base: string;
  readonly #isPatient: boolean;
  readonly #normaliser: Normaliser;

  constructor({ base, upstream, isPatient }: SessionOptions) {
    this.#base = base;
    this.origin = new URL(base).origin;
    this.upstream = upstream;
    this.#isPatient = isPatient;
    this.#normaliser = new Normaliser([
      [this.prefix, "gold"],
      [upstream, "<mock>"],
      [base, "<base>"],
      [this.origin, "<origin>"],
    ]);
  }

  // What a definition looks like here.

  name = (stem: string): string => `${this.prefix}_${stem}`;

  workflow = (stem: string, tasks: readonly Json[], more: Json = {}): Json & { readonly name: string } => ({
    name: this.name(stem),
    version: 1,
    schemaVersion: 2,
    ownerEmail: OWNER,
    timeoutSeconds: 0,
    timeoutPolicy: "ALERT_ONLY",
    tasks,
    ...more,
  });

  taskDef = (stem: string, more: Json = {}): Json => ({
    name: this.name(stem),
    ownerEmail: OWNER,
    retryCount: 0,
    timeoutSeconds: 0,
    responseTimeoutSeconds: 60,
    ...more,
  });

  simple = (stem: string, ref: string, inputParameters: Json = {}, more: Json = {}): Json =>
    entry("SIMPLE", ref, { name: this.name(stem), inputParameters, ...more });

  // Writing down.

  label = (id: unknown, label: string): void => this.#normaliser.label(id, label);
  normal = (value: unknown): unknown => this.#normaliser.value(value);

  labelTasks = (execution: unknown): void => {
    for (const task of (execution as Partial<WireExecution> | undefined)?.tasks ?? []) this.labelTask(task);
  };

  labelTask = ({ taskId, referenceTaskName, retryCount }: WireTask): void =>
    this.label(taskId, `task:${referenceTaskName}${retryCount > 0 ? `#${retryCount}` : ""}`);

  write(...records: readonly object[]): void {
    this.records.push(...records);
  }

  /** Sends a request and writes down the exchange. A path that is a whole URL is taken as it is. */
  record = async (name: string, method: string, path: string, options: Recorded = {}): Promise<Answer> => {
    const answer = await this.send(method, path, options);
    options.after?.(answer);
    const { headers, contentType, text, body, shape, timed } = options;
    this.write({
      name,
      method,
      path: this.#normaliser.text(path.startsWith("/") ? `/api${path}` : path),
      ...(headers === undefined ? {} : { requestHeaders: this.normal(headers) }),
      ...(contentType === undefined ? {} : { requestContentType: contentType }),
      ...(text === undefined ? {} : { requestText: this.normal(text) }),
      ...(body === undefined ? {} : { requestBody: this.normal(body) }),
      status: answer.status,
      contentType: answer.contentType,
      ...(shape === undefined ? this.#bodyOf(answer) : { response: shape(answer) }),
      ...(timed === undefined ? {} : { elapsedAbove: timed(answer.elapsedMs) }),
    });
    return answer;
  };

  #bodyOf({ json, contentType, text }: Answer): Json {
    if (json !== undefined && contentType?.includes("json") === true) return { responseBody: this.normal(json) };
    if (text === "") return {};
    const short = text.length > LONG_TEXT ? `${text.slice(0, 400)}... <${text.length} characters>` : text;
    return { responseText: this.#normaliser.text(short) };
  }

  // What happens between the records.

  send = async (
    method: string,
    path: string,
    { body, text, contentType, headers = {} }: Sent = {},
  ): Promise<Answer> => {
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const startedAt = performance.now();
    const response = await fetch(path.startsWith("/") ? this.#base + path : path, {
      method,
      headers: {
        accept: "*/*",
        ...(payload === undefined ? {} : { "content-type": contentType ?? "application/json" }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      redirect: "manual",
    });
    const answered = await response.text();
    return {
      status: response.status,
      contentType: response.headers.get("content-type"),
      text: answered,
      json: readJson(answered),
      elapsedMs: performance.now() - startedAt,
    };
  };

  registerTasks = async (...defs: readonly Json[]): Promise<void> => {
    accepted(await this.send("POST", "/metadata/taskdefs", { body: defs }));
  };

  register = async (...defs: readonly Json[]): Promise<void> => {
    accepted(await this.send("PUT", "/metadata/workflow", { body: defs }));
  };

  start = async (stem: string, input: Json = {}, more: Json = {}, label = stem): Promise<string> => {
    const body = { name: this.name(stem), version: 1, input, ...more };
    const { text } = accepted(await this.send("POST", "/workflow", { body }));
    this.label(text, label);
    return text;
  };

  execution = async (id: string): Promise<WireExecution> =>
    (await this.send("GET", `/workflow/${id}?includeTasks=true`)).json as WireExecution;

  recordExecution = (name: string, id: string): Promise<Answer> =>
    this.record(name, "GET", `/workflow/${id}?includeTasks=true`);

  /** The execution once it is there and as asked, or as it is when the time is over; its tasks have labels then. */
  until = async (id: string, isSo: IsSo, withinMs?: number): Promise<WireExecution> => {
    const execution = await this.#wait(id, isSo, withinMs);
    this.labelTasks(execution);
    return execution;
  };

  async #wait(id: string, isSo: IsSo, withinMs = this.patience(60_000, 10_000)): Promise<WireExecution> {
    const giveUpAt = performance.now() + withinMs;
    for (;;) {
      const { status, json } = await this.send("GET", `/workflow/${id}?includeTasks=true`);
      const execution = json as WireExecution;
      if ((status === 200 && isSo(execution)) || performance.now() > giveUpAt) return execution;
      await sleep(this.#isPatient ? 100 : 20);
    }
  }

  ended = (id: string, withinMs?: number): Promise<WireExecution> =>
    this.until(id, ({ status }) => ENDED.has(status), withinMs);

  untilTask = (id: string, ref: string, status: string, withinMs?: number): Promise<WireExecution> =>
    this.until(
      id,
      ({ tasks }) => tasks.some((task) => task.referenceTaskName === ref && task.status === status),
      withinMs,
    );

  /** The id of the child that a SUB_WORKFLOW as first task started, once there is such an execution. */
  child = async (parentId: string): Promise<string> => {
    const { tasks } = await this.until(parentId, ({ tasks: [first] }) => first?.subWorkflowId !== undefined);
    const id = String(tasks[0]?.subWorkflowId);
    await this.#wait(id, () => true);
    return id;
  };

  /** Time for the server to get there by itself. Ours is there when it has answered, so only the patient wait. */
  settle = async (ms: number): Promise<void> => {
    if (this.#isPatient) await sleep(ms);
  };

  /** The time a record waits in vain is cut short for a server that does at once what it does at all. */
  patience = (ms: number, impatientMs: number): number => (this.#isPatient ? ms : impatientMs);

  take = async (stem: string, withinMs = 8000): Promise<WireTask> => {
    const giveUpAt = performance.now() + withinMs;
    for (;;) {
      const { status, json } = await this.send("GET", `/tasks/poll/${this.name(stem)}?workerid=w1`);
      if (status === 200) {
        this.labelTask(json as WireTask);
        return json as WireTask;
      }
      if (performance.now() > giveUpAt) throw new Error(`Expected a task of ${stem} within ${withinMs} ms, got none`);
      await sleep(20);
    }
  };

  update = async (task: WireTask, status: string, outputData: Json = {}, more: Json = {}): Promise<void> => {
    accepted(await this.send("POST", "/tasks", { body: result(task, status, outputData, more) }));
  };

  finish = async (stem: string, status = "COMPLETED", outputData: Json = {}, more: Json = {}): Promise<void> =>
    this.update(await this.take(stem), status, outputData, more);
}

export const entry = (type: string, ref: string, more: Json = {}): Json => ({
  name: ref,
  taskReferenceName: ref,
  type,
  ...more,
});

export const result = (task: WireTask | undefined, status: string, outputData: Json = {}, more: Json = {}): Json => ({
  workflowInstanceId: task?.workflowInstanceId,
  taskId: task?.taskId,
  workerId: "w1",
  status,
  outputData,
  ...more,
});

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** An id no server has given away. */
export const nobody = "00000000-0000-4000-8000-000000000000";

function accepted(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`Expected success, got ${answer.status} ${answer.text}`);
  return answer;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Ids and versions are answered as plain text.
    return undefined;
  }
}
