import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Client } from "./connection.ts";

const folder = fileURLToPath(new URL("./schema/", import.meta.url));

/** Any number will do, as long as nobody else locks by it. */
const MIGRATION_LOCK = 0x646f776e;

/** Brings the database to the newest schema. Many nodes may start at once: one migrates, the others wait for it. */
export async function migrate(client: Client): Promise<void> {
  await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
  try {
    await assertEncoding(client);
    await client.query("create table if not exists schema_version (version int not null)");
    const current = await currentVersion(client);
    const migrations = readdirSync(folder)
      .filter((name) => /^\d{4}-.+\.sql$/.test(name))
      .sort()
      .map((name) => ({ name, number: Number(name.slice(0, 4)) }));
    const newest = migrations.at(-1)?.number ?? 0;
    if (current > newest) {
      throw new Error(
        `Expected a database of schema ${newest} or older, got schema ${current}: it was written by a newer version`,
      );
    }
    for (const { name, number } of migrations) {
      if (number > current) await apply(client, readFileSync(`${folder}${name}`, "utf8"), number);
    }
  } finally {
    await client.query("select pg_advisory_unlock($1)", [MIGRATION_LOCK]);
  }
}

async function assertEncoding(client: Client): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>("show server_encoding");
  const encoding = rows[0]?.server_encoding;
  if (encoding !== "UTF8") throw new Error(`Expected a database with encoding UTF8, got ${encoding}`);
}

async function currentVersion(client: Client): Promise<number> {
  const { rows } = await client.query<{ version: number | null }>("select max(version) as version from schema_version");
  return rows[0]?.version ?? 0;
}

async function apply(client: Client, sql: string, number: number): Promise<void> {
  await client.query("begin");
  try {
    await client.query(sql);
    await client.query("delete from schema_version");
    await client.query("insert into schema_version (version) values ($1)", [number]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw new Error(`Migration ${number} failed`, { cause: error });
  }
}
