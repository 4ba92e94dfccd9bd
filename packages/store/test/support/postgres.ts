import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { sharedServer } from "./postgres-server.ts";

export { type OwnServer, ownServer } from "./postgres-server.ts";

/** A real PostgreSQL for tests: the one that DOWNBEAT_TEST_POSTGRES_URL names, or one of this run. */
const given = process.env["DOWNBEAT_TEST_POSTGRES_URL"];
const isRequired = process.env["DOWNBEAT_REQUIRE"]?.split(",").includes("postgres") === true;

const started = given === undefined ? await sharedServer() : { url: given };
const problem = "problem" in started ? started.problem : undefined;
const server = "url" in started ? started.url : "";
export const hasPostgres = problem === undefined;
if (!hasPostgres) process.stdout.write(`Skipping the tests with PostgreSQL: ${problem}\n`);

/** Every file that needs PostgreSQL says so: where it has to be there, its absence is a failure. */
export function testThatPostgresIsThere(): void {
  test("PostgreSQL is there when it has to be", () => {
    if (isRequired) expect(problem).toBeUndefined();
  });
}

const made: string[] = [];

/** The address of a database that nothing is in. */
export async function newDatabase(): Promise<string> {
  const name = `downbeat_test_${process.pid}_${made.length}`;
  made.push(name);
  await administer(`create database ${name} template template0 encoding 'UTF8'`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

// A server of this run goes as a whole, which is much faster.
if (given !== undefined) {
  afterAll(async () => {
    for (const name of made) await administer(`drop database if exists ${name} with (force)`);
  }, 120_000);
}

/** One statement on the server itself, or on a database of it. */
export async function administer(sql: string, url = server): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
