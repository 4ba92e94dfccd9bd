import type { Store } from "@downbeat/store";
import type { Clock } from "../runtime/clock.ts";
import type { Peers } from "../runtime/peers.ts";
import type { GivenSchedule, Schedule, Tag } from "./schedule.ts";
import { checkSchedule } from "./schedule-rules.ts";

const COLLECTION = "schedule";
const PAGE = 1000;

/** A schedule as it is stored. Slots up to `since` are not its own: it was saved or resumed then. */
export type StoredSchedule = { readonly schedule: Schedule; readonly since: number; readonly revision: string };

type SchedulesOptions = {
  readonly store: Store;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly newId: () => string;
  /** What is stored under a name has changed; undefined when nothing is any more. */
  readonly onChange: (name: string, stored: StoredSchedule | undefined) => Promise<void>;
};

/** All schedules, held in memory. Every change goes through here, to disk first, and counts at once. */
export class Schedules {
  readonly #options: SchedulesOptions;
  readonly #byName = new Map<string, StoredSchedule>();
  /** The change under way of each name: the next one waits for it. */
  readonly #changing = new Map<string, Promise<void>>();

  constructor(options: SchedulesOptions) {
    this.#options = options;
    options.peers.share(COLLECTION, (name) => (name === undefined ? this.#refreshAll() : this.#refreshOne(name)));
  }

  async #refreshOne(name: string): Promise<void> {
    await this.refresh(name);
  }

  async #refreshAll(): Promise<void> {
    const names = new Set(this.#byName.keys());
    for (let start = 0; ; start += PAGE) {
      const page = await this.#options.store.documents.list(COLLECTION, { start, limit: PAGE });
      for (const { id } of page) names.add(id);
      if (page.length < PAGE) break;
    }
    for (const name of names) await this.refresh(name);
  }

  async load(): Promise<readonly StoredSchedule[]> {
    const { store } = this.#options;
    for (let start = 0; ; start += PAGE) {
      const page = await store.documents.list(COLLECTION, { start, limit: PAGE });
      for (const { id, body } of page) this.#byName.set(id, JSON.parse(body) as StoredSchedule);
      if (page.length < PAGE) return [...this.#byName.values()];
    }
  }

  find(name: string): Schedule | undefined {
    return this.#byName.get(name)?.schedule;
  }

  /** By name. */
  all(): readonly Schedule[] {
    return [...this.#byName.values()].map(({ schedule }) => schedule).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Creates it, or replaces all of it but when and by whom it was created, and its tags. Throws InvalidSchedule. */
  async save(given: GivenSchedule): Promise<Schedule> {
    const checked = checkSchedule(given);
    const { schedule } = await this.#change(checked.name, (before) => {
      const now = this.#options.clock();
      const { createTime = now, createdBy = "", tags } = before?.schedule ?? {};
      const owned = { createTime, updatedTime: now, createdBy, updatedBy: "" };
      return { since: now, schedule: { ...checked, ...owned, ...(tags === undefined ? {} : { tags }) } };
    });
    return schedule;
  }

  /** False when there is none of this name. */
  pause(name: string, reason: string | undefined): Promise<boolean> {
    return this.#patch(name, ({ schedule: { pausedReason: _old, ...schedule }, since }) => ({
      since,
      schedule: { ...schedule, paused: true, ...(reason === undefined ? {} : { pausedReason: reason }) },
    }));
  }

  /** Slots that it missed meanwhile are gone. One that is not paused stays as it is. */
  resume(name: string): Promise<boolean> {
    return this.#patch(name, (before) => {
      const { pausedReason: _reason, ...schedule } = before.schedule;
      return schedule.paused ? { since: this.#options.clock(), schedule: { ...schedule, paused: false } } : before;
    });
  }

  changeTags(name: string, change: (tags: readonly Tag[]) => readonly Tag[]): Promise<boolean> {
    return this.#patch(name, ({ schedule: { tags = [], ...schedule }, since }) => {
      const changed = change(tags);
      return { since, schedule: { ...schedule, ...(changed.length === 0 ? {} : { tags: changed }) } };
    });
  }

  async remove(name: string): Promise<void> {
    const { store, peers, onChange } = this.#options;
    await this.#inTurn(name, async () => {
      await store.commit({ kind: "delete-documents", collection: COLLECTION, ids: [name] });
      this.#byName.delete(name);
      await onChange(name, undefined);
      await store.commit({ kind: "forget-cursors", schedule: name });
      await peers.changed(COLLECTION, name);
    });
  }

  /** What the store says, which another node may have changed; memory follows it. */
  async refresh(name: string): Promise<StoredSchedule | undefined> {
    const { store, onChange } = this.#options;
    const body = await store.documents.find(COLLECTION, name);
    const known = this.#byName.get(name);
    if (body === undefined ? known === undefined : known !== undefined && body.startsWith(beginningOf(known)))
      return known;
    const stored = body === undefined ? undefined : (JSON.parse(body) as StoredSchedule);
    // A change of our own may be on its way: it tells for itself.
    if (this.#changing.has(name)) return stored;
    if (stored === undefined) this.#byName.delete(name);
    else this.#byName.set(name, stored);
    await onChange(name, stored);
    return stored;
  }

  async #patch(name: string, make: (before: StoredSchedule) => Omit<StoredSchedule, "revision">): Promise<boolean> {
    if (!this.#byName.has(name)) return false;
    try {
      await this.#change(name, (before) => {
        if (before === undefined) throw new Gone();
        const made = make(before);
        const updatedTime = this.#options.clock();
        return { ...made, schedule: { ...made.schedule, updatedTime, updatedBy: "" } };
      });
      return true;
    } catch (error) {
      // Removed while this waited for its turn.
      if (error instanceof Gone) return false;
      throw error;
    }
  }

  #change(
    name: string,
    make: (before: StoredSchedule | undefined) => Omit<StoredSchedule, "revision">,
  ): Promise<StoredSchedule> {
    const { store, peers, newId, onChange } = this.#options;
    return this.#inTurn(name, async () => {
      for (;;) {
        const before = await store.documents.find(COLLECTION, name);
        const known = before === undefined ? undefined : (JSON.parse(before) as StoredSchedule);
        const stored: StoredSchedule = { ...make(known), revision: newId() };
        const document = {
          collection: COLLECTION,
          id: name,
          body: bodyOf(stored),
          mustBeNew: before === undefined,
          ...(before === undefined ? {} : { replaces: before }),
        };
        const { kind } = await store.commit({ kind: "put-documents", documents: [document] });
        // Changed by another server meanwhile: the change is made to what it is now.
        if (kind !== "done") continue;
        this.#byName.set(name, stored);
        await onChange(name, stored);
        await peers.changed(COLLECTION, name);
        return stored;
      }
    });
  }

  async #inTurn<T>(name: string, change: () => Promise<T>): Promise<T> {
    const now = (this.#changing.get(name) ?? Promise.resolve()).then(change);
    const settled = now.then(
      () => undefined,
      () => undefined,
    );
    this.#changing.set(name, settled);
    try {
      return await now;
    } finally {
      if (this.#changing.get(name) === settled) this.#changing.delete(name);
    }
  }
}

class Gone extends Error {}

/** The revision comes first: whether a text is known is seen without reading all of it. */
const beginningOf = ({ revision }: StoredSchedule): string => `{"revision":${JSON.stringify(revision)},`;

const bodyOf = ({ revision, since, schedule }: StoredSchedule): string => JSON.stringify({ revision, since, schedule });
