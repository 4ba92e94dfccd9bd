import type { Commit, TakenWork, Taking, Unit } from "../port.ts";
import { codeOf, isLost, isRetryable, messageOf } from "./connection.ts";
import { isAlone, keysOf, type Writing } from "./keys.ts";
import { Lane, type LaneOptions } from "./lane.ts";
import { type TakenRow, workFromTaken } from "./taken.ts";
import { safeText } from "./text.ts";

export type WriterOptions = Omit<LaneOptions, "name" | "onStatement"> & {
  /** The database has been out of reach for so long that the writer gave up. */
  readonly onFailure: ((error: Error) => void) | undefined;
  readonly onStatement: () => void;
};

/** How much was written so far. Units per group tell how well groups form. */
type Written = { readonly groups: number; readonly units: number };

type Pending = {
  readonly unit: Writing;
  readonly keys: readonly string[];
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
};

/**
 * Groups under way at once, each on a connection of its own. The second starts only when as much is waiting as is under
 * way: groups half the size cost half as much again (200 callers on two cores: 0.50 against 0.65 ms of CPU, of server and
 * database, per execution of three tasks), and a second group gains something only where the disk is slow.
 */
const LANES = 2;
const LEAST_BESIDE = 16;
/** Or when the first takes this long: it may be waiting for another node, and the others shall not. */
const PATIENCE_MS = 10;
const GROUP_LIMIT = 1000;
/** Rows, and kilobytes of payloads: a group is one message to the database. */
const WEIGHT_LIMIT = 20_000;
/** A database that fails over is back by then. */
const GIVE_UP_MS = 60_000;
const CLOSE_MS = 5000;

/**
 * Gathers units into groups and answers their callers. Groups form by themselves: what arrives while all lanes are busy
 * goes together in the next group. Nothing here decides about a unit: every guard is the database's.
 */
export class Writer {
  readonly #lanes: readonly Lane[];
  readonly #idle: Lane[];
  readonly #onFailure: ((error: Error) => void) | undefined;
  #queue: Pending[] = [];
  /** Keys of the units that are under way. */
  readonly #busy = new Set<string>();
  #unitsUnderWay = 0;
  #isAlone = false;
  #isScheduled = false;
  #patience: NodeJS.Timeout | undefined;
  #failure: Error | undefined;
  #closing: Promise<void> | undefined;
  #onDrained: (() => void) | undefined;
  #writtenGroups = 0;
  #writtenUnits = 0;
  #giveUpMs = GIVE_UP_MS;

  constructor({ onFailure, ...options }: WriterOptions) {
    this.#onFailure = onFailure;
    this.#lanes = Array.from({ length: LANES }, (_, index) => new Lane({ ...options, name: String(index) }));
    this.#idle = [...this.#lanes];
  }

  async commit(unit: Unit): Promise<Commit> {
    return (await this.#write(unit)).commit;
  }

  /** Work of a queue, claimed; what has a limit comes as it is. */
  async take(taking: Taking): Promise<readonly TakenWork[]> {
    return (await this.#write({ kind: "take", ...taking })).taken;
  }

  #write(unit: Writing): Promise<Outcome> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#closing !== undefined) return Promise.reject(new Error("The store is closed"));
    return new Promise((resolve, reject) => {
      this.#queue.push({ unit, keys: keysOf(unit), resolve, reject });
      this.#schedule();
    });
  }

  get written(): Written {
    return { groups: this.#writtenGroups, units: this.#writtenUnits };
  }

  /** Commits given so far are finished first; later ones reject. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#giveUpMs = CLOSE_MS;
    if (this.#queue.length > 0 || this.#idle.length < this.#lanes.length) {
      await new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
    }
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  /** One group per turn of the event loop: everything that came in this turn goes together. */
  #schedule(): void {
    if (this.#isScheduled || this.#idle.length === 0) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush({ isPatient = true } = {}): void {
    while (this.#isWorthwhile({ isPatient })) {
      const lane = this.#idle.pop();
      if (lane === undefined) return;
      const group = this.#takeGroup();
      if (group.length === 0) {
        this.#idle.push(lane);
        return;
      }
      for (const { keys } of group) for (const key of keys) this.#busy.add(key);
      this.#unitsUnderWay += group.length;
      // Its outcome is told to the callers of its units: nothing is left to be caught.
      void this.#send(lane, group).then(() => this.#release(lane, group));
    }
    if (this.#queue.length === 0 || this.#idle.length === 0 || this.#patience !== undefined) return;
    this.#patience = setTimeout(() => {
      this.#patience = undefined;
      this.#flush({ isPatient: false });
    }, PATIENCE_MS);
  }

  #isWorthwhile({ isPatient }: { readonly isPatient: boolean }): boolean {
    if (this.#queue.length === 0 || this.#isAlone) return false;
    if (this.#unitsUnderWay === 0 || !isPatient) return true;
    return this.#queue.length >= Math.max(LEAST_BESIDE, this.#unitsUnderWay);
  }

  /** Units whose keys are free. The others stay in line, and so does everything behind them that shares a key. */
  #takeGroup(): Pending[] {
    const group: Pending[] = [];
    const left: Pending[] = [];
    const taken = new Set<string>();
    let weight = 0;
    for (const [index, pending] of this.#queue.entries()) {
      const { unit, keys } = pending;
      if (group.length === GROUP_LIMIT || weight >= WEIGHT_LIMIT || isAlone(unit)) {
        const goesAlone = index === 0 && isAlone(unit) && this.#idle.length === this.#lanes.length - 1;
        if (goesAlone) {
          this.#isAlone = true;
          group.push(pending);
        }
        for (let rest = goesAlone ? 1 : index; rest < this.#queue.length; rest++) {
          const later = this.#queue[rest];
          if (later !== undefined) left.push(later);
        }
        break;
      }
      const isFree = keys.every((key) => !taken.has(key) && !this.#busy.has(key));
      for (const key of keys) taken.add(key);
      (isFree ? group : left).push(pending);
      if (isFree) weight += weightOf(unit);
    }
    this.#queue = left;
    return group;
  }

  #release(lane: Lane, group: readonly Pending[]): void {
    for (const { keys } of group) for (const key of keys) this.#busy.delete(key);
    this.#unitsUnderWay -= group.length;
    this.#isAlone = false;
    this.#idle.push(lane);
    this.#flush();
    if (this.#queue.length === 0 && this.#idle.length === this.#lanes.length) this.#onDrained?.();
  }

  async #send(lane: Lane, group: readonly Pending[]): Promise<void> {
    try {
      answerAll(group, await this.#tryUntilDone(lane, group));
      this.#writtenGroups++;
      this.#writtenUnits += group.length;
    } catch (error) {
      if (isLost(error)) {
        this.#fail(new Error(`The store could not write: ${messageOf(error)}`, { cause: error }), group);
      } else if (group.length === 1) {
        group[0]?.reject(new Error(`The store could not write: ${messageOf(error)}`, { cause: error }));
      } else {
        // Some unit of the group cannot be written. The others must not suffer for it.
        const middle = group.length >> 1;
        await this.#send(lane, group.slice(0, middle));
        await this.#send(lane, group.slice(middle));
      }
    }
  }

  /** The same group under the same number, until the database says what became of it. */
  async #tryUntilDone(lane: Lane, group: readonly Pending[]): Promise<string> {
    const units = group.map(({ unit }) => unit);
    lane.next();
    let showsAll = false;
    let lostAt: number | undefined;
    for (let attempt = 0; ; attempt++) {
      try {
        return await lane.send(units, { showsAll });
      } catch (error) {
        if (codeOf(error) === SHOWN_HAS_CHANGED) {
          showsAll = true;
        } else if (isLost(error)) {
          lane.drop();
          lostAt ??= performance.now();
          if (performance.now() - lostAt > this.#giveUpMs || this.#failure !== undefined) throw error;
          await pause(attempt);
        } else if (isRetryable(error) && attempt < MOST_ATTEMPTS) {
          await pause(attempt);
        } else {
          throw error;
        }
      }
    }
  }

  #fail(error: Error, group: readonly Pending[]): void {
    if (this.#failure === undefined && this.#closing === undefined) this.#onFailure?.(error);
    this.#failure ??= error;
    const failed = [...group, ...this.#queue];
    this.#queue = [];
    for (const { reject } of failed) reject(error);
  }
}

function weightOf(unit: Writing): number {
  if (unit.kind !== "transition" || unit.changes === undefined) return 1;
  const { newTasks, changedTasks, work, payloads } = unit.changes;
  let weight = 1 + newTasks.length + changedTasks.length + work.size;
  for (const { text } of payloads) weight += text.length / 1000;
  return weight;
}

const SHOWN_HAS_CHANGED = "DB001";
/** Units that lose this many races in a row are told so. */
const MOST_ATTEMPTS = 20;

/** Longer from time to time: the database may need some to come back. */
const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.min(500, 2 ** attempt) * Math.random()));

type Outcome = { readonly commit: Commit; readonly taken: readonly TakenWork[] };
type Guard = Extract<Commit, { kind: "conflict" }>["guard"];

function answerAll(group: readonly Pending[], answer: string): void {
  const [failed = "", taken = "", watched = ""] = answer === "" ? [] : answer.split("\n");
  const guards = new Map<number, Guard>();
  for (const failure of failed === "" ? [] : failed.split(",")) {
    const [ord, guard] = failure.split(" ");
    guards.set(Number(ord), guard as Guard);
  }
  const takings = taken === "" ? {} : (JSON.parse(taken) as Record<string, TakenRow[]>);
  const watchers = watchersById(watched);
  for (const [ord, { unit, resolve }] of group.entries()) {
    const guard = guards.get(ord);
    const commit: Commit = guard === undefined ? done(unit, watchers) : { kind: "conflict", guard };
    const taken = (takings[ord] ?? []).map((row) => ({
      ...workFromTaken(row),
      isWatchedElsewhere: watchers !== undefined && (watchers.has(row[0]) || watchers.has("*")),
    }));
    resolve({ commit, taken });
  }
}

const DONE: Commit = { kind: "done" };

function done(unit: Writing, watchers: ReadonlyMap<string, readonly string[]> | undefined): Commit {
  if (watchers === undefined) return DONE;
  const id = unit.kind === "transition" ? unit.changes?.id : unit.kind === "claim" ? unit.id : undefined;
  if (id === undefined) return DONE;
  const nodes = [...(watchers.get(safeText(id)) ?? []), ...(watchers.get("*") ?? [])];
  return nodes.length === 0 ? DONE : { kind: "done", watchers: [...new Set(nodes)] };
}

function watchersById(text: string): ReadonlyMap<string, readonly string[]> | undefined {
  if (text === "") return undefined;
  const byId = new Map<string, string[]>();
  for (const entry of text.split("\t")) {
    const space = entry.indexOf(" ");
    const id = entry.slice(0, space);
    byId.set(id, [...(byId.get(id) ?? []), entry.slice(space + 1)]);
  }
  return byId;
}
