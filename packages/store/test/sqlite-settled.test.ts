import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll } from "vitest";
import { openSqliteStore } from "../src/index.ts";
import { describeSettled } from "./support/settled.ts";

const folder = mkdtempSync(join(tmpdir(), "downbeat-settled-"));
const pathOf = (name: string): string => join(folder, name, "downbeat.db");
let file: DatabaseSync;

const counts = {
  blocks: "select count(*) as n from search_block",
  void: "select count(*) as n from search_void",
  loose: "select count(distinct key >> 6) as n from search_text",
} as const;

describeSettled({
  open: async () => {
    for (const name of ["settled", "loose"]) mkdirSync(join(folder, name));
    const settled = openSqliteStore({ path: pathOf("settled"), settleAfterMs: 20 });
    file = new DatabaseSync(pathOf("settled"), { readOnly: true });
    return [settled, openSqliteStore({ path: pathOf("loose"), settleAfterMs: 2 ** 31 - 1 })];
  },
  count: async (of) => Number(file.prepare(counts[of]).get()?.["n"]),
});

afterAll(() => {
  file.close();
  rmSync(folder, { recursive: true, force: true });
});
