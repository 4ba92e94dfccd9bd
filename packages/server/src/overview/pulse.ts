import { type Head, isWorkflowTerminal, type WorkflowStatus } from "@downbeat/engine";
import type { Committed } from "../runtime/commit-feed.ts";

export type Minute = { at: number; started: number; completed: number; failed: number; terminated: number };

export type DefinitionPulse = {
  readonly name: string;
  readonly ended: number;
  readonly failed: number;
  readonly averageMs: number;
  readonly longestMs: number;
};

type Tally = { at: number; ended: number; failed: number; totalMs: number; longestMs: number };

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** A definition's hour is kept in this many pieces, so that the past leaves it bit by bit. */
const PIECES = 6;
const PIECE_MS = (MINUTES * MINUTE_MS) / PIECES;
/** Anyone can start anything under a name of their own: the least recent one makes room. */
const MOST_DEFINITIONS = 1000;

/**
 * What began and ended in the last hour, counted as it is committed: a look costs nothing that grows with the store. In
 * memory: it begins anew with the process.
 */
export class Pulse {
  readonly since: number;
  #minutes: Minute[] = [];
  readonly #definitions = new Map<string, Tally[]>();

  constructor(now: number) {
    this.since = now;
  }

  /** Told of every commit: it must not take long. */
  note(committed: Committed, now: number): void {
    if (committed.kind !== "changes" || committed.statusBefore === committed.changes.head.status) return;
    const { head } = committed.changes;
    const minute = this.#minuteOf(now);
    if (committed.statusBefore === undefined) minute.started += 1;
    if (!isWorkflowTerminal(head.status)) return;
    minute[outcomes[head.status] ?? "terminated"] += 1;
    this.#tally(head, now);
  }

  /** The last hour by minutes, oldest first, quiet ones too. */
  minutes(now: number): Minute[] {
    const last = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    const known = new Map(this.#minutes.map((minute) => [minute.at, minute]));
    return Array.from({ length: MINUTES }, (_, i) => {
      const at = last - (MINUTES - 1 - i) * MINUTE_MS;
      return known.get(at) ?? emptyMinute(at);
    });
  }

  /** Definitions whose executions took longest on average in the last hour, slowest first. */
  slowest(now: number, count: number): DefinitionPulse[] {
    const found: DefinitionPulse[] = [];
    for (const [name, pieces] of this.#definitions) {
      const recent = pieces.filter(({ at }) => at > now - MINUTES * MINUTE_MS);
      const ended = sum(recent.map((piece) => piece.ended));
      if (ended === 0) continue;
      found.push({
        name,
        ended,
        failed: sum(recent.map((piece) => piece.failed)),
        averageMs: Math.round(sum(recent.map((piece) => piece.totalMs)) / ended),
        longestMs: Math.max(...recent.map((piece) => piece.longestMs)),
      });
    }
    return found.sort((a, b) => b.averageMs - a.averageMs).slice(0, count);
  }

  #minuteOf(now: number): Minute {
    const at = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    let minute = this.#minutes.at(-1);
    if (minute === undefined || minute.at < at) {
      minute = emptyMinute(at);
      this.#minutes = [...this.#minutes.slice(1 - MINUTES), minute];
    }
    return minute;
  }

  #tally({ workflowName, createTime, endTime, status }: Head, now: number): void {
    const pieces = this.#definitions.get(workflowName) ?? [];
    this.#definitions.delete(workflowName);
    if (this.#definitions.size >= MOST_DEFINITIONS) {
      const [oldest] = this.#definitions.keys();
      if (oldest !== undefined) this.#definitions.delete(oldest);
    }
    const at = Math.floor(now / PIECE_MS) * PIECE_MS;
    let piece = pieces.at(-1);
    if (piece === undefined || piece.at < at) {
      piece = { at, ended: 0, failed: 0, totalMs: 0, longestMs: 0 };
      pieces.push(piece);
      if (pieces.length > PIECES) pieces.shift();
    }
    const tookMs = Math.max(0, (endTime || now) - createTime);
    piece.ended += 1;
    piece.totalMs += tookMs;
    piece.longestMs = Math.max(piece.longestMs, tookMs);
    if (outcomes[status] === "failed") piece.failed += 1;
    this.#definitions.set(workflowName, pieces);
  }
}

const outcomes: Partial<Record<WorkflowStatus, "completed" | "failed" | "terminated">> = {
  COMPLETED: "completed",
  FAILED: "failed",
  TIMED_OUT: "failed",
  TERMINATED: "terminated",
};

const emptyMinute = (at: number): Minute => ({ at, started: 0, completed: 0, failed: 0, terminated: 0 });
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
