import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { describeStore } from "../src/conformance/describe-store.ts";
import { openSqliteStore } from "../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "downbeat-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
describeStore("the SQLite store", async () => {
  const path = join(folder, `${files++}.db`);
  const store = openSqliteStore({ path });
  return {
    store,
    async reopen() {
      await store.close();
      return openSqliteStore({ path });
    },
  };
});
