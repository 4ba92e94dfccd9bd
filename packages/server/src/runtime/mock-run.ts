import {
  isTerminal,
  isWorkflowTerminal,
  type JsonObject,
  RawJson,
  type ResultStatus,
  type Task,
} from "@downbeat/engine";
import type { Runtime } from "./runtime.ts";

/** How a task is to end in a test. */
export type Mock = {
  readonly status: ResultStatus;
  readonly output: JsonObject;
  /** Milliseconds the task is taken to have run, and to have waited before. */
  readonly executionTime: number;
  readonly queueWaitTime: number;
};

export type Mocks = {
  /** By reference name; each attempt and each iteration takes the next. */
  readonly tasks: Map<string, Mock[]>;
  /** Of sub-workflows, by the reference name of their task. */
  readonly children: ReadonlyMap<string, Mocks>;
};

const noMocks: Mocks = { tasks: new Map(), children: new Map() };

/** A definition that loops for ever on its mocks is not followed for ever. */
const MOST_RESULTS = 20_000;

/** Ends the open tasks of an execution by their mocks until it has ended, or none of its open tasks has one left. */
export async function runWithMocks(runtime: Runtime, id: string, mocks: Mocks, deadlineMs: number): Promise<void> {
  const watched = new Map<string, () => void>();
  let wake = () => {};
  const deadline = AbortSignal.any([AbortSignal.timeout(deadlineMs), runtime.stopping]);
  deadline.addEventListener("abort", () => wake(), { once: true });
  const player = new Player(runtime, async (visited) => {
    if (!watched.has(visited)) watched.set(visited, await runtime.feed.watch(visited, () => wake()));
  });
  try {
    while (!deadline.aborted && player.results < MOST_RESULTS) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const next = await player.play(id, mocks);
      if (next === "stands") return;
      // What it did itself is committed; what others do (a script, a child's start) is waited for.
      if (next === "moves") await changed;
    }
  } finally {
    for (const end of watched.values()) end();
  }
}

/** played: look again at once. moves: something is under way by itself. stands: nothing more will happen. */
type Progress = "played" | "moves" | "stands";

class Player {
  readonly #runtime: Runtime;
  readonly #onVisit: (id: string) => Promise<void>;
  results = 0;

  constructor(runtime: Runtime, onVisit: (id: string) => Promise<void>) {
    this.#runtime = runtime;
    this.#onVisit = onVisit;
  }

  async play(id: string, mocks: Mocks): Promise<Progress> {
    const runtime = this.#runtime;
    await this.#onVisit(id);
    const head = await runtime.loadHead(id);
    if (head === undefined) return "moves";
    if (isWorkflowTerminal(head.status)) return "stands";
    let progress: Progress = "stands";
    const note = (other: Progress) => {
      if (other === "played" || (other === "moves" && progress === "stands")) progress = other;
    };
    const open = await runtime.store.executions.open(head, Number.MAX_SAFE_INTEGER);
    for (const task of [...open].sort((a, b) => a.seq - b.seq)) {
      if (task.taskType === "SUB_WORKFLOW") note(await this.#playChild(task, mocks));
      else if (await this.#playTask(id, task, mocks)) note("played");
      else if (runtime.isInstant(task.taskType)) note("moves");
    }
    return progress;
  }

  async #playChild(task: Task, mocks: Mocks): Promise<Progress> {
    if (task.subWorkflowId === undefined) return "moves";
    const progress = await this.play(task.subWorkflowId, mocks.children.get(task.ref) ?? noMocks);
    const child = await this.#runtime.loadHead(task.subWorkflowId);
    // An ended child has sent word to its parent.
    return child !== undefined && isWorkflowTerminal(child.status) ? "moves" : progress;
  }

  async #playTask(id: string, { no, ref }: Task, mocks: Mocks): Promise<boolean> {
    const mock = mocks.tasks.get(ref)?.shift();
    if (mock === undefined) return false;
    this.results++;
    const { status, output, executionTime, queueWaitTime } = mock;
    const isTimed = executionTime > 0 || queueWaitTime > 0;
    await this.#runtime.dispatch(id, {
      kind: "task-result",
      no,
      result: { status, output: new RawJson(JSON.stringify(output)), outputMode: "replace" },
      ...(isTimed ? { pretends: { executionMs: executionTime, queueWaitMs: queueWaitTime } } : {}),
    });
    const after = await this.#runtime.findTask(id, no);
    return after === undefined || isTerminal(after.status) || status === "IN_PROGRESS";
  }
}
