import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { aFolder } from "@downbeat/server/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { servePgvector } from "../support/pgvector.ts";
import { startToolServer, type ToolServer } from "../support/tool-server.ts";

const folder = aFolder();
let postgres: Awaited<ReturnType<typeof servePgvector>>;
let server: ToolServer;

beforeAll(async () => {
  postgres = await servePgvector();
  server = await startToolServer({
    "service.app.maxTaskOutputPayloadSizeThreshold": "100KB",
    "service.jdbc.instances[0].name": "lite",
    "service.jdbc.instances[0].connection.datasourceURL": `jdbc:sqlite:${join(folder, "shop.db")}`,
    "service.jdbc.instances[1].name": "pg",
    "service.jdbc.instances[1].connection.datasourceURL": `jdbc:${postgres.url}`,
    "service.jdbc.instances[1].connection.maximumPoolSize": "1",
    "service.jdbc.instances[2].name": "oracle",
    "service.jdbc.instances[2].connection.datasourceURL": "jdbc:oracle:thin:@host",
  });
  for (const connectionId of ["lite", "pg"]) {
    await server.runTask("JDBC", {
      connectionId,
      type: "UPDATE",
      statement: "create table item (id integer primary key, name text, price numeric)",
    });
  }
}, 60_000);
afterAll(async () => {
  await server.close();
  await postgres.close();
  rmSync(folder, { recursive: true, force: true });
});

const jdbc = (connectionId: string, statement: string, more: Record<string, unknown> = {}) =>
  server.runTask("JDBC", { connectionId, statement, ...more });

test.each(["lite", "pg"])("%s: rows are written and read, with parameters", async (connectionId) => {
  const insert = "insert into item (id, name, price) values (?, ?, ?), (2, 'why?', 3.5) -- really?";
  const written = await jdbc(connectionId, insert, {
    type: "UPDATE",
    parameters: ["1", "ha'penny", "0.5"],
    expectedUpdateCount: 2,
  });
  expect(written).toMatchObject({ status: "COMPLETED", outputData: { update_count: 2 } });
  const read = await jdbc(connectionId, "select * from item where id > ? and name <> '?' order by id", {
    type: "SELECT",
    parameters: [0],
  });
  expect(read.outputData).toEqual({
    result: [
      { id: 1, name: "ha'penny", price: 0.5 },
      { id: 2, name: "why?", price: 3.5 },
    ],
  });
});

test.each(["lite", "pg"])("%s: a count that is not the expected one undoes the update", async (connectionId) => {
  await jdbc(connectionId, "insert into item (id, name) values (70, 'kept'), (71, 'kept')");
  const task = await jdbc(connectionId, "update item set name = 'lost' where id >= 70", {
    type: "UPDATE",
    expectedUpdateCount: 1,
  });
  expect(task).toMatchObject({
    status: "FAILED",
    reasonForIncompletion: "Update count 2 does not match with expected update count 1",
  });
  const { outputData } = await jdbc(connectionId, "select name from item where id >= 70");
  expect(outputData["result"]).toEqual([{ name: "kept" }, { name: "kept" }]);
});

test.each([
  [{}, "FAILED_WITH_TERMINAL_ERROR", "Missing JDBC statement"],
  [
    { statement: "select 1", connectionId: "nope" },
    "FAILED_WITH_TERMINAL_ERROR",
    "No such datasource configured.  input: nope",
  ],
  [
    { statement: "select 1", connectionId: "oracle" },
    "FAILED_WITH_TERMINAL_ERROR",
    "No such datasource configured.  input: oracle",
  ],
  [{ statement: "select 1", connectionId: "lite", type: "PROCEDURE" }, "FAILED", "Unsupported Operation PROCEDURE"],
  [{ statement: "select * from nowhere", connectionId: "lite" }, "FAILED", "no such table: nowhere"],
  [{ statement: "select * from nowhere", integrationName: "pg" }, "FAILED", 'relation "nowhere" does not exist'],
  [
    { statement: "/* x */ ATTACH DATABASE '/tmp/other.db' as other", connectionId: "lite", type: "UPDATE" },
    "FAILED",
    "Expected a statement on the data of the connection, got ATTACH",
  ],
])("the input %j is %s: %s", async (input, status, reasonForIncompletion) => {
  expect(await server.runTask("JDBC", input)).toMatchObject({ status, reasonForIncompletion });
});

test.each([
  ["lite", "with recursive n(i) as (select 1 union all select i + 1 from n) select i, hex(zeroblob(500)) as h from n"],
  ["pg", "select i, repeat('x', 1000) as h from generate_series(1, 100000) as i"],
])(
  "%s: what does not fit into an output is not read to its end, and the connection goes on",
  async (connectionId, statement) => {
    const task = await jdbc(connectionId, statement);
    expect(task).toMatchObject({
      status: "FAILED",
      reasonForIncompletion: "Expected rows of at most 102400 bytes, got more: ask for fewer rows or columns",
    });
    expect((await jdbc(connectionId, "select 1 as one")).outputData).toEqual({ result: [{ one: 1 }] });
  },
);

test("numbers beyond JavaScript's and bytes come as texts", async () => {
  const { outputData } = await jdbc("lite", "select 9007199254740993 as big, x'00ff' as bytes, null as none");
  expect(outputData["result"]).toEqual([{ big: "9007199254740993", bytes: "AP8=", none: null }]);
  const pg = await jdbc(
    "pg",
    "select 9007199254740993::bigint as big, 5::bigint as small, '2026-01-02'::date as day, 1.10::numeric as n",
  );
  expect(pg.outputData["result"]).toEqual([{ big: "9007199254740993", small: 5, day: "2026-01-02", n: 1.1 }]);
});

test("nothing was written beside the file of the connection", () => {
  const database = new DatabaseSync(join(folder, "shop.db"), { readOnly: true });
  expect(database.prepare("select count(*) as n from item").get()).toEqual({ n: 4 });
  database.close();
});
