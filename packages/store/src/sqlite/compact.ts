import type { Head, Task } from "@downbeat/engine";

/**
 * Heads and tasks as stored text: fields that have their usual value are left out. A worker's task shrinks from 480
 * characters to 200; every step writes two such texts and sends them to the writer thread.
 */
export const headText = (head: Head): string =>
  JSON.stringify({
    ...head,
    epoch: head.epoch || undefined,
    updateTime: head.updateTime || undefined,
    endTime: head.endTime || undefined,
    lastRetriedTime: head.lastRetriedTime || undefined,
    priority: head.priority || undefined,
    taskToDomain: unlessEmpty(head.taskToDomain),
    failedReferenceTaskNames: unlessEmpty(head.failedReferenceTaskNames),
    failedTaskNames: unlessEmpty(head.failedTaskNames),
    open: head.open || undefined,
    loops: unlessEmpty(head.loops),
    joins: unlessEmpty(head.joins),
    trees: unlessEmpty(head.trees),
    forks: unlessEmpty(head.forks),
    skipped: unlessEmpty(head.skipped),
    hasPermissiveFailure: head.hasPermissiveFailure || undefined,
    hasFailures: head.hasFailures || undefined,
    dynamicForks: head.dynamicForks || undefined,
  });

export const taskText = (task: Task): string =>
  JSON.stringify({
    ...task,
    iter: task.iter || undefined,
    scope: task.scope || undefined,
    tree: task.tree || undefined,
    join: task.join || undefined,
    retryCount: task.retryCount || undefined,
    retried: task.retried || undefined,
    executed: task.executed || undefined,
    startTime: task.startTime || undefined,
    endTime: task.endTime || undefined,
    updateTime: task.updateTime || undefined,
    startDelayInSeconds: task.startDelayInSeconds || undefined,
    callbackAfterSeconds: task.callbackAfterSeconds || undefined,
    pollCount: task.pollCount || undefined,
    iteration: task.iteration || undefined,
    priority: task.priority || undefined,
  });

export const headFromText = (text: string): Head => ({ ...usualHead, ...(JSON.parse(text) as Head) });
export const taskFromText = (text: string): Task => ({ ...usualTask, ...(JSON.parse(text) as Task) });
/** Some are read faster as one text than each by itself. Not all of them: a long text outlives the first collection. */
export function tasksFromTexts(texts: readonly string[]): Task[] {
  const tasks: Task[] = [];
  for (let start = 0; start < texts.length; start += LOT) {
    const lot = JSON.parse(`[${texts.slice(start, start + LOT).join(",")}]`) as Task[];
    for (const task of lot) tasks.push({ ...usualTask, ...task });
  }
  return tasks;
}

const LOT = 64;

// Part of the file format: rows that were written with these left out are read with them for ever. So they are spelled
// out here, whatever the engine starts an execution with.
const usualTask = {
  iter: "",
  scope: 0,
  tree: 0,
  join: 0,
  retryCount: 0,
  retried: false,
  executed: false,
  startTime: 0,
  endTime: 0,
  updateTime: 0,
  startDelayInSeconds: 0,
  callbackAfterSeconds: 0,
  pollCount: 0,
  iteration: 0,
  priority: 0,
} satisfies Partial<Task>;

const usualHead = {
  epoch: 0,
  updateTime: 0,
  endTime: 0,
  lastRetriedTime: 0,
  priority: 0,
  taskToDomain: {},
  failedReferenceTaskNames: [],
  failedTaskNames: [],
  open: 0,
  loops: {},
  joins: {},
  trees: {},
  forks: {},
  skipped: [],
  hasPermissiveFailure: false,
  hasFailures: false,
  dynamicForks: 0,
} satisfies Partial<Head>;

function unlessEmpty<T extends object>(value: T): T | undefined {
  for (const _key in value) return value;
  return undefined;
}
