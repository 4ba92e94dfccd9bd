import { type Head, isTerminal, type RawJson, referenceTaskName, type Task } from "@downbeat/engine";
import type { Runtime } from "@downbeat/server";
import type { Message } from "./messages.ts";
import { wordsOf } from "./words.ts";

export type PastReads = {
  readonly executions: Runtime["store"]["executions"];
  readonly payloads: Pick<Runtime["payloads"], "whole">;
};

/** What a conversation may ask of a task that has ended. */
export type PastTask = Pick<
  Task,
  | "no"
  | "ref"
  | "scope"
  | "tree"
  | "iteration"
  | "retried"
  | "retryCount"
  | "status"
  | "taskType"
  | "taskDefName"
  | "reasonForIncompletion"
> & { readonly name: string };

/** What one task said, and whether it was cut off by the token limit. */
export type Said = {
  readonly messages: readonly Message[];
  readonly isCutOff: boolean;
  /** Calls that the messages answer: more tasks may come that answer them too. */
  readonly callIds: readonly string[];
};

/** More than these are not looked up one by one. */
const MANY_OPEN = 50;
const OWN_BYTES = 1000;
const TASK_BYTES = 400;
/** A message is kept as itself, as text and as the model libraries take it, in two bytes a character at worst. */
const BYTES_PER_CHARACTER = 6;
const MESSAGE_BYTES = 500;

/**
 * The past of one execution: its ended tasks, and what was made of them. Neither changes while the execution goes on, so
 * a turn reads only what ended since the last one. When something does change (`revisedAt` of the head, or its epoch)
 * everything is read again.
 */
export class Past {
  readonly #reads: PastReads;
  #epoch = 0;
  #revisedAt: number | undefined;
  /** Number of the first task that was not read yet. */
  #next = 0;
  #open: number[] = [];
  #ended: PastTask[] = [];
  readonly #answers = new Map<string, PastTask[]>();
  readonly #said = new Map<string, Said & { readonly answers: number }>();
  #bytes = OWN_BYTES;

  constructor(reads: PastReads) {
    this.#reads = reads;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Tasks that have ended, in the order they began; of each attempt. */
  get ended(): readonly PastTask[] {
    return this.#ended;
  }

  /** Reads what has ended since the last time. */
  async catchUp(head: Head): Promise<void> {
    const isOther = head.epoch !== this.#epoch || head.revisedAt !== this.#revisedAt;
    if (isOther || this.#open.length > MANY_OPEN) this.#forget(head);
    const { executions } = this.#reads;
    const tasks: Task[] = [];
    for (const no of this.#open) {
      const task = await executions.task(head.id, no);
      if (task !== undefined) tasks.push(task);
    }
    tasks.push(...(await executions.all(head, this.#next)));
    this.#open = tasks.filter(({ status }) => !isTerminal(status)).map(({ no }) => no);
    this.#next = Math.max(this.#next, ...tasks.slice(-1).map(({ no }) => no + 1));
    for (const task of tasks) if (isTerminal(task.status)) this.#add(task);
  }

  async payload(head: Head, no: number, slot: "input" | "output"): Promise<RawJson> {
    const { executions, payloads } = this.#reads;
    return await payloads.whole(await executions.payload(head.id, no, slot));
  }

  /** The tasks of a call: its own, or those of a dynamic fork, which carry the call's id with something behind it. */
  answersTo(callId: string): readonly PastTask[] {
    if (callId === "") return [];
    let answers = this.#answers.get(callId);
    if (answers === undefined) {
      answers = this.#ended.filter((task) => isAnswer(task, callId));
      this.#answers.set(callId, answers);
      this.#bytes += MESSAGE_BYTES;
    }
    return answers;
  }

  /** What was made of a task under this name, unless there are more answers to its calls by now. */
  findSaid(name: string): Said | undefined {
    const known = this.#said.get(name);
    return known !== undefined && known.answers === this.#countAnswers(known) ? known : undefined;
  }

  keepSaid(name: string, said: Said): Said {
    this.#said.set(name, { ...said, answers: this.#countAnswers(said) });
    this.#bytes += said.messages.reduce((sum, message) => sum + bytesOf(message), 0);
    return said;
  }

  #countAnswers({ callIds }: Said): number {
    return callIds.reduce((sum, id) => sum + this.answersTo(id).length, 0);
  }

  #add(task: Task): void {
    const past = pastTask(task);
    addInOrder(this.#ended, past);
    for (const [callId, answers] of this.#answers) if (isAnswer(past, callId)) addInOrder(answers, past);
    this.#bytes += TASK_BYTES;
  }

  #forget({ epoch, revisedAt }: Head): void {
    this.#epoch = epoch;
    this.#revisedAt = revisedAt;
    this.#next = 0;
    this.#open = [];
    this.#ended = [];
    this.#answers.clear();
    this.#said.clear();
    this.#bytes = OWN_BYTES;
  }
}

/** What began earlier may end later. */
function addInOrder(tasks: PastTask[], task: PastTask): void {
  const isLast = task.no > (tasks.at(-1)?.no ?? 0);
  tasks.push(task);
  if (!isLast) tasks.sort((one, other) => one.no - other.no);
}

const isAnswer = ({ ref, name }: PastTask, callId: string): boolean =>
  ref === callId || name === callId || (ref.startsWith(callId) && ref[callId.length] === "_");

const bytesOf = (message: Message): number => MESSAGE_BYTES + wordsOf(message).length * BYTES_PER_CHARACTER;

function pastTask(task: Task): PastTask {
  const { no, ref, scope, tree, iteration, retried, retryCount, status, taskType, taskDefName } = task;
  const { reasonForIncompletion: reason } = task;
  return {
    ...{ no, ref, name: referenceTaskName(task), scope, tree, iteration, retried, retryCount, status },
    ...{ taskType, taskDefName, ...(reason === undefined ? {} : { reasonForIncompletion: reason }) },
  };
}
