import type { Commit, DocumentPut, Store } from "@downbeat/store";
import type { Logger } from "../log.ts";

/** Things of executions that lie outside the store's own rows: files, large payloads. */
export type Belongings = {
  /** Asked for every removal, so it must be cheap. */
  readonly isOwner: (executionId: string) => Promise<boolean>;
  /** May be repeated. */
  readonly removeAllOf: (executionId: string) => Promise<void>;
};

const COLLECTION = "removed-execution";
const PAGE = 200;

/**
 * Removes executions together with what belongs to them. A note of what is still to go is committed with the removal
 * itself, so a crash in between leaves nothing behind for good.
 */
export class Removals {
  readonly #store: Store;
  readonly #log: Logger;
  readonly #belongings: Belongings[];

  constructor(options: { readonly store: Store; readonly log: Logger; readonly belongings: readonly Belongings[] }) {
    this.#store = options.store;
    this.#log = options.log;
    this.#belongings = [...options.belongings];
  }

  /** These go too from now on. */
  add(belongings: Belongings): void {
    this.#belongings.push(belongings);
  }

  /** Removes what was still to go when the server stopped. */
  async start(): Promise<void> {
    for (let start = 0; ; ) {
      const page = await this.#store.documents.list(COLLECTION, { start, limit: PAGE });
      for (const { id } of page) if (!(await this.#clear(id))) start++;
      if (page.length < PAGE) return;
    }
  }

  async remove(id: string, keepsSearchRow: boolean, documents: readonly DocumentPut[] = []): Promise<Commit["kind"]> {
    const owned = await Promise.all(this.#belongings.map((belongings) => belongings.isOwner(id)));
    const hasBelongings = owned.includes(true);
    const notes = hasBelongings
      ? [...documents, { collection: COLLECTION, id, body: "{}", mustBeNew: false }]
      : documents;
    const { kind } = await this.#store.commit({
      kind: "remove-execution",
      id,
      keepsSearchRow,
      ...(notes.length === 0 ? {} : { documents: notes }),
    });
    if (kind === "done" && hasBelongings) await this.#clear(id);
    return kind;
  }

  /** False when something could not be removed: the note stays, and the next start tries again. */
  async #clear(id: string): Promise<boolean> {
    try {
      for (const belongings of this.#belongings) await belongings.removeAllOf(id);
      await this.#store.commit({ kind: "delete-documents", collection: COLLECTION, ids: [id] });
      return true;
    } catch (error) {
      this.#log.error("What belonged to a removed execution could not be removed; trying again at the next start", {
        id,
        error: String(error),
      });
      return false;
    }
  }
}
