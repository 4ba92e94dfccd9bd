import { describe } from "vitest";
import { describeStore } from "../src/conformance/describe-store.ts";
import { openPostgresStore } from "../src/postgres/store.ts";
import { hasPostgres, newDatabase, testThatPostgresIsThere } from "./support/postgres.ts";

testThatPostgresIsThere();

describe.skipIf(!hasPostgres)("on PostgreSQL", () => {
  describeStore("the PostgreSQL store", async () => {
    const options = { url: await newDatabase(), node: "node-1" };
    const store = await openPostgresStore(options);
    return {
      store,
      async reopen() {
        await store.close();
        return openPostgresStore(options);
      },
    };
  });
});
