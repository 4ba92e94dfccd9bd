import type { Store } from "@downbeat/store";
import type { Peers } from "../runtime/peers.ts";
import { canonicalEvent, type EventHandler } from "./handler.ts";

const COLLECTION = "event-handler";
const PAGE = 1000;

/** A handler that can be used: it has a name and an event. */
export type NamedHandler = EventHandler & { readonly name: string; readonly event: string };

/** `place` is its place among the others: they are listed in the order they came. */
type Stored = { readonly place: number; readonly handler: NamedHandler };

/** The registered event handlers, held in memory. Every change goes through here, to disk first, and counts at once. */
export class EventHandlers {
  readonly #store: Store;
  readonly #peers: Peers;
  readonly #byName = new Map<string, Stored>();
  #changes = 0;
  #changed: () => void = () => undefined;

  constructor(store: Store, peers: Peers) {
    this.#store = store;
    this.#peers = peers;
    peers.share(COLLECTION, () => this.load());
  }

  /** Reads them all; what another server has changed counts from then on. */
  async load(): Promise<void> {
    const changes = this.#changes;
    const read = new Map<string, Stored>();
    for (let start = 0; ; start += PAGE) {
      const page = await this.#store.documents.list(COLLECTION, { start, limit: PAGE });
      for (const { id, body } of page) read.set(id, JSON.parse(body) as Stored);
      if (page.length < PAGE) break;
    }
    // Something was changed here meanwhile: what was read may be older than that.
    if (changes !== this.#changes) return await this.load();
    this.#byName.clear();
    for (const [name, stored] of read) this.#byName.set(name, stored);
    this.#changed();
  }

  /** Called after every change. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  find(name: string): NamedHandler | undefined {
    return this.#byName.get(name)?.handler;
  }

  /** Oldest first. */
  all(): readonly NamedHandler[] {
    return [...this.#byName.values()].sort((a, b) => a.place - b.place).map(({ handler }) => handler);
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Those for one event, whichever brand either of them is written with. */
  of(event: string, activeOnly: boolean): readonly NamedHandler[] {
    const wanted = canonicalEvent(event);
    return this.all().filter((handler) => canonicalEvent(handler.event) === wanted && (handler.active || !activeOnly));
  }

  /** False when one of them must be new and is not: then none is stored. */
  async put(handlers: readonly NamedHandler[], mustBeNew: boolean): Promise<boolean> {
    const last = Math.max(0, ...[...this.#byName.values()].map(({ place }) => place));
    const stored = handlers.map((handler, index) => ({
      place: this.#byName.get(handler.name)?.place ?? last + 1 + index,
      handler,
    }));
    const documents = stored.map((one) => ({
      collection: COLLECTION,
      id: one.handler.name,
      body: JSON.stringify(one),
      mustBeNew,
    }));
    this.#changes++;
    const { kind } = await this.#store.commit({ kind: "put-documents", documents });
    if (kind !== "done") return false;
    for (const one of stored) this.#byName.set(one.handler.name, one);
    this.#changes++;
    this.#changed();
    await this.#peers.changed(COLLECTION);
    return true;
  }

  async remove(name: string): Promise<void> {
    this.#changes++;
    await this.#store.commit({ kind: "delete-documents", collection: COLLECTION, ids: [name] });
    this.#byName.delete(name);
    this.#changes++;
    this.#changed();
    await this.#peers.changed(COLLECTION);
  }
}
