export type Json = Record<string, unknown>;

/** What a test reads of a task; the rest is there too. */
export type WireTask = Json & {
  readonly taskId: string;
  readonly workflowInstanceId: string;
  readonly referenceTaskName: string;
  readonly taskType: string;
  readonly status: string;
  readonly inputData: Json;
  readonly outputData: Json;
  readonly retryCount: number;
  readonly pollCount: number;
  readonly seq: number;
  readonly subWorkflowId?: string;
  readonly reasonForIncompletion?: string;
};

export type WireExecution = Json & {
  readonly workflowId: string;
  readonly status: string;
  readonly input: Json;
  readonly output: Json;
  readonly variables: Json;
  readonly tasks: readonly WireTask[];
  readonly reasonForIncompletion?: string;
};

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON; undefined when it is none. */
  readonly json: unknown;
};

export type Sent = {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

const ENDED = new Set(["COMPLETED", "FAILED", "TIMED_OUT", "TERMINATED"]);
const DEADLINE_MS = 10_000;

/** Speaks the interface to a server, as a worker and as a caller would. */
export class Client {
  /** Ends in /api. */
  readonly base: string;
  readonly #bases: readonly string[];
  #sent = 0;

  /** Of several servers, each is asked in turn. */
  constructor(...bases: readonly [string, ...string[]]) {
    this.base = bases[0];
    this.#bases = bases;
  }

  async send(method: string, path: string, { body, text, headers = {}, signal }: Sent = {}): Promise<Answer> {
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const base = this.#bases[this.#sent++ % this.#bases.length] ?? this.base;
    const response = await fetch(base + path, {
      method,
      headers: { ...(payload === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(payload === undefined ? {} : { body: payload }),
      signal: signal ?? AbortSignal.timeout(15_000),
    });
    const answered = await response.text();
    return { status: response.status, headers: response.headers, text: answered, json: readJson(answered) };
  }

  get = (path: string): Promise<Answer> => this.send("GET", path);
  post = (path: string, body?: unknown): Promise<Answer> => this.send("POST", path, { body });
  put = (path: string, body?: unknown): Promise<Answer> => this.send("PUT", path, { body });
  delete = (path: string): Promise<Answer> => this.send("DELETE", path);

  /** Registers workflow definitions, existing ones anew. */
  async register(...defs: readonly Json[]): Promise<void> {
    accepted(await this.put("/metadata/workflow", defs));
  }

  async registerTasks(...defs: readonly Json[]): Promise<void> {
    accepted(await this.post("/metadata/taskdefs", defs));
  }

  /** Starts an execution; gives its id. */
  async start(name: string, input: Json = {}, more: Json = {}): Promise<string> {
    return accepted(await this.post("/workflow", { name, input, ...more })).text;
  }

  async poll(taskType: string, query: Readonly<Record<string, string | number>> = {}): Promise<readonly WireTask[]> {
    const parts = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    const path = `/tasks/poll/batch/${encodeURIComponent(taskType)}?${parts.join("&")}`;
    return accepted(await this.get(path)).json as WireTask[];
  }

  /** One task of this type, within a few seconds. */
  async take(taskType: string, query: Readonly<Record<string, string | number>> = {}): Promise<WireTask> {
    const [task] = await this.poll(taskType, { timeout: 5000, ...query });
    if (task === undefined) throw new Error(`Expected a task of type ${taskType} within 5 s, got none`);
    return task;
  }

  async update(task: WireTask, result: Json): Promise<Answer> {
    const { workflowInstanceId, taskId } = task;
    return accepted(await this.post("/tasks", { workflowInstanceId, taskId, ...result }));
  }

  complete = (task: WireTask, outputData: Json = {}): Promise<Answer> =>
    this.update(task, { status: "COMPLETED", outputData });

  fail = (task: WireTask, reasonForIncompletion = "failed by the test"): Promise<Answer> =>
    this.update(task, { status: "FAILED", reasonForIncompletion });

  async execution(id: string): Promise<WireExecution> {
    return accepted(await this.get(`/workflow/${id}`)).json as WireExecution;
  }

  async task(taskId: string): Promise<WireTask> {
    return accepted(await this.get(`/tasks/${taskId}`)).json as WireTask;
  }

  /** The execution once there is one of this id and it has ended: a child's id is known before the child. */
  ended = (id: string): Promise<WireExecution> => this.until(id, ({ status }) => ENDED.has(status));

  /** The execution once it is as asked. */
  until(id: string, isSo: (execution: WireExecution) => boolean): Promise<WireExecution> {
    return eventually(async () => {
      const { status, json } = await this.get(`/workflow/${id}`);
      const execution = json as WireExecution;
      return status === 200 && isSo(execution) ? execution : undefined;
    });
  }
}

/**
 * The first answer that is not undefined. For what the interface cannot be asked to wait for; looks again as soon as
 * the last look is answered.
 */
export async function eventually<T>(look: () => Promise<T | undefined>, deadlineMs = DEADLINE_MS): Promise<T> {
  const giveUpAt = performance.now() + deadlineMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > giveUpAt) throw new Error(`Expected it within ${deadlineMs} ms, and it did not come`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function accepted(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`Expected success, got ${answer.status} ${answer.text}`);
  return answer;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not every answer is JSON; a test that expects it sees undefined.
    return undefined;
  }
}
