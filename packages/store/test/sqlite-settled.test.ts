import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { aHead, aStart, done } from "../src/conformance/builders.ts";
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

test("blocks of schema 7 are written again, and what was in them is found meanwhile", { timeout: 60_000 }, async () => {
  const COUNT = 2100;
  const path = pathOf("schema-7");
  mkdirSync(join(folder, "schema-7"));
  const before = openSqliteStore({ path, settleAfterMs: 20 });
  const input = { no: 0, slot: "input", text: '{"customer":"smith"}' } as const;
  await Promise.all(
    Array.from({ length: COUNT }, () => done(before, aStart(aHead({ status: "COMPLETED" }), { payloads: [input] }))),
  );
  const db = new DatabaseSync(path);
  const blocks = (): number => Number(db.prepare(counts.blocks).get()?.["n"]);
  while (blocks() === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await before.close();
  db.exec("pragma user_version = 7");

  const hits = (text: string): Promise<number> => after.search.countWorkflows({ where: [], text: [text] });
  let after = openSqliteStore({ path, settleAfterMs: 2 ** 31 - 1 });
  expect(blocks()).toBe(0);
  expect(await hits("smith")).toBe(COUNT);
  expect(await hits("jones")).toBe(0);
  await after.close();
  after = openSqliteStore({ path, settleAfterMs: 20 });
  while (blocks() === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await hits("smith")).toBe(COUNT);
  await after.close();
  db.close();
});

afterAll(() => {
  file.close();
  rmSync(folder, { recursive: true, force: true });
});
