import type { MessageQueue } from "../execution/head.ts";
import type { Task } from "../execution/task.ts";
import type { Event, Refusal } from "./event.ts";
import { utf8Length } from "./finish.ts";
import type { Transition } from "./transition.ts";

export const PULL_WORKFLOW_MESSAGES = "PULL_WORKFLOW_MESSAGES";

/** What a task's output has around its messages. */
const AROUND_BYTES = 100;

/** A message came: it is put into the queue, and a task that waits for one takes it in the same transition. */
export function messageCame(t: Transition, { text }: Extract<Event, { kind: "message" }>): Refusal | undefined {
  const { id, status } = t.head;
  if (status !== "RUNNING") {
    return { code: "conflict", message: `Workflow ${id} is not in RUNNING state (current: ${status})` };
  }
  const { maxWaiting, keepMs } = t.context.settings.messages;
  const most = t.context.settings.maxTaskOutputBytes - AROUND_BYTES;
  const size = utf8Length(text);
  if (size > most) return { code: "invalid", message: `Expected a message of at most ${most} bytes, got ${size}` };
  const queue = queueOf(t);
  if (queue.next - queue.first >= maxWaiting) {
    const message = `Workflow message queue for workflowId=${id} has reached the maximum size of ${maxWaiting}`;
    return { code: "full", message };
  }
  t.putMessage(queue.next, text);
  t.patchHead({ messages: { ...queue, next: queue.next + 1, expiresAt: t.now + keepMs } });
  wakeOne(t);
  return undefined;
}

/** Takes the oldest messages out of the queue: `most` of them, and no more than fit into one output. */
export function takeMessages(t: Transition, most: number): readonly string[] {
  const queue = queueOf(t);
  const count = Math.min(most, queue.next - queue.first);
  if (count === 0) return [];
  const taken = fitting(
    t.messages(queue.first, queue.first + count),
    t.context.settings.maxTaskOutputBytes - AROUND_BYTES,
  );
  const first = queue.first + taken.length;
  t.dropMessages(first);
  t.patchHead({ messages: { ...queue, first } });
  return taken;
}

/** The next message wakes this task, or one of the others that wait. */
export function waitForMessage(t: Transition, { no }: Task): void {
  const queue = queueOf(t);
  if (queue.taskNo === no) return;
  const isAlone = queue.taskNo === undefined && queue.hasOthers !== true;
  t.patchHead({ messages: { ...queue, ...(isAlone ? { taskNo: no } : { hasOthers: true }) } });
}

/** The execution is over, and nobody will take what waits. */
export function dropQueue(t: Transition): void {
  const { messages } = t.head;
  if (messages === undefined) return;
  if (messages.first < messages.next) t.dropMessages(messages.next);
  t.patchHead({ messages: { first: messages.next, next: messages.next, expiresAt: 0 } });
}

/** Without messages whose time is over. */
function queueOf(t: Transition): MessageQueue {
  const queue = t.head.messages ?? { first: 0, next: 0, expiresAt: 0 };
  if (queue.first === queue.next || t.now < queue.expiresAt) return queue;
  t.dropMessages(queue.next);
  const empty = { ...queue, first: queue.next };
  t.patchHead({ messages: empty });
  return empty;
}

/** Lets one of the tasks that wait go on. Open tasks are looked through only when several waited at once. */
function wakeOne(t: Transition): void {
  const { taskNo, hasOthers, ...queue } = queueOf(t);
  if (taskNo === undefined && hasOthers !== true) return;
  const waiting = hasOthers === true ? t.openTasks(Number.MAX_SAFE_INTEGER) : [t.findTask(taskNo ?? 0)];
  const [task, next, ...others] = waiting.filter((one) => one !== undefined).filter(isWaiting);
  t.patchHead({
    messages: {
      ...queue,
      ...(next === undefined ? {} : { taskNo: next.no }),
      ...(others.length === 0 ? {} : { hasOthers: true }),
    },
  });
  if (task !== undefined) t.agenda.push({ kind: "run", no: task.no });
}

const isWaiting = ({ taskType, status }: Task): boolean =>
  taskType === PULL_WORKFLOW_MESSAGES && status === "IN_PROGRESS";

function fitting(texts: readonly string[], mostBytes: number): readonly string[] {
  let bytes = 0;
  let count = 0;
  for (const text of texts) {
    bytes += utf8Length(text) + 1;
    if (count > 0 && bytes > mostBytes) break;
    count++;
  }
  return texts.slice(0, count);
}
