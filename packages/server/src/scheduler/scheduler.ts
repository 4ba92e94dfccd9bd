import type { JsonObject } from "@downbeat/engine";
import type { ScheduleRun } from "@downbeat/store";
import { AppliedBefore, type Attached } from "../runtime/dispatcher.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { BY_HAND, type Firing, injectedInput, requestOf, toFailedRun, toRun } from "./run.ts";
import { RunRetention } from "./run-retention.ts";
import type { Schedule, ScheduledRequest } from "./schedule.ts";
import { Schedules, type StoredSchedule } from "./schedules.ts";
import { SlotTimer } from "./slot-timer.ts";
import { type Slots, slotsOf } from "./slots.ts";

/** One cron expression of a schedule and the slot it is at. */
type Entry = {
  readonly name: string;
  readonly revision: string;
  readonly index: number;
  readonly slots: Slots;
  slotAt: number;
  fireAt: number;
  place: number;
};

export type SchedulerOptions = {
  readonly runtime: Runtime;
  /** Starts what a request asks for, with more in its input. Nothing is committed when it finds one that was there. */
  readonly start: (
    request: ScheduledRequest,
    more: JsonObject,
    attached: Attached,
  ) => Promise<{ readonly id: string; readonly isNew: boolean }>;
  /** Why a start failed, in words for people. */
  readonly reasonOf: (error: unknown) => string;
  /** How many other servers go before this one for a key; the peers know when nothing is said. */
  readonly ranks?: (key: string) => number;
};

const SECOND = 1000;
/** How long the nodes before this one have for a slot. */
const RANK_MS = 150;

/**
 * Fires schedules. A slot's record and the execution it starts are one commit, whose guard is that the slot comes after
 * those that were dealt with: so each slot is fired once, whatever crashes and however many nodes try.
 */
export class Scheduler {
  readonly schedules: Schedules;
  readonly #options: SchedulerOptions;
  readonly #timer: SlotTimer<Entry>;
  readonly #retention: RunRetention;
  readonly #entries = new Map<string, readonly Entry[]>();
  #beginning: NodeJS.Timeout | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { store, peers, clock, log, config, newExecutionId } = options.runtime;
    this.schedules = new Schedules({
      store,
      peers,
      clock,
      newId: newExecutionId,
      onChange: (name, stored) => this.#follow(name, stored),
    });
    this.#timer = new SlotTimer({ clock, log, onDue: (entry) => this.#dealWith(entry) });
    this.#retention = new RunRetention({
      store,
      clock,
      log,
      keep: config["service.scheduler.archivalMaxRecords"],
      threshold: config["service.scheduler.archivalMaxRecordThreshold"],
      keepMs: config["service.scheduler.record-retention"],
    });
  }

  async start(): Promise<void> {
    const { store, config, log } = this.#options.runtime;
    const cursors = new Map<string, number>();
    for (const { schedule, entry, slotAt } of await store.schedules.cursors())
      cursors.set(`${entry} ${schedule}`, slotAt);
    for (const stored of await this.schedules.load()) {
      const { name } = stored.schedule;
      try {
        this.#arm(stored, (index) => cursors.get(`${index} ${name}`));
      } catch (error) {
        // Its zone is gone from the zone data, say. It must not keep the others, or the server, from starting.
        log.error("A schedule cannot be fired; save it again", { schedule: name, error: String(error) });
      }
    }
    this.#retention.start();
    this.#beginning = setTimeout(() => this.#timer.start(), config["service.scheduler.initialDelayMs"]);
  }

  /** Slots that are in hand are finished first. */
  async close(): Promise<void> {
    await this.hold();
    await this.#retention.close();
  }

  /** This server fires nothing until it is told to go on. */
  async hold(): Promise<void> {
    clearTimeout(this.#beginning);
    await this.#timer.stop();
  }

  goOn(): void {
    this.#timer.start();
  }

  /** The next slot of a schedule that is active. */
  nextRunTime({ name }: Schedule): number | undefined {
    const times = (this.#entries.get(name) ?? []).map(({ slotAt }) => slotAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Fires a schedule now, whatever its slots are, and gives the record. */
  async runNow(schedule: Schedule): Promise<ScheduleRun> {
    const now = this.#options.runtime.clock();
    const { cronExpression = "", zone = "UTC" } = slotsOf(schedule)[0] ?? {};
    const run = await this.#fire({
      schedule,
      entry: BY_HAND,
      slotAt: now,
      firedAt: now,
      runId: this.#options.runtime.newExecutionId(),
      cronExpression,
      zone,
    });
    if (run === undefined) throw new Error(`Expected a run of "${schedule.name}" by hand to stand in no other's way`);
    return run;
  }

  async #follow(name: string, stored: StoredSchedule | undefined): Promise<void> {
    if (stored === undefined) {
      this.#disarm(name);
      this.#retention.forget(name);
      return;
    }
    const { schedules } = this.#options.runtime.store;
    const cursors = await Promise.all(slotsOf(stored.schedule).map((_, index) => schedules.cursor(name, index)));
    this.#arm(stored, (index) => cursors[index]);
  }

  #arm({ schedule, since, revision }: StoredSchedule, cursorOf: (index: number) => number | undefined): void {
    const { name, paused } = schedule;
    this.#disarm(name);
    if (paused) return;
    const entries: Entry[] = [];
    for (const [index, slots] of slotsOf(schedule).entries()) {
      const slotAt = slots.after(Math.max(since, cursorOf(index) ?? 0));
      if (slotAt === undefined) continue;
      entries.push({ name, revision, index, slots, slotAt, fireAt: this.#fireAt(slotAt, 0), place: -1 });
    }
    this.#entries.set(name, entries);
    for (const entry of entries) this.#timer.add(entry);
  }

  #disarm(name: string): void {
    for (const entry of this.#entries.get(name) ?? []) this.#timer.remove(entry);
    this.#entries.delete(name);
  }

  /** Slots that are late are caught up on at a rate; others are spread a little, if wanted, when many are due at once. */
  #fireAt(slotAt: number, lastFiredAt: number): number {
    const { config, clock } = this.#options.runtime;
    if (slotAt <= clock()) return lastFiredAt + SECOND / config["service.scheduler.catchup-rate"];
    return slotAt + this.#timer.spread(config["service.scheduler.maxScheduleJitterMs"]);
  }

  /** Deals with the slot an entry is at; gives when the next is due. */
  async #dealWith(entry: Entry): Promise<number | undefined> {
    const { runtime } = this.#options;
    const { name, index, slots, slotAt } = entry;
    await this.#letOthersGoFirst(entry);
    const stored = await this.schedules.refresh(name);
    // Changed elsewhere: entries of what it is now have taken over.
    if (stored?.revision !== entry.revision) return undefined;
    const { schedule } = stored;
    const now = runtime.clock();
    const isLate = now - slotAt > runtime.config["service.scheduler.misfire-grace"];
    const isTooLate = isLate && !schedule.runCatchupScheduleInstances;
    const seen = isTooLate || this.#rankOf(entry) > 0 ? await this.#cursorOf(entry) : undefined;
    if (seen !== undefined && seen >= slotAt) return this.#moveOn(entry, seen);
    if (isTooLate) {
      const skipped = { schedule: name, entry: index, slotAt: now };
      const { kind } = await runtime.store.commit({ kind: "skip-slots", cursor: skipped, seen });
      return this.#moveOn(entry, kind === "done" ? now : await this.#lastOf(entry));
    }
    const { cronExpression, zone } = slots;
    const runId = runtime.newExecutionId();
    const run = await this.#fire({ schedule, entry: index, slotAt, firedAt: now, runId, cronExpression, zone });
    return this.#moveOn(entry, run === undefined ? await this.#lastOf(entry) : slotAt);
  }

  #moveOn(entry: Entry, after: number): number | undefined {
    const slotAt = entry.slots.after(after);
    if (slotAt === undefined) {
      const entries = this.#entries.get(entry.name);
      if (entries !== undefined)
        this.#entries.set(
          entry.name,
          entries.filter((one) => one !== entry),
        );
      return undefined;
    }
    entry.slotAt = slotAt;
    return this.#fireAt(slotAt, this.#options.runtime.clock());
  }

  #rankOf({ name, index, slotAt }: Entry): number {
    const { runtime, ranks = (key) => runtime.peers.rank(key) } = this.#options;
    return ranks(`${slotAt} ${index} ${name}`);
  }

  async #letOthersGoFirst(entry: Entry): Promise<void> {
    const rank = this.#rankOf(entry);
    if (rank > 0) await new Promise((resolve) => setTimeout(resolve, rank * RANK_MS));
  }

  async #cursorOf({ name, index }: Entry): Promise<number | undefined> {
    return await this.#options.runtime.store.schedules.cursor(name, index);
  }

  /** The last slot that was dealt with, where another node has dealt with this one: it may be further than that. */
  async #lastOf(entry: Entry): Promise<number> {
    return Math.max(entry.slotAt, (await this.#cursorOf(entry)) ?? 0);
  }

  /**
   * Starts the execution and writes the record with it; what cannot be started is a record of its own. Undefined when the
   * slot was dealt with before.
   */
  async #fire(firing: Firing): Promise<ScheduleRun | undefined> {
    const { start } = this.#options;
    const run = toRun(firing);
    try {
      const { id, isNew } = await start(requestOf(firing), injectedInput(firing), { run });
      const done = { ...run, workflowId: id };
      if (!isNew) await this.#record(done);
      this.#retention.note(run.schedule);
      return done;
    } catch (error) {
      if (error instanceof AppliedBefore) return undefined;
      return await this.#recordFailure(firing, error);
    }
  }

  async #recordFailure(firing: Firing, error: unknown): Promise<ScheduleRun> {
    const { runtime, reasonOf } = this.#options;
    const reason = reasonOf(error);
    const { name } = firing.schedule;
    runtime.log.warn("A schedule could not start its workflow", { schedule: name, slotAt: firing.slotAt, reason });
    const run = toFailedRun(firing, reason);
    await this.#record(run);
    this.#retention.note(name);
    return run;
  }

  async #record(run: ScheduleRun): Promise<void> {
    await this.#options.runtime.store.commit({ kind: "schedule-run", run });
  }
}
