import { textOf } from "../src/decide/join-output.ts";
import { outputNode } from "../src/decide/scope.ts";
import { Transition } from "../src/decide/transition.ts";
import {
  bareReference,
  type Event,
  type Head,
  isTerminal,
  type Json,
  type JsonObject,
  RawJson,
  type Refusal,
  referenceTaskName,
  type StartEvent,
  type Task,
  type TaskResult,
  taskId,
} from "../src/index.ts";
import type { WorkflowBuilder } from "./builders.ts";
import { type StoredExecution, viewOf } from "./stored-execution.ts";
import { digest, executionId, World, type WorldOptions } from "./world.ts";

/** A world with one definition in it: `simulate(aWorkflow().simple("a")).start({ x: 1 }).complete("a")`. */
export function simulate(workflow: WorkflowBuilder, options: WorldOptions = {}): { start: Start; world: World } {
  const world = new World(options);
  const pinned = world.register(workflow.def);
  return {
    world,
    start(input = {}, fields = {}) {
      const id = executionId(digest(`root ${world.executions.size}`));
      const run = new Run(world, id);
      run.send({
        kind: "start",
        id,
        defHash: pinned.hash,
        workflowName: pinned.name,
        workflowVersion: pinned.version,
        input: new RawJson(JSON.stringify(input)),
        ...fields,
      });
      return run;
    },
  };
}

type Start = (input?: JsonObject, fields?: Partial<StartEvent>) => Run;

/** A task as a reader of the interface sees it. */
export type TaskView = Task & {
  readonly id: string;
  readonly referenceTaskName: string;
  readonly input: JsonObject;
  readonly output: JsonObject;
};

class Refused extends Error {
  readonly code: Refusal["code"];

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.code = refusal.code;
  }
}

type ResultOptions = Partial<Omit<TaskResult, "output" | "status">>;

/** Drives one execution and shows what became of it. Every call ends with all messages delivered. */
export class Run {
  readonly world: World;
  readonly id: string;

  constructor(world: World, id: string) {
    this.world = world;
    this.id = id;
  }

  // ---- what can happen

  send(event: Event): this {
    const [refusal] = this.world.apply(this.id, [event]);
    this.world.deliverAll();
    if (refusal !== undefined) throw new Refused(refusal);
    return this;
  }

  /** Several events that arrived while a commit was in flight: one transition. */
  sendTogether(...events: readonly Event[]): readonly (Refusal | undefined)[] {
    const refusals = this.world.apply(this.id, events);
    this.world.deliverAll();
    return refusals;
  }

  poll(queue: string, workerId?: string): TaskView | undefined {
    const polled = this.world.poll(queue, workerId);
    return polled && new Run(this.world, polled.id).show(polled.task);
  }

  complete(ref: string, output: JsonObject = {}, options: ResultOptions = {}): this {
    return this.report(ref, "COMPLETED", { output, ...options });
  }

  fail(ref: string, reason = "no luck", options: ResultOptions & { readonly output?: JsonObject } = {}): this {
    return this.report(ref, "FAILED", { reasonForIncompletion: reason, ...options });
  }

  failForGood(ref: string, reason = "no luck"): this {
    return this.report(ref, "FAILED_WITH_TERMINAL_ERROR", { reasonForIncompletion: reason });
  }

  progress(ref: string, options: ResultOptions & { readonly output?: JsonObject } = {}): this {
    return this.report(ref, "IN_PROGRESS", options);
  }

  /** A worker polls the task, if it is offered, and reports. */
  report(
    ref: string,
    status: TaskResult["status"],
    { output, ...rest }: ResultOptions & { readonly output?: JsonObject } = {},
  ): this {
    const task = this.#openTask(ref);
    if (this.stored.work.get(task.no)?.state === "ready") this.world.claim(this.id, task.no);
    return this.result(task.no, {
      status,
      outputMode: "replace",
      ...(output === undefined ? {} : { output: new RawJson(JSON.stringify(output)) }),
      ...rest,
    });
  }

  result(no: number, result: TaskResult): this {
    return this.send({ kind: "task-result", no, result });
  }

  advance(ms: number): this {
    this.world.advance(ms);
    return this;
  }

  pause(): this {
    return this.send({ kind: "pause" });
  }

  resume(): this {
    return this.send({ kind: "resume" });
  }

  decide(): this {
    return this.send({ kind: "decide" });
  }

  terminate(reason?: string, options: { readonly triggerFailureWorkflow?: boolean } = {}): this {
    return this.send({ kind: "terminate", ...(reason === undefined ? {} : { reason }), ...options });
  }

  restart(): this {
    return this.send({ kind: "restart" });
  }

  retry(options: { readonly resumeSubworkflowTasks?: boolean } = {}): this {
    return this.send({ kind: "retry", ...options });
  }

  rerun(
    options: { readonly from?: string; readonly taskInput?: JsonObject; readonly workflowInput?: JsonObject } = {},
  ) {
    const { from, taskInput, workflowInput } = options;
    return this.send({
      kind: "rerun",
      ...(from === undefined ? {} : { fromNo: this.task(from).no }),
      ...(taskInput === undefined ? {} : { taskInput }),
      ...(workflowInput === undefined ? {} : { workflowInput: new RawJson(JSON.stringify(workflowInput)) }),
    });
  }

  skip(ref: string, options: { readonly taskInput?: JsonObject; readonly taskOutput?: JsonObject } = {}): this {
    return this.send({ kind: "skip", ref, ...options });
  }

  // ---- what is there

  get stored(): StoredExecution {
    return this.world.stored(this.id);
  }

  get head(): Head {
    const { head } = this.stored;
    if (head === undefined) throw new Error("Not started");
    return head;
  }

  get status(): Head["status"] {
    return this.head.status;
  }

  get reason(): string | undefined {
    return this.head.reasonForIncompletion;
  }

  get output(): Json {
    return this.stored.payload(0, "output").value;
  }

  get input(): Json {
    return this.stored.payload(0, "input").value;
  }

  get variables(): Json {
    return this.stored.payload(0, "variables").value;
  }

  /** All tasks in the order of the wire. */
  get tasks(): TaskView[] {
    return this.stored
      .allTasks()
      .sort((a, b) => a.seq - b.seq)
      .map((task) => this.show(task));
  }

  /** `ref:STATUS` of every task, by seq. */
  get list(): string[] {
    return this.tasks.map((task) => `${task.referenceTaskName}:${task.status}`);
  }

  /** The youngest task of this reference name, with or without its iteration. */
  task(ref: string): TaskView {
    const tasks = this.tasks;
    const found =
      tasks.findLast((task) => task.referenceTaskName === ref) ?? tasks.findLast((task) => task.ref === ref);
    if (found === undefined) throw new Error(`No task "${ref}" among ${this.list.join(", ")}`);
    return found;
  }

  has(ref: string): boolean {
    return this.stored.allTasks().some((task) => referenceTaskName(task) === ref);
  }

  work(ref: string) {
    return this.stored.work.get(this.task(ref).no);
  }

  /** The execution that a SUB_WORKFLOW or START_WORKFLOW task started. */
  child(ref: string): Run {
    const task = this.task(ref);
    return this.execution(task.subWorkflowId ?? String(task.output["workflowId"]));
  }

  execution(id: string): Run {
    return new Run(this.world, id);
  }

  logs(ref: string): string[] {
    const { no } = this.task(ref);
    return this.stored.logs.filter((log) => log.no === no).map((log) => log.line);
  }

  show(task: Task): TaskView {
    const t = new Transition(viewOf(this.stored), this.world.contextFor(this.id));
    return {
      ...task,
      iteration: this.head.loops[task.no]?.iteration ?? task.iteration,
      id: taskId(this.id, task.no),
      referenceTaskName: referenceTaskName(task),
      input: this.stored.payload(task.no, "input").value as JsonObject,
      output: JSON.parse(textOf(outputNode(t, task))) as JsonObject,
    };
  }

  #openTask(ref: string): Task {
    const open = this.stored.allTasks().filter((task) => !isTerminal(task.status));
    const found =
      open.find((task) => referenceTaskName(task) === ref) ??
      open.find((task) => task.ref === ref || bareReference(referenceTaskName(task)) === ref);
    if (found === undefined) throw new Error(`No open task "${ref}" among ${this.list.join(", ")}`);
    return found;
  }
}
