import {
  type Changes,
  type Event,
  type Head,
  isTerminal,
  isWorkflowTerminal,
  parseTaskId,
  referenceTaskName,
  type Task,
} from "../src/index.ts";
import type { StoredExecution } from "./stored-execution.ts";

/** What must be true of every execution after every commit. Counted from the tasks, not with the engine's own code. */

export class Broken extends Error {}

const must = (isTrue: boolean, what: () => string): void => {
  if (!isTrue) throw new Broken(what());
};

/** Events that may open a task again that was over. */
const reopening = new Set<Event["kind"]>(["retry", "rerun", "child-revived", "restart"]);

export function checkTransition(stored: StoredExecution, changes: Changes, events: readonly Event[]): void {
  const mayReopen = events.some((event) => reopening.has(event.kind));
  for (const task of changes.changedTasks) {
    const before = stored.tasks.get(task.no);
    if (before === undefined || mayReopen) continue;
    const what = () => `${name(task)} went from ${before.status} to ${task.status} on ${events.map((e) => e.kind)}`;
    must(!isTerminal(before.status) || isTerminal(task.status), what);
    must(!before.executed || task.executed, () => `${name(task)} was followed up and is not any more`);
    must(!before.retried || task.retried, () => `${name(task)} was retried and is not any more`);
  }
  const head = stored.head;
  if (head !== undefined && isWorkflowTerminal(head.status) && !mayReopen)
    must(isWorkflowTerminal(changes.head.status), () => `${head.status} became ${changes.head.status}`);
  checkRevision(stored, changes);
}

/** Whoever keeps what ended tasks did must hear of every change to it. */
function checkRevision(stored: StoredExecution, { head, changedTasks, removedTasks, payloads }: Changes): void {
  if (head.revisedAt === head.rev || head.epoch !== stored.head?.epoch) return;
  const wasOver = (no: number): boolean => isTerminal(stored.tasks.get(no)?.status ?? "SCHEDULED");
  const what = (task: Task | undefined): string => JSON.stringify({ ...task, executed: true });
  const changed = changedTasks.find((task) => wasOver(task.no) && what(task) !== what(stored.tasks.get(task.no)));
  must(changed === undefined, () => `${name(changed)} had ended and was changed, but the head does not say so`);
  const rewritten = payloads.find(({ no }) => wasOver(no));
  must(rewritten === undefined, () => `The ${rewritten?.slot} of ended task ${rewritten?.no} was changed unsaid`);
  must(removedTasks.length === 0, () => `Tasks ${removedTasks} were removed, but the head does not say so`);
}

export function checkStored(stored: StoredExecution): void {
  const head = stored.head;
  if (head === undefined) return;
  const tasks = stored.allTasks();
  checkNumbers(head, tasks);
  checkMessages(stored, head, tasks);
  for (const no of stored.work.keys()) {
    const task = stored.tasks.get(no);
    const isOwn = no === 0 && !isWorkflowTerminal(head.status);
    must(isOwn || (task !== undefined && !isTerminal(task.status)), () => `Work ${no} belongs to no open task`);
  }
  if (isWorkflowTerminal(head.status)) {
    const open = tasks.find((task) => !isTerminal(task.status));
    must(open === undefined, () => `${name(open)} is ${open?.status} in a ${head.status} execution`);
    must(head.endTime > 0, () => `${head.status} without an end time`);
    return;
  }
  must(head.endTime === 0, () => `${head.status} with an end time`);
  checkCounters(stored, head, tasks);
  for (const task of tasks.filter((task) => !isTerminal(task.status))) {
    const isContainer = head.joins[task.no] !== undefined || head.loops[task.no] !== undefined;
    must(isContainer || stored.work.has(task.no), () => `${name(task)} is ${task.status} and waits for nothing`);
  }
}

/** Nothing is under way: somebody outside, a timer, a child or a resume must be able to move every execution. */
export function checkWaiting(stored: StoredExecution, all: ReadonlyMap<string, StoredExecution>): void {
  const head = stored.head;
  if (head === undefined || head.status !== "RUNNING") return;
  if (head.rateLimited === true) {
    must(stored.work.get(0)?.state === "ready", () => "Waits for a slot, but stands in no queue");
    return;
  }
  const open = stored.allTasks().filter((task) => !isTerminal(task.status));
  const leaves = open.filter((task) => stored.work.has(task.no));
  const unreached = Object.values(head.joins).some((join) => join.open > 0);
  must(leaves.length > 0 || unreached, () => `RUNNING, but nothing can happen: ${open.map(name)}`);
  for (const [no, loop] of Object.entries(head.loops)) {
    must(loop.open > 0 || stored.work.has(Number(no)), () => `Loop ${no} has nothing open and does not go on`);
  }
  for (const task of open.filter((task) => task.subWorkflowId !== undefined)) {
    const child = all.get(task.subWorkflowId ?? "")?.head;
    const isAlive = child !== undefined && !isWorkflowTerminal(child.status);
    must(isAlive, () => `${name(task)} waits for a child that is ${child?.status ?? "not there"}`);
  }
  const ended = stored.allTasks().filter((task) => isTerminal(task.status) && !task.executed && !task.retried);
  must(ended.length === 0, () => `${ended.map(name)} ended and nothing followed`);
}

/** A message says what its sender has stored, or had stored before it was opened again. */
export function checkMessage(event: Event, all: ReadonlyMap<string, StoredExecution>): void {
  if (event.kind === "start" && event.parentWorkflowId !== undefined) {
    const parent = all.get(event.parentWorkflowId)?.head;
    const no = parseTaskId(event.parentWorkflowTaskId ?? "")?.no ?? 0;
    must(no < (parent?.nextNo ?? 0), () => `A child of task ${no} starts, but there never was such a task`);
  }
  if (event.kind === "child-ended") {
    const child = all.get(event.childId)?.head;
    const wasReopened = child !== undefined && (child.lastRetriedTime > 0 || child.epoch > 0);
    const isOver = child !== undefined && isWorkflowTerminal(child.status);
    must(isOver || wasReopened, () => `A child is said to be ${event.status}, but it is ${child?.status}`);
  }
}

function checkNumbers(head: Head, tasks: readonly Task[]): void {
  const alive = new Set<string>();
  const seqs = new Set<number>();
  for (const task of tasks) {
    must(task.no < head.nextNo, () => `${name(task)} has number ${task.no}, the next is ${head.nextNo}`);
    must(task.seq < head.nextSeq, () => `${name(task)} has seq ${task.seq}, the next is ${head.nextSeq}`);
    must(task.seq === 0 || !seqs.has(task.seq), () => `seq ${task.seq} twice`);
    seqs.add(task.seq);
    if (task.retried) {
      must(isTerminal(task.status), () => `${name(task)} is retried and ${task.status}`);
      continue;
    }
    const key = `${name(task)} of tree ${task.tree} and join ${task.join}`;
    must(!alive.has(key), () => `${key} runs twice`);
    alive.add(key);
  }
}

function checkMessages(stored: StoredExecution, head: Head, tasks: readonly Task[]): void {
  const { first = 0, next = 0 } = head.messages ?? {};
  const numbers = Array.from({ length: next - first }, (_, index) => first + index);
  const kept = [...stored.messages.keys()];
  must(String(kept) === String(numbers), () => `Messages ${kept} are kept, the head knows of ${numbers}`);
  must(kept.length === 0 || !isWorkflowTerminal(head.status), () => `Messages wait for a ${head.status} execution`);
  if (kept.length === 0 || head.status !== "RUNNING") return;
  const idle = tasks.filter(
    ({ no, taskType, status }) =>
      taskType === "PULL_WORKFLOW_MESSAGES" && status === "IN_PROGRESS" && stored.work.get(no)?.dueAt === 0,
  );
  must(idle.length === 0, () => `${idle.map(name)} waits for a message while ${kept.length} are there`);
}

function checkCounters(stored: StoredExecution, head: Head, tasks: readonly Task[]): void {
  const counted = tasks.filter((task) => !task.retried && !task.executed && task.status !== "SKIPPED");
  const equal = (what: string, has: number | undefined, is: number) =>
    must(has === is, () => `The head counts ${has} for ${what}, the tasks ${is}`);
  equal("open tasks", head.open, counted.filter((task) => task.scope === 0).length);
  for (const [no, loop] of Object.entries(head.loops)) {
    equal(`loop ${no}`, loop.open, counted.filter((task) => task.scope === Number(no)).length);
    const loopTask = tasks.find((task) => task.no === Number(no));
    must(loopTask?.executed === false, () => `Loop ${no} is open in the head, but its task is over`);
  }
  for (const [no, open] of Object.entries(head.trees)) {
    equal(`tree ${no}`, open, counted.filter((task) => task.tree === Number(no)).length);
  }
  for (const task of tasks.filter((task) => !isTerminal(task.status))) {
    if (task.taskType === "DO_WHILE") must(head.loops[task.no] !== undefined, () => `${name(task)} is not counted`);
    if (task.taskType === "JOIN") equal(name(task), head.joins[task.no]?.open, openJoined(stored, head, tasks, task));
  }
}

/** Joined names whose youngest task is missing, or open, or holds open tasks of its own tree. */
function openJoined(stored: StoredExecution, head: Head, tasks: readonly Task[], join: Task): number {
  const { joinOn } = stored.payload(join.no, "input").value as { readonly joinOn: readonly string[] };
  const isDynamic = tasks.some((task) => task.join === join.no);
  const joined = tasks.filter((task) => (isDynamic ? task.join === join.no : task.tree === join.tree));
  const isOver = (ref: string) => {
    const youngest = joined.findLast((task) => name(task) === ref && !task.retried);
    return youngest?.executed === true && (head.trees[youngest.no] ?? 0) === 0;
  };
  return [...new Set(joinOn)].filter((ref) => !isOver(ref)).length;
}

const name = (task: Task | undefined): string => (task === undefined ? "nothing" : referenceTaskName(task));
