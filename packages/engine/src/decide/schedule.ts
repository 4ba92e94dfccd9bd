import { innermostIteration, referenceTaskName, type Task } from "../execution/task.ts";
import type { Resolved } from "../expression/raw-json.ts";
import { resolveTemplateWithSecrets } from "../expression/template.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { type Entry, findNext } from "../plan/plan.ts";
import type { TaskType } from "../registry.ts";
import { worker } from "../tasks/simple.ts";
import { limitOf, queuedWork, waitingWork } from "./deadlines.ts";
import { chooseDomain, LIMITED_QUEUE, queueName } from "./domains.ts";
import { finishTask, inputProblem } from "./finish.ts";
import { reportToJoins } from "./joining.ts";
import { failedForGood } from "./outcome.ts";
import { useCached } from "./output-cache.ts";
import { schemaViolation } from "./schemas.ts";
import { scopeOf } from "./scope.ts";
import { publishStateChange } from "./state-events.ts";
import type { Transition } from "./transition.ts";

/** Where in a running execution an entry is scheduled. */
export type Place = {
  readonly iter: string;
  readonly scope: number;
  readonly tree: number;
  readonly join: number;
  /** JSON of the entry, when its task becomes the root of a tree of its own (dynamic forks). */
  readonly root?: string;
  /** Input that is data, not template: laid over the resolved inputParameters as it is. */
  readonly data?: JsonObject;
  /** The wire position kept for the task. */
  readonly seq?: number;
};

export const rootPlace: Place = { iter: "", scope: 0, tree: 0, join: 0 };

export const placeOf = (task: Task): Place => ({ iter: task.iter, scope: task.scope, tree: task.tree, join: 0 });

/** Schedules an entry; jumps over entries that were skipped ahead of time. */
export function scheduleEntry(t: Transition, entry: Entry, place: Place): void {
  const at = findReached(t, entry, place);
  if (at === undefined) return;
  if (place.root !== undefined && branching.has(at.task.type)) t.openTree(t.head.nextNo);
  const type = typeOf(t, at);
  if (type.schedule !== undefined) type.schedule(t, at, place);
  else scheduleTask(t, at, place, type);
}

/** Types whose own task ends before what it holds. */
const branching = new Set(["SWITCH", "DECISION", "FORK_JOIN"]);

const typeOf = (t: Transition, entry: Entry): TaskType => t.context.taskTypes.find(entry.task.type) ?? worker;

/** The behaviour of a task that exists: by its entry, but by its own type where that was chosen at run time. */
export function typeOfTask(t: Transition, task: Task, entry: Entry): TaskType {
  if (entry.task.type === "DYNAMIC") return t.context.taskTypes.find(task.taskType) ?? worker;
  return typeOf(t, entry);
}

/** Creates one task of an ordinary type and lets it begin. */
function scheduleTask(t: Transition, entry: Entry, place: Place, type: TaskType): void {
  begin(t, createFromEntry(t, entry, place, type), entry, type);
}

/**
 * Creates a container and runs it in the same breath, so that its tasks stand in the order of the definition. Only a
 * start delay puts that off.
 */
export function scheduleAtOnce(t: Transition, entry: Entry, place: Place, type: TaskType): void {
  const task = createFromEntry(t, entry, place, type);
  if (task.startDelayInSeconds > 0) {
    begin(t, task, entry, type);
    return;
  }
  const outcome = type.run?.(t, task, entry);
  if (outcome !== undefined) finishTask(t, t.task(task.no), outcome);
}

/** Writes the task down with the entry's resolved input, without letting it begin. */
function createFromEntry(t: Transition, entry: Entry, place: Place, type: TaskType): Task {
  const { input, secrets } = resolveInput(t, entry, place, type);
  return createTask(t, entry, place, type, { input, ...(secrets === undefined ? {} : { secrets }) });
}

/** The resolved input of an entry, as its type stores it. */
export function resolveInput(
  t: Transition,
  entry: Entry,
  place: Place,
  type: TaskType,
): { readonly input: Resolved; readonly secrets: string | undefined } {
  const { value, places } = resolveTemplateWithSecrets(entry.input, scopeOf(t, t.head.nextNo));
  const own = withFallback(t, entry, isPlainObject(value) ? value : {});
  const resolved = place.data === undefined ? own : { ...own, ...place.data };
  const input = type.mapInput === undefined ? resolved : type.mapInput({ t, entry, place, resolved });
  const under = type.parametersUnder;
  const moved = under === undefined ? places : places.map((at) => ({ ...at, path: [under, ...at.path] }));
  return { input, secrets: moved.length === 0 ? undefined : JSON.stringify(moved) };
}

/** A key that resolves to null takes the value of the task definition's inputTemplate. */
function withFallback(t: Transition, entry: Entry, resolved: { readonly [key: string]: Resolved }) {
  if (entry.inputFallback === undefined) return resolved;
  const { value } = resolveTemplateWithSecrets(entry.inputFallback, scopeOf(t, t.head.nextNo));
  if (!isPlainObject(value)) return resolved;
  const filled: Record<string, Resolved> = { ...resolved };
  for (const [key, fallback] of Object.entries(value)) if (filled[key] === null) filled[key] = fallback;
  return filled;
}

type CreateOptions = {
  readonly input: Resolved;
  readonly secrets?: string;
  /** What a DYNAMIC task becomes. */
  readonly taskType?: string;
  readonly taskDefName?: string;
};

/** Writes the task down without letting it begin. */
export function createTask(t: Transition, entry: Entry, place: Place, type: TaskType, options: CreateOptions): Task {
  const now = t.now;
  const isWorker = type.mode === "worker";
  const taskType =
    options.taskType ?? (entry.task.type === "SIMPLE" ? entry.task.name : (type.wireType ?? entry.task.type));
  const domain = isWorker ? chooseDomain(t, taskType) : undefined;
  const task = t.createTask(
    {
      ref: entry.ref,
      iter: place.iter,
      scope: place.scope,
      tree: place.root === undefined ? place.tree : t.head.nextNo,
      join: place.join,
      taskType,
      taskDefName: options.taskDefName ?? type.defName ?? entry.task.name,
      status: type.initialStatus,
      retryCount: 0,
      retried: false,
      executed: false,
      scheduledTime: now,
      firstScheduledTime: now,
      startTime: 0,
      endTime: 0,
      updateTime: 0,
      startDelayInSeconds: entry.task.startDelay,
      callbackAfterSeconds: entry.task.startDelay,
      pollCount: 0,
      iteration: innermostIteration(place.iter),
      priority: t.head.priority,
      ...(domain === undefined ? {} : { domain }),
      ...(place.root === undefined ? {} : { entry: place.root }),
      ...(place.seq === undefined ? {} : { seq: place.seq }),
      ...(options.secrets === undefined ? {} : { secrets: options.secrets }),
    },
    options.input,
  );
  publishStateChange(t, task, entry, "onScheduled");
  return task;
}

/** Lets a task begin: queue it, run it, or let it wait, now or after its start delay. */
export function begin(
  t: Transition,
  task: Task,
  entry: Entry,
  type: TaskType,
  delayMs = task.startDelayInSeconds * 1000,
): void {
  const problem = inputProblem(t, task) ?? schemaViolation(t, entry, "input", () => t.input(task.no).value);
  if (problem !== undefined) {
    t.setInput(task.no, {});
    finishTask(t, task, failedForGood(problem), { startTime: 0 });
    return;
  }
  if (useCached(t, task, entry, type)) return;
  switch (type.mode) {
    case "outside":
      if (t.head.test === true) {
        // A test calls nobody: the task waits for its mock.
        t.putWork(task.no, waitingWork(task, entry, 0));
        return;
      }
      t.putWork(task.no, queuedWork(task, entry, { now: t.now, queue: queueName(task, entry, type.mode), delayMs }));
      return;
    case "worker":
      t.putWork(task.no, queuedWork(task, entry, { now: t.now, queue: queueName(task, entry, type.mode), delayMs }));
      return;
    case "instant":
    case "waits":
      if (type.isControl !== true && limitOf(entry.taskDef) !== undefined)
        t.putWork(task.no, queuedWork(task, entry, { now: t.now, queue: LIMITED_QUEUE, delayMs }));
      else if (delayMs > 0) t.putWork(task.no, waitingWork(task, entry, t.now + delayMs));
      else t.agenda.push({ kind: "run", no: task.no });
      return;
  }
}

/** Gives a container its timers, if it has any: its time limits, and its beginning when that is still to come. */
export function watch(t: Transition, task: Task, entry: Entry, beginsAt: number): void {
  const work = waitingWork(task, entry, beginsAt > t.now ? beginsAt : 0);
  if (work.timerAt > 0) t.putWork(task.no, work);
}

/** A control task has done its own part. What it holds comes next, then `closeControlTask`. */
export function completeControlTask(t: Transition, task: Task): Task {
  const now = t.now;
  if (!t.isCreatedHere(task.no)) t.removeWork(task.no);
  publishStateChange(t, task, t.entryOf(task), "onSuccess");
  return t.patchTask(task.no, { status: "COMPLETED", startTime: now, endTime: now, updateTime: now });
}

/** A control task that has scheduled what follows it: over and done with. */
export function closeControlTask(t: Transition, task: Task): void {
  t.patchTask(task.no, { executed: true });
  reportToJoins(t, t.task(task.no), t.entryOf(task));
  leaveScope(t, task);
}

/** Takes a finished task out of its scope's count, and lets the loop around it go on when it was the last. */
export function leaveScope(t: Transition, task: Task): void {
  t.countOpen(task, -1);
  if (task.scope !== 0 && t.head.loops[task.scope]?.open === 0)
    t.agenda.push({ kind: "iteration-done", no: task.scope });
  if (t.head.trees[task.tree] === 0) t.agenda.push({ kind: "tree-done", no: task.tree });
}

/** Schedules what follows `entry` after its task ended, in the same place. */
export function scheduleNext(t: Transition, task: Task, entry: Entry): void {
  const next = findNext(entry);
  if (next !== undefined) scheduleEntry(t, next, placeOf(task));
}

/** True when what follows the task is there already, from an earlier end of it. */
export function hasSuccessor(t: Transition, task: Task, entry: Entry): boolean {
  const next = findReached(t, findNext(entry), placeOf(task));
  const successor = next && t.findInIteration(next.ref, task.iter);
  return successor !== undefined && !successor.retried && successor.tree === task.tree;
}

/** The entry itself, or the first after it that was not skipped ahead of time. */
function findReached(t: Transition, entry: Entry | undefined, place: Place): Entry | undefined {
  let at = entry;
  while (at !== undefined && isSkipped(t, at, place)) at = findNext(at);
  return at;
}

export function isSkipped(t: Transition, entry: Entry, place: Place): boolean {
  if (t.head.skipped.length === 0) return false;
  return t.head.skipped.includes(referenceTaskName({ ref: entry.ref, iter: place.iter }));
}

export function isPlainObject(value: unknown): value is { readonly [key: string]: Resolved } {
  return isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}
