import { Worker } from "node:worker_threads";
import { RawJson } from "@downbeat/engine";
import type { FoundExecution, FoundTask, ScheduleRun, SearchPage, SearchReads } from "../port.ts";
import type { ExecutionHit, TaskHit } from "./search-hits.ts";
import type { Page } from "./search-queries.ts";
import type { SearchAnswer, SearchQuestion } from "./search-thread.ts";

/** A search took too long and was given up. A narrower one may do. */
export class SearchTimeout extends Error {
  override name = "SearchTimeout";

  constructor(timeoutMs: number) {
    super(`The search was given up after ${timeoutMs} ms: narrow it down, by time or by type for instance`);
  }
}

export type SearcherOptions = {
  readonly path: string;
  readonly timeoutMs: number;
  /** Resolves when every commit made so far can be found. */
  readonly project: () => Promise<void>;
};

const LONGEST_LINE_MS = 30_000;
/** How long a search waits for the index to reach the commits made before it. */
const FRESHNESS_MS = 1000;

type Pending = {
  readonly question: SearchQuestion;
  readonly askedAt: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

/** This side of the search thread: one question at a time, the others wait in line. */
export class Searcher implements SearchReads {
  readonly #options: SearcherOptions;
  readonly #line: Pending[] = [];
  #asked: Pending | undefined;
  #worker: Worker | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Threads that were given up and may still be on their way out. */
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: SearcherOptions) {
    this.#options = options;
  }

  workflows: SearchReads["workflows"] = async (search) =>
    toPage((await this.#ask({ kind: "workflows", search })) as Page<ExecutionHit>, toExecution);

  tasks: SearchReads["tasks"] = async (search) =>
    toPage((await this.#ask({ kind: "tasks", search })) as Page<TaskHit>, toTask);

  workflowsByTasks: SearchReads["workflowsByTasks"] = async (search) =>
    toPage((await this.#ask({ kind: "workflowsByTasks", search })) as Page<ExecutionHit>, toExecution);

  workflowIds: SearchReads["workflowIds"] = async (wanted, after, limit) =>
    (await this.#ask({ kind: "workflowIds", wanted, after, limit })) as readonly string[];

  countWorkflows: SearchReads["countWorkflows"] = async (wanted) =>
    (await this.#ask({ kind: "countWorkflows", wanted })) as number;

  runs: SearchReads["runs"] = async (search) => (await this.#ask({ kind: "runs", search })) as SearchPage<ScheduleRun>;

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#line.splice(0)) reject(closed());
    this.#endThread(closed());
    await this.#ended;
  }

  async #ask(question: SearchQuestion): Promise<unknown> {
    if (this.#isClosed) throw closed();
    await within(FRESHNESS_MS, this.#options.project());
    if (this.#isClosed) throw closed();
    return new Promise((resolve, reject) => {
      const pending: Pending = { question, resolve, reject, askedAt: performance.now() };
      this.#line.push(pending);
      this.#next();
    });
  }

  #next(): void {
    if (this.#asked !== undefined) return;
    const next = this.#line.shift();
    if (next === undefined) return;
    if (performance.now() - next.askedAt > LONGEST_LINE_MS) {
      // Too many slow ones before it: whoever asked has most likely gone.
      next.reject(new SearchTimeout(this.#options.timeoutMs));
      this.#next();
      return;
    }
    this.#asked = next;
    if (this.#worker === undefined) this.#worker = this.#startThread();
    else this.#send(this.#worker);
  }

  #send(worker: Worker): void {
    const { timeoutMs } = this.#options;
    this.#deadline = setTimeout(() => this.#endThread(new SearchTimeout(timeoutMs)), timeoutMs);
    worker.postMessage(this.#asked?.question);
  }

  #startThread(): Worker {
    const { path } = this.#options;
    const worker = new Worker(new URL("./search-thread.ts", import.meta.url), { workerData: { path } });
    worker.on("message", (answer: SearchAnswer) => {
      if (worker !== this.#worker) return;
      if (answer === "ready") this.#send(worker);
      else if ("error" in answer) this.#finish(({ reject }) => reject(new Error(`The search failed: ${answer.error}`)));
      else this.#finish(({ resolve }) => resolve(answer.result));
    });
    worker.on("error", (error: unknown) => {
      if (worker === this.#worker) this.#endThread(new Error("The search thread failed", { cause: error }));
    });
    // It only reads: nothing is lost when the process ends without it.
    worker.unref();
    return worker;
  }

  /** The question it is at fails with the error; the next one gets a thread of its own. */
  #endThread(error: Error): void {
    this.#ended = Promise.all([this.#ended, this.#worker?.terminate()]);
    this.#worker = undefined;
    this.#finish(({ reject }) => reject(error));
  }

  #finish(tell: (asked: Pending) => void): void {
    clearTimeout(this.#deadline);
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked !== undefined) tell(asked);
    this.#next();
  }
}

const closed = (): Error => new Error("The store is closed");

async function within(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
}

const toPage = <Hit, Found>({ totalHits, results }: Page<Hit>, read: (hit: Hit) => Found): SearchPage<Found> => ({
  totalHits,
  results: results.map(read),
});

const toExecution = (hit: ExecutionHit): FoundExecution => ({
  ...hit,
  input: new RawJson(hit.input),
  output: new RawJson(hit.output),
  variables: new RawJson(hit.variables),
});

const toTask = (hit: TaskHit): FoundTask => ({
  ...hit,
  input: new RawJson(hit.input),
  output: new RawJson(hit.output),
});
