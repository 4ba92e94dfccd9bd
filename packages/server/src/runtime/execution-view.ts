import {
  ExternalJson,
  type Head,
  isTerminal,
  Missing,
  type RawJson,
  type Task,
  type View,
  type Work,
  type WorkflowPart,
} from "@downbeat/engine";
import type { Reading, Store } from "@downbeat/store";
import type { LargePayloads } from "../payloads/large-payloads.ts";
import { isReference, parseReference } from "../payloads/reference.ts";
import type { Execution } from "./execution.ts";

/**
 * The engine's view of an execution: what is in memory, else what the store says. A store that answers at once is asked
 * on the spot; one that does not makes the view throw `Missing` and note the answer for the next try.
 */
export class ExecutionView implements View {
  readonly #execution: Execution;
  readonly #store: Store;
  readonly #payloads: Pick<LargePayloads, "load">;
  readonly #answers = new Map<string, unknown>();
  readonly #pending: Promise<unknown>[] = [];
  readonly #positions = new Map<string, number>();

  constructor(execution: Execution, store: Store, payloads: Pick<LargePayloads, "load">) {
    this.#execution = execution;
    this.#store = store;
    this.#payloads = payloads;
  }

  /** Resolves when everything the last try missed has arrived. */
  async arrive(): Promise<void> {
    this.#positions.clear();
    await Promise.all(this.#pending.splice(0));
  }

  /** Also used for other slow things a decision asks for. */
  ask<T>(key: string, read: () => Reading<T>): T {
    if (this.#answers.has(key)) return this.#answers.get(key) as T;
    const reading = read();
    if (!(reading instanceof Promise)) return reading;
    this.#pending.push(reading.then((answer) => this.#answers.set(key, answer)));
    throw new Missing(key);
  }

  get head(): Head | undefined {
    return this.#execution.head;
  }

  get #stored(): Head {
    const { head } = this.#execution;
    if (head === undefined) throw new Error(`Execution ${this.#execution.id} does not exist`);
    return head;
  }

  findTask(no: number): Task | undefined {
    const x = this.#execution;
    const known = x.tasks.get(no);
    if (known !== undefined || x.isWhole) return known;
    const task = this.ask(`task ${no}`, () => this.#store.executions.task(x.id, no));
    return task === undefined ? undefined : this.#keep(task);
  }

  findLatest(ref: string): Task | undefined {
    const x = this.#execution;
    const no = x.latest.get(ref);
    if (no === 0) return undefined;
    if (no !== undefined) return this.findTask(no);
    if (x.isWhole) return undefined;
    const task = this.ask(`latest ${ref}`, () => this.#store.executions.latest(this.#stored, ref));
    if (task === undefined) {
      x.latest.set(ref, 0);
      return undefined;
    }
    return this.#keep(task);
  }

  findInIteration(ref: string, iter: string): Task | undefined {
    const latest = this.findLatest(ref);
    if (latest === undefined || latest.iter === iter) return latest;
    const x = this.#execution;
    if (x.isWhole) return [...x.tasks.values()].findLast((task) => task.ref === ref && task.iter === iter);
    return this.ask(`in ${iter} ${ref}`, () => this.#store.executions.inIteration(this.#stored, ref, iter));
  }

  findWork(no: number): Work | undefined {
    const x = this.#execution;
    const known = x.work.get(no);
    if (known !== undefined) return known ?? undefined;
    return this.ask(`work ${no}`, () => this.#store.executions.work(x.id, no));
  }

  input(no: number): RawJson {
    return this.#payload(no, "input");
  }

  output(no: number): RawJson {
    return this.#payload(no, "output");
  }

  workflow(part: WorkflowPart): RawJson {
    return this.#payload(0, part);
  }

  #payload(no: number, slot: WorkflowPart): RawJson {
    const x = this.#execution;
    const key = `${no}${slot}`;
    const known = x.payloads.get(key);
    if (known !== undefined) return this.bound(known);
    const raw = this.ask(`payload ${key}`, () => this.#store.executions.payload(x.id, no, slot));
    // Payloads of ended tasks would pile up in a long loop; that of a growing fork is read again for every batch.
    if (no === 0 || x.tasks.has(no) || x.head?.forks[no] !== undefined) x.setPayload(key, raw);
    return this.bound(raw);
  }

  /** A payload that lies elsewhere is fetched when the engine looks into it. */
  bound(raw: RawJson): RawJson {
    const reference = parseReference(raw.stored);
    if (reference === undefined) return raw;
    const { path, bytes } = reference;
    return new ExternalJson(raw.stored, bytes, () => this.ask(`at ${path}`, () => this.#payloads.load(reference)));
  }

  /** Ids and random numbers by position: a decision that is made again must make up the same ones. */
  numbered<T>(kind: string, make: () => T): T {
    const position = this.#positions.get(kind) ?? 0;
    this.#positions.set(kind, position + 1);
    const key = `${kind} ${position}`;
    if (!this.#answers.has(key)) this.#answers.set(key, make());
    return this.#answers.get(key) as T;
  }

  openTasks(limit: number): readonly Task[] {
    const x = this.#execution;
    if (x.isWhole) return [...x.tasks.values()].filter((task) => !isTerminal(task.status)).slice(0, limit);
    return this.ask(`open ${limit}`, () => this.#store.executions.open(this.#stored, limit));
  }

  unfollowedTasks(): readonly Task[] {
    const x = this.#execution;
    if (x.isWhole) {
      return [...x.tasks.values()].filter((task) => isTerminal(task.status) && !task.executed && !task.retried);
    }
    return this.ask("unfollowed", () => this.#store.executions.unfollowed(this.#stored));
  }

  allTasks(): readonly Task[] {
    const x = this.#execution;
    if (x.isWhole) return [...x.tasks.values()].sort((a, b) => a.no - b.no);
    return this.ask("all", () => this.#store.executions.all(this.#stored));
  }

  joinedOutputs(joinNo: number): ReadonlyMap<string, RawJson> {
    const stored = this.ask(`joined ${joinNo}`, () => this.#store.executions.joinedOutputs(this.#stored, joinNo));
    if (![...stored.values()].some((raw) => isReference(raw.stored))) return stored;
    return new Map([...stored].map(([ref, raw]) => [ref, this.bound(raw)]));
  }

  loopTasks(loopNo: number): readonly { readonly task: Task; readonly output: RawJson }[] {
    const stored = this.ask(`loop ${loopNo}`, () => this.#store.executions.loopTasks(this.#stored, loopNo));
    if (!stored.some(({ output }) => isReference(output.stored))) return stored;
    return stored.map(({ task, output }) => ({ task, output: this.bound(output) }));
  }

  messages(from: number, to: number): readonly string[] {
    return this.ask(`messages ${from} ${to}`, () => this.#store.executions.messages(this.#execution.id, from, to));
  }

  /** Open tasks are worth keeping; ended ones of a large execution would pile up. */
  #keep(task: Task): Task {
    if (!isTerminal(task.status)) this.#execution.setTask(task);
    return task;
  }
}
