import { adHocTaskDef, embedTaskDef } from "../definition/defaults.ts";
import { normalizeWorkflowTask } from "../definition/normalize.ts";
import type { WorkflowTask } from "../definition/types.ts";
import type { GrowingFork, Head, Join, Loop } from "../execution/head.ts";
import { isTerminal } from "../execution/status.ts";
import type { Task } from "../execution/task.ts";
import { RawJson, type Resolved, stringifyResolved } from "../expression/raw-json.ts";
import { compileTree } from "../plan/compile.ts";
import type { Entry, Plan } from "../plan/plan.ts";
import type { Changes, PayloadChange, Send, Work } from "./changes.ts";
import type { Context, View, WorkflowPart } from "./context.ts";
import type { Event, PublishEvent, StartEvent } from "./event.ts";

type Draft<T> = { -readonly [K in keyof T]: T[K] };

export type AgendaItem = {
  /**
   * run: an instant task begins. follow-up: a task ended. iteration-done: nothing is open in a loop's iteration.
   * tree-done: nothing is open under a dynamically forked container.
   */
  readonly kind: "run" | "follow-up" | "iteration-done" | "tree-done";
  readonly no: number;
};

const emptyObject = new RawJson("{}");
const placeKey = (ref: string, iter: string): string => `${ref}\n${iter}`;

/**
 * The overlay one transition works in: reads fall through to the view, writes stay here until `changes()`. Dropping
 * the object drops the transition.
 */
export class Transition {
  readonly view: View;
  readonly context: Context;
  readonly #base: Head | undefined;
  #head: Draft<Head> | undefined;
  #plan: Plan | undefined;
  readonly #tasks = new Map<number, Task>();
  readonly #created = new Set<number>();
  readonly #removed = new Set<number>();
  /** Numbers of the youngest tasks created here, by reference name and by name with iteration. */
  readonly #latest = new Map<string, number>();
  readonly #payloads = new Map<string, PayloadChange & { readonly raw: RawJson }>();
  readonly #work = new Map<number, Work | undefined>();
  readonly #sends: Send[] = [];
  readonly #logs: { no: number; at: number; line: string }[] = [];
  readonly #cachePuts: { key: string; text: string; expiresAt: number }[] = [];
  readonly #messages = new Map<number, string>();
  /** Messages with lower numbers were taken or dropped here. */
  #messagesFrom: number | undefined;
  readonly #trees = new Map<number, Plan>();
  #continues = false;
  #touched = false;
  #wiped = false;
  /** Tasks that had ended before this transition and are written again by it. */
  #endedBefore: Set<number> | undefined;
  #revisesEnded = false;
  /** What still has to happen in this transition, in order; see settle.ts. */
  readonly agenda: AgendaItem[] = [];
  /** Tasks whose successors were looked for since the last task ended. */
  readonly followed: number[] = [];
  /** Seconds before the next attempt at tasks that failed here, where the result said how long. */
  readonly retryDelays = new Map<number, number>();

  constructor(view: View, context: Context) {
    this.view = view;
    this.context = context;
    this.#base = view.head;
    this.#head = view.head && copyHead(view.head);
  }

  /** Never before the last transition, whatever the clock does. */
  get now(): number {
    const base = this.#base;
    return base === undefined ? this.context.now : Math.max(this.context.now, base.updateTime, base.createTime);
  }

  get exists(): boolean {
    return this.#head !== undefined;
  }

  get head(): Head {
    if (this.#head === undefined) throw new Error("The execution does not exist");
    return this.#head;
  }

  get plan(): Plan {
    this.#plan ??= this.context.plan(this.head.defHash);
    return this.#plan;
  }

  forgetPlan(): void {
    this.#plan = undefined;
  }

  createHead(head: Head): void {
    this.#head = copyHead(head);
    this.#touched = true;
  }

  patchHead(patch: Partial<Head>): void {
    if (patch.defHash !== undefined && patch.defHash !== this.#head?.defHash) this.#plan = undefined;
    Object.assign(this.head, patch);
    this.#touched = true;
  }

  putLoop(no: number, loop: Loop): void {
    (this.head.loops as Record<number, Loop>)[no] = loop;
    this.#touched = true;
  }

  patchLoop(no: number, patch: Partial<Loop>): void {
    this.putLoop(no, { ...this.loop(no), ...patch });
  }

  loop(no: number): Loop {
    const loop = this.head.loops[no];
    if (loop === undefined) throw new Error(`Loop ${no} of ${this.head.id} is not open`);
    return loop;
  }

  putJoin(no: number, join: Join): void {
    (this.head.joins as Record<number, Join>)[no] = join;
    this.#touched = true;
  }

  putFork(no: number, fork: GrowingFork): void {
    (this.head.forks as Record<number, GrowingFork>)[no] = fork;
    this.#touched = true;
  }

  closeContainer(no: number): void {
    delete (this.head.loops as Record<number, Loop>)[no];
    delete (this.head.joins as Record<number, Join>)[no];
    delete (this.head.trees as Record<number, number>)[no];
    delete (this.head.forks as Record<number, GrowingFork>)[no];
    this.#touched = true;
  }

  /** Counts a task in or out of the scope and the tree it stands in. */
  countOpen({ scope, tree }: Pick<Task, "scope" | "tree">, delta: 1 | -1): void {
    if (scope === 0) this.patchHead({ open: this.head.open + delta });
    else if (this.head.loops[scope] !== undefined) this.patchLoop(scope, { open: this.loop(scope).open + delta });
    const inTree = this.head.trees[tree];
    if (inTree !== undefined) (this.head.trees as Record<number, number>)[tree] = inTree + delta;
  }

  openTree(no: number): void {
    (this.head.trees as Record<number, number>)[no] = 0;
  }

  /** `seq` is given where a place was kept for the task; otherwise it is the next. */
  createTask(fields: Omit<Task, "no" | "seq"> & { readonly seq?: number }, input: Resolved): Task {
    const { nextNo, nextSeq } = this.head;
    const task: Task = { ...fields, no: nextNo, seq: fields.seq ?? nextSeq };
    this.patchHead({ nextNo: nextNo + 1, nextSeq: Math.max(nextSeq, task.seq + 1) });
    this.#tasks.set(task.no, task);
    this.#note(task);
    this.setInput(task.no, input);
    this.countOpen(task, 1);
    return task;
  }

  /** A task that is over before it began: a skipped one. Not counted, listed first. */
  createEndedTask(fields: Omit<Task, "no">): Task {
    const task: Task = { ...fields, no: this.head.nextNo };
    this.patchHead({ nextNo: task.no + 1 });
    this.#tasks.set(task.no, task);
    this.#note(task);
    return task;
  }

  #note(task: Task): void {
    this.#created.add(task.no);
    this.#latest.set(task.ref, task.no);
    this.#latest.set(placeKey(task.ref, task.iter), task.no);
  }

  patchTask(no: number, patch: Partial<Task>): Task {
    const before = this.task(no);
    if (!this.#tasks.has(no) && isTerminal(before.status)) {
      this.#endedBefore ??= new Set();
      this.#endedBefore.add(no);
    }
    // Following a task up is no change of what it did.
    if (this.#endedBefore?.has(no) && Object.keys(patch).some((key) => key !== "executed")) this.#revisesEnded = true;
    const task = { ...before, ...patch };
    this.#tasks.set(no, task);
    this.#touched = true;
    return task;
  }

  /** Writes a task as it is given: fields that are absent are gone. */
  replaceTask(task: Task): void {
    this.#tasks.set(task.no, task);
    this.#revisesEnded = true;
    this.#touched = true;
  }

  removeTask(no: number): void {
    delete (this.head.forks as Record<number, GrowingFork>)[no];
    this.#forgetTask(no);
    if (!this.#created.delete(no)) {
      this.#removed.add(no);
      this.#work.set(no, undefined);
      this.#revisesEnded = true;
    }
    this.#touched = true;
  }

  #forgetTask(no: number): void {
    this.#tasks.delete(no);
    this.#work.delete(no);
    for (const slot of ["input", "output"]) this.#payloads.delete(`${no}${slot}`);
  }

  /** Forgets every task: a restart. */
  wipeTasks(): void {
    this.#wiped = true;
    for (const no of [...this.#tasks.keys()]) this.#forgetTask(no);
    this.#created.clear();
    this.#removed.clear();
    this.#latest.clear();
  }

  findTask(no: number): Task | undefined {
    const mine = this.#tasks.get(no);
    if (mine !== undefined || this.#removed.has(no) || this.#wiped) return mine;
    return this.view.findTask(no);
  }

  task(no: number): Task {
    const task = this.findTask(no);
    if (task === undefined) throw new Error(`Task ${no} of ${this.head.id} does not exist`);
    return task;
  }

  findLatest(ref: string): Task | undefined {
    const created = this.#latestCreated(ref);
    if (created !== undefined || this.#wiped) return created;
    return this.#overlay(this.view.findLatest(ref), (other) => other.ref === ref);
  }

  findInIteration(ref: string, iter: string): Task | undefined {
    const created = this.#latestCreated(placeKey(ref, iter));
    if (created !== undefined || this.#wiped) return created;
    return this.#overlay(this.view.findInIteration(ref, iter), (other) => other.ref === ref && other.iter === iter);
  }

  #latestCreated(key: string): Task | undefined {
    const no = this.#latest.get(key);
    return no === undefined ? undefined : this.#tasks.get(no);
  }

  #overlay(task: Task | undefined, isWanted: (other: Task) => boolean): Task | undefined {
    if (task === undefined) return undefined;
    if (!this.#removed.has(task.no)) return this.#tasks.get(task.no) ?? task;
    // The youngest was removed in this very transition: look for the youngest that stays.
    return this.allTasks().findLast(isWanted);
  }

  allTasks(): Task[] {
    const stored = this.#wiped ? [] : this.view.allTasks();
    const tasks = stored.filter((task) => !this.#removed.has(task.no)).map((task) => this.#tasks.get(task.no) ?? task);
    for (const no of this.#created) {
      const task = this.#tasks.get(no);
      if (task !== undefined) tasks.push(task);
    }
    return tasks;
  }

  openTasks(limit: number): Task[] {
    const stored = this.#wiped ? [] : this.view.openTasks(limit + this.#tasks.size);
    const open: Task[] = [];
    const consider = (task: Task | undefined) => {
      if (task !== undefined && !isTerminal(task.status) && open.length < limit) open.push(task);
    };
    for (const task of stored) if (!this.#removed.has(task.no)) consider(this.#tasks.get(task.no) ?? task);
    const seen = new Set(stored.map((task) => task.no));
    for (const task of this.#tasks.values()) if (!seen.has(task.no)) consider(task);
    return open;
  }

  unfollowedTasks(): Task[] {
    const stored = this.#wiped ? [] : this.view.unfollowedTasks();
    const numbers = new Set([...stored.map((task) => task.no), ...this.#tasks.keys()]);
    return [...numbers]
      .map((no) => this.findTask(no))
      .filter((task) => task !== undefined)
      .filter((task) => isTerminal(task.status) && !task.executed && !task.retried)
      .sort((a, b) => a.no - b.no);
  }

  isCreatedHere(no: number): boolean {
    return this.#created.has(no);
  }

  // ---- payloads

  input(no: number): RawJson {
    return this.#payloads.get(`${no}input`)?.raw ?? this.view.input(no);
  }

  /** What was stored as the task's output. Use `outputNode` of scope.ts for JOIN and DO_WHILE, whose outputs are views. */
  output(no: number): RawJson {
    return this.#payloads.get(`${no}output`)?.raw ?? (this.#created.has(no) ? emptyObject : this.view.output(no));
  }

  setInput(no: number, value: Resolved): void {
    this.#setPayload(no, "input", value);
  }

  setOutput(no: number, value: Resolved): void {
    this.#setPayload(no, "output", value);
  }

  workflow(part: WorkflowPart): RawJson {
    return this.#payloads.get(`0${part}`)?.raw ?? (this.#base === undefined ? emptyObject : this.view.workflow(part));
  }

  setWorkflow(part: WorkflowPart, value: Resolved): void {
    this.#setPayload(0, part, value);
  }

  #setPayload(no: number, slot: PayloadChange["slot"], value: Resolved): void {
    const raw = value instanceof RawJson ? value : new RawJson(stringifyResolved(value));
    this.#payloads.set(`${no}${slot}`, { no, slot, text: raw.stored, raw });
    this.#touched = true;
  }

  /** Outputs reported to a dynamic JOIN, this transition's own included. */
  joinedOutputs(joinNo: number): Map<string, RawJson> {
    const outputs = new Map(this.#created.has(joinNo) ? [] : this.view.joinedOutputs(joinNo));
    for (const task of this.#tasks.values()) {
      if (task.join === joinNo && !task.retried) outputs.set(task.ref, this.output(task.no));
    }
    return outputs;
  }

  loopTasks(loopNo: number): { readonly task: Task; readonly output: RawJson }[] {
    const stored = this.#created.has(loopNo)
      ? []
      : this.view.loopTasks(loopNo).filter(({ task }) => !this.#removed.has(task.no));
    const byNo = new Map(stored.map((item) => [item.task.no, item]));
    for (const task of this.#tasks.values()) {
      if (task.scope === loopNo) byNo.set(task.no, { task, output: this.output(task.no) });
    }
    return [...byNo.values()].sort((a, b) => a.task.no - b.task.no);
  }

  // ---- messages

  putMessage(n: number, text: string): void {
    this.#messages.set(n, text);
    this.#touched = true;
  }

  messages(from: number, to: number): readonly string[] {
    const firstOwn = this.#base?.messages?.next ?? 0;
    const stored = from < firstOwn ? this.view.messages(from, Math.min(to, firstOwn)) : [];
    const own = [...this.#messages].filter(([n]) => n >= from && n < to).map(([, text]) => text);
    return [...stored, ...own];
  }

  dropMessages(before: number): void {
    this.#messagesFrom = before;
    this.#touched = true;
  }

  // ---- entries

  /** The entry a task was made from: of the definition, or of the tree a dynamic fork brought in. */
  entryOf(task: Task): Entry {
    const entry = this.planOf(task).entries.get(task.ref);
    if (entry === undefined) throw new Error(`No entry "${task.ref}" in the plan of ${this.head.id}`);
    return entry.task.type === "DYNAMIC" ? this.dynamicEntry(entry, task.taskDefName) : entry;
  }

  /** A DYNAMIC entry with the definition of the task that was chosen at run time. */
  dynamicEntry(entry: Entry, taskDefName: string): Entry {
    const taskDef = this.context.findTaskDef(taskDefName) ?? adHocTaskDef(taskDefName, "SIMPLE");
    return { ...entry, taskDef };
  }

  /** A task entry that came at run time, with the task definitions that are registered now. */
  withTaskDefs(task: WorkflowTask): WorkflowTask {
    return embedTaskDef(task, (name) => this.context.findTaskDef(name));
  }

  planOf(task: Pick<Task, "tree" | "no" | "entry">): Plan {
    if (task.tree === 0) return this.plan;
    let plan = this.#trees.get(task.tree);
    if (plan === undefined) {
      const root = task.tree === task.no ? task : this.task(task.tree);
      if (root.entry === undefined) throw new Error(`Task ${task.tree} of ${this.head.id} has no entry of its own`);
      plan = compileTree(this.withTaskDefs(normalizeWorkflowTask(JSON.parse(root.entry))));
      this.#trees.set(task.tree, plan);
    }
    return plan;
  }

  /** Remembers the plan of a tree that is being created, so that it is not parsed again. */
  putTree(no: number, plan: Plan): void {
    this.#trees.set(no, plan);
  }

  // ---- what leaves

  putWork(no: number, work: Work): void {
    this.#work.set(no, work);
    this.#touched = true;
  }

  findWork(no: number): Work | undefined {
    if (this.#work.has(no)) return this.#work.get(no);
    return this.#created.has(no) ? undefined : this.view.findWork(no);
  }

  removeWork(no: number): void {
    this.#work.set(no, undefined);
    this.#touched = true;
  }

  send(target: string, event: Event): void {
    this.#sends.push({ target, event });
    this.#touched = true;
  }

  /** Nothing is published by a test. Messages of one name keep their order. */
  publish(message: Omit<PublishEvent, "kind">): void {
    if (this.head.test !== true) this.send(`event ${message.names[0]}`, { kind: "publish", ...message });
  }

  startOther(event: StartEvent): void {
    this.send(event.id, event);
  }

  log(no: number, line: string): void {
    this.#logs.push({ no, at: this.now, line });
    this.#touched = true;
  }

  putCache(key: string, text: string, expiresAt: number): void {
    this.#cachePuts.push({ key, text, expiresAt });
  }

  continueLater(): void {
    this.#continues = true;
    this.#touched = true;
  }

  /** A message that came and went in this transition is never written. */
  #messageChanges(): Pick<Changes, "messages"> {
    const from = this.#messagesFrom ?? 0;
    if (this.#messages.size === 0 && from === 0) return {};
    const puts = [...this.#messages].filter(([n]) => n >= from).map(([n, text]) => ({ n, text }));
    return { messages: { puts, from } };
  }

  /** Undefined when nothing changed. */
  changes(): Changes | undefined {
    if (!this.#touched || this.#head === undefined) return undefined;
    const rev = (this.#base?.rev ?? 0) + 1;
    const head = { ...this.#head, rev, updateTime: this.now, ...(this.#revisesEnded ? { revisedAt: rev } : {}) };
    const newTasks: Task[] = [];
    const changedTasks: Task[] = [];
    for (const task of this.#tasks.values()) (this.#created.has(task.no) ? newTasks : changedTasks).push(task);
    return {
      id: head.id,
      baseRev: this.#base?.rev,
      head,
      newTasks,
      changedTasks,
      removedTasks: [...this.#removed],
      payloads: [...this.#payloads.values()].map(({ no, slot, text }) => ({ no, slot, text })),
      work: this.#work,
      sends: this.#sends,
      logs: this.#logs,
      cachePuts: this.#cachePuts,
      ...this.#messageChanges(),
      continues: this.#continues,
    };
  }
}

/** A head to write on, its maps too. One copy per transition: one for every task made a 10,000-way fork 20,000 copies. */
const copyHead = (head: Head): Draft<Head> => ({
  ...head,
  loops: { ...head.loops },
  joins: { ...head.joins },
  trees: { ...head.trees },
  forks: { ...head.forks },
});
