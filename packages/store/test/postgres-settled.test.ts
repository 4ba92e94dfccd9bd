import { describe } from "vitest";
import { openPostgresStore } from "../src/postgres/store.ts";
import { administer, hasPostgres, newDatabase, testThatPostgresIsThere } from "./support/postgres.ts";
import { describeSettled } from "./support/settled.ts";

testThatPostgresIsThere();

describe.skipIf(!hasPostgres)("texts that have settled, on PostgreSQL", () => {
  let url = "";
  const counts = {
    blocks: "select count(*)::int as n from search_block",
    void: "select count(*)::int as n from search_void",
    loose: "select count(distinct exec)::int as n from search_text",
  } as const;

  describeSettled({
    open: async () => {
      url = await newDatabase();
      const settled = await openPostgresStore({ url, node: "settled", settleAfterMs: 20 });
      const other = await newDatabase();
      return [settled, await openPostgresStore({ url: other, node: "loose", settleAfterMs: 2 ** 31 - 1 })];
    },
    count: async (of) => Number((await administer(counts[of], url))[0]?.["n"]),
  });
});
