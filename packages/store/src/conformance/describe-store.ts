import { afterAll, beforeAll, describe } from "vitest";
import type { Store } from "../port.ts";
import { describeDefinitions } from "./definitions.ts";
import { describeDocuments } from "./documents.ts";
import { describeDurability } from "./durability.ts";
import { describeGuards } from "./guards.ts";
import { describeLimits } from "./limits.ts";
import { describeMessages } from "./messages.ts";
import { describeOutbox } from "./outbox.ts";
import { describePayloads } from "./payloads.ts";
import { describeQueues } from "./queues.ts";
import { describeRemoval } from "./removal.ts";
import { describeSchedules } from "./schedules.ts";
import { describeSearch } from "./search.ts";
import { describeSearchTasks } from "./search-tasks.ts";
import { describeSearchText } from "./search-text.ts";
import { describeTasks } from "./tasks.ts";
import { describeUnits } from "./units.ts";

export type Opened = {
  readonly store: Store;
  /** Closes the store and opens the same data again, as a server that was restarted does. */
  readonly reopen: () => Promise<Store>;
};

/** How the parts of the suite get a store. */
export type Subject = {
  /** Shared by the tests of one run: they use ids and names of their own. */
  readonly store: () => Store;
  /** Empty, for tests about everything there is; closed by the suite. */
  readonly open: () => Promise<Opened>;
};

/** What every adapter promises: the port, in tests. `open` gives an empty store each time. */
export function describeStore(name: string, open: () => Promise<Opened>): void {
  describe(name, () => {
    const opened = new Set<Store>();
    const openTracked = async (): Promise<Opened> => {
      const { store, reopen } = await open();
      opened.add(store);
      return {
        store,
        async reopen() {
          const again = await reopen();
          opened.add(again);
          return again;
        },
      };
    };
    let shared: Store;
    beforeAll(async () => {
      shared = (await openTracked()).store;
    });
    afterAll(async () => {
      for (const store of opened) await store.close();
    });
    const subject: Subject = { store: () => shared, open: openTracked };
    describeUnits(subject);
    describeGuards(subject);
    describeLimits(subject);
    describePayloads(subject);
    describeTasks(subject);
    describeQueues(subject);
    describeOutbox(subject);
    describeDefinitions(subject);
    describeDocuments(subject);
    describeSchedules(subject);
    describeMessages(subject);
    describeRemoval(subject);
    describeSearch(subject);
    describeSearchTasks(subject);
    describeSearchText(subject);
    describeDurability(subject);
  });
}
