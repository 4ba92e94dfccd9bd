import type { Head } from "../execution/head.ts";
import type { Task } from "../execution/task.ts";
import type { Event } from "./event.ts";

/** What one transition writes: one atomic unit. */
export type Changes = {
  readonly id: string;
  /** Revision the transition was decided on; undefined when it creates the execution. */
  readonly baseRev: number | undefined;
  readonly head: Head;
  readonly newTasks: readonly Task[];
  readonly changedTasks: readonly Task[];
  readonly removedTasks: readonly number[];
  readonly payloads: readonly PayloadChange[];
  readonly work: ReadonlyMap<number, Work | undefined>;
  /** Events for other executions, delivered after the commit, each exactly once. */
  readonly sends: readonly Send[];
  readonly logs: readonly { readonly no: number; readonly at: number; readonly line: string }[];
  readonly cachePuts: readonly { readonly key: string; readonly text: string; readonly expiresAt: number }[];
  /** What became of the execution's message queue; absent when nothing did. */
  readonly messages?: MessageChanges;
  /** The transition did a bounded part of a large piece of work: send it `decide` again after the commit. */
  readonly continues: boolean;
};

export type PayloadChange = {
  /** 0: the execution's own. */
  readonly no: number;
  readonly slot: "input" | "output" | "variables";
  /** JSON, or the reference of what lies elsewhere. */
  readonly text: string;
};

/** The queue's messages are numbered; the numbers of those that wait are in the head. */
export type MessageChanges = {
  readonly puts: readonly { readonly n: number; readonly text: string }[];
  /** Messages with lower numbers are gone. */
  readonly from: number;
};

export type Send = { readonly target: string; readonly event: Event };

export type WorkState = "ready" | "delayed" | "waiting" | "claimed";

/**
 * What an open task waits for. `ready` work is offered to pollers of its queue; `delayed` becomes ready at `timer`;
 * `waiting` gives the execution a timer event at `timer`; `claimed` is with a worker until `timer`.
 */
export type Work = {
  readonly state: WorkState;
  /** Empty for work that nobody polls. */
  readonly queue: string;
  readonly priority: number;
  /** Order inside the queue: when it became, or becomes, available. */
  readonly dueAt: number;
  /** Next deadline, epoch ms; 0 for none. */
  readonly timerAt: number;
  /** Poll, response, run and total deadlines that a claim needs to set the next timer; 0 for none. */
  readonly pollMs: number;
  readonly responseMs: number;
  readonly runMs: number;
  readonly totalAt: number;
  readonly limit: Limit | undefined;
  readonly startedAt: number;
  readonly polledAt: number;
  readonly polls: number;
  readonly workerId: string | undefined;
};

/** Limits of a task definition, enforced at the claim. */
export type Limit = {
  readonly name: string;
  readonly concurrent: number;
  readonly perWindow: number;
  readonly windowMs: number;
};
