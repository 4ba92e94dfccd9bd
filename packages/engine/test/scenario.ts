import fc from "fast-check";
import { type Event, isTerminal, RawJson, type Task, type TaskResult } from "../src/index.ts";
import type { WorkflowBuilder } from "./builders.ts";
import { generatedChildren, generatedTaskDefs } from "./generate.ts";
import type { StoredExecution } from "./stored-execution.ts";
import { digest, executionId, World, type WorldOptions } from "./world.ts";

/** One thing that happens. `pick` chooses the execution, the task, the message: whatever there is at that time. */
export type Step = { readonly kind: (typeof stepKinds)[number]; readonly pick: number };

const stepKinds = [
  "complete",
  "complete",
  "complete",
  "complete",
  "fail",
  "fail",
  "terminal-error",
  "progress",
  "claim",
  "claim",
  "advance-little",
  "advance-much",
  "deliver",
  "deliver",
  "deliver",
  "late-result",
  "stray-timer",
  "extend",
  "pause",
  "resume",
  "resume",
  "retry",
  "retry-deep",
  "restart",
  "rerun",
  "rerun-all",
  "terminate",
  "skip",
  "jump",
  "reset-callbacks",
  "decide",
  "message",
  "message",
  "start-again",
  "admit",
] as const;

export const generatedSteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...stepKinds), pick: fc.nat(1000) }),
  { maxLength: 25, size: "max" },
);

export type Scenario = {
  readonly workflow: WorkflowBuilder["def"];
  readonly steps: readonly Step[];
  readonly input: { readonly way: string };
  /** The execution has to wait for a slot of its rateLimitConfig. */
  readonly isGated: boolean;
  /** At every n-th call the process dies before its commit; 0: never. Every other caller does not ask again. */
  readonly crashEvery: number;
};

export type MakeWorld = (options: WorldOptions) => World;

/** Plays a scenario to its end and lets everything that is open come to an end. */
export function play(scenario: Scenario, makeWorld: MakeWorld = (options) => new World(options)): World {
  const world = makeWorld({ taskDefs: generatedTaskDefs, workflows: generatedChildren });
  const player = new Player(world, scenario);
  player.start();
  for (const step of scenario.steps) player.step(step);
  player.drain();
  return world;
}

class Player {
  readonly #world: World;
  readonly #scenario: Scenario;
  readonly #start: Event & { kind: "start" };
  #applied = 0;
  #messages = 0;

  constructor(world: World, scenario: Scenario) {
    this.#world = world;
    this.#scenario = scenario;
    const pinned = world.register(scenario.workflow);
    this.#start = {
      kind: "start",
      id: executionId(digest("root")),
      defHash: pinned.hash,
      workflowName: pinned.name,
      workflowVersion: pinned.version,
      input: new RawJson(JSON.stringify(scenario.input)),
      ...(scenario.isGated ? { waitsForSlot: true, rateLimitKey: "key" } : {}),
    };
  }

  start(): void {
    this.#apply(this.#start.id, this.#start);
  }

  step({ kind, pick }: Step): void {
    const [id, stored] = choose([...this.#world.executions], pick);
    const seed = Math.floor(pick / 7);
    const tasks = stored.allTasks();
    const open = tasks.filter((task) => !isTerminal(task.status) && isLeaf(task));
    switch (kind) {
      case "complete":
      case "fail":
      case "terminal-error":
      case "progress":
        if (open.length > 0) this.#report(id, choose(open, seed), resultOf(kind, seed));
        break;
      case "late-result":
        if (tasks.length > 0) this.#report(id, choose(tasks, seed), resultOf("complete", seed));
        break;
      case "claim": {
        const ready = [...stored.work].filter(([no, work]) => no !== 0 && work.state === "ready");
        if (ready.length > 0) this.#world.claim(id, choose(ready, seed)[0]);
        break;
      }
      case "advance-little":
        this.#advance((pick % 5) * 1000 + 500);
        break;
      case "advance-much":
        this.#advance((pick % 50) * 1000);
        break;
      case "deliver":
        this.#world.deliverOne(pick);
        break;
      case "stray-timer":
        if (tasks.length > 0) this.#apply(id, { kind: "timer", no: choose([{ no: 0 }, ...tasks], seed).no });
        break;
      case "extend":
        if (open.length > 0) this.#apply(id, { kind: "extend-lease", no: choose(open, seed).no });
        break;
      case "pause":
      case "resume":
      case "restart":
      case "terminate":
      case "reset-callbacks":
      case "decide":
      case "retry":
      case "admit":
        this.#apply(id, { kind });
        break;
      case "retry-deep":
        this.#apply(id, { kind: "retry", resumeSubworkflowTasks: true });
        break;
      case "rerun":
        if (tasks.length > 0) this.#apply(id, { kind: "rerun", fromNo: choose(tasks, seed).no });
        break;
      case "rerun-all":
        this.#apply(id, { kind: "rerun" });
        break;
      case "skip": {
        const hash = stored.head?.defHash ?? "";
        // Without its fork a JOIN waits for ever, as it does in the reference.
        const refs = [...this.#world.plan(hash).entries.values()].filter((entry) => !/^FORK/.test(entry.task.type));
        this.#apply(id, { kind: "skip", ref: choose(refs, seed).ref });
        break;
      }
      case "jump": {
        const { entries } = this.#world.plan(stored.head?.defHash ?? "").root;
        if (entries.length > 0) this.#apply(id, { kind: "jump", ref: choose(entries, seed).ref });
        break;
      }
      case "message":
        this.#apply(id, { kind: "message", text: JSON.stringify({ n: this.#messages++ }) });
        break;
      case "start-again":
        this.#apply(this.#start.id, this.#start);
        break;
    }
    if (this.#world.outbox.length === 0) this.#world.checkWaiting();
  }

  /** From here on everything goes well: every execution must come to its end. */
  drain(): void {
    this.#world.deliverAll();
    for (let round = 0; round < 2000; round++) {
      const running = [...this.#world.executions].filter(([id]) => !this.#world.isOver(id));
      if (running.length === 0) return;
      for (const [id, stored] of running) {
        if (stored.head?.status === "PAUSED") this.#apply(id, { kind: "resume" });
        if (stored.head?.rateLimited === true) this.#apply(id, { kind: "admit" });
        const open = stored.allTasks().filter((task) => !isTerminal(task.status) && isLeaf(task));
        for (const task of open) this.#report(id, task, resultOf("complete", 0));
        this.#world.deliverAll();
      }
      this.#advance(1000);
    }
    const left = [...this.#world.executions].filter(([id]) => !this.#world.isOver(id));
    throw new Error(`Not at an end: ${left.map(([, stored]) => describe(stored)).join("; ")}`);
  }

  #report(id: string, task: Task, result: TaskResult): void {
    this.#apply(id, { kind: "task-result", no: task.no, result });
  }

  /** What falls due on the way is fired in order; messages stay under way. */
  #advance(ms: number): void {
    const until = this.#world.now + ms;
    for (let fired = 0; fired < 2000; fired++) {
      const next = this.#world.nextTimer();
      if (next === undefined || next.at > until) {
        this.#world.now = until;
        return;
      }
      this.#world.now = Math.max(this.#world.now, next.at);
      this.#world.fire(next.id, next.no);
    }
    throw new Error("Timers without end");
  }

  #apply(id: string, event: Event): void {
    this.#applied++;
    const { crashEvery } = this.#scenario;
    const crashes = crashEvery > 0 && this.#applied % crashEvery === 0;
    if (crashes) this.#world.crash(id, [event]);
    const isLost = crashes && this.#applied > 1 && (this.#applied / crashEvery) % 2 === 0;
    if (!isLost) this.#world.apply(id, [event]);
  }
}

/** Tasks that something outside the execution ends. */
const isLeaf = (task: Task): boolean =>
  !["JOIN", "EXCLUSIVE_JOIN", "DO_WHILE", "SUB_WORKFLOW", "SWITCH", "FORK"].includes(task.taskType);

function resultOf(kind: "complete" | "fail" | "terminal-error" | "progress", seed: number): TaskResult {
  const output = new RawJson(JSON.stringify({ value: seed }));
  switch (kind) {
    case "complete":
      return { status: "COMPLETED", outputMode: "replace", output };
    case "fail":
      return { status: "FAILED", outputMode: "replace", reasonForIncompletion: "no luck" };
    case "terminal-error":
      return { status: "FAILED_WITH_TERMINAL_ERROR", outputMode: "replace", reasonForIncompletion: "no hope" };
    case "progress":
      return { status: "IN_PROGRESS", outputMode: "merge", output, callbackAfterSeconds: seed % 8 };
  }
}

function choose<T>(items: readonly T[], pick: number): T {
  const item = items[pick % items.length];
  if (item === undefined) throw new Error("Nothing to choose from");
  return item;
}

const describe = (stored: StoredExecution): string =>
  `${stored.head?.workflowName} ${stored.head?.status}: ${stored
    .allTasks()
    .filter((task) => !isTerminal(task.status) || !task.executed)
    .map((task) => `${task.ref}__${task.iter}:${task.status}`)
    .join(", ")}`;
