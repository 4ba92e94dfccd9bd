import pg from "pg";

export type Client = pg.Client;

/** How a connection is used; each use has its settings. */
export type Use = "write" | "read" | "search" | "settle" | "setup" | "nodes" | "heir";

const CONNECT_TIMEOUT_MS = 5000;
const KEEP_ALIVE_MS = 10_000;

/** An answer that takes longer will not come: a network can lose it without a word. What it was is asked again. */
const answerTimeoutsMs: Record<Use, number | undefined> = {
  write: 30_000,
  read: 60_000,
  search: undefined,
  settle: 60_000,
  setup: undefined,
  nodes: 5000,
  heir: 30_000,
};

/**
 * Writers and readers find rows by their keys, whatever the statistics say at the moment: a plan made while a table was
 * small must not be one that goes through all of it when it is large. With only the rows that are looked at counted, going
 * by keys is the cheaper way from two rows on: those that are often empty have some that nobody asks for (0006). Searches are planned anew each time.
 */
const byKeys = `set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off; set enable_material = off; set random_page_cost = 0; set seq_page_cost = 0;
  set cpu_tuple_cost = 1; set cpu_index_tuple_cost = 0; set cpu_operator_cost = 0;
  set plan_cache_mode = force_generic_plan; set jit = off; set statement_timeout = 0`;
const settings: Record<Use, string> = {
  write: `${byKeys}; set synchronous_commit = on; set lock_timeout = '10s'`,
  read: `${byKeys}; set default_transaction_read_only = on`,
  // Counts come from indexes, which are small enough to be in memory.
  search: "set jit = off; set random_page_cost = 1.1",
  // It may be lost whole and done again. What it holds must not keep a commit waiting for long.
  settle: `${byKeys}; set synchronous_commit = off; set lock_timeout = '2s'; set idle_in_transaction_session_timeout = '10s'`,
  setup: byKeys,
  nodes: `${byKeys}; set lock_timeout = '4s'`,
  // Should it die over it, its locks must not stay.
  heir: `${byKeys}; set lock_timeout = '5s'; set idle_in_transaction_session_timeout = '10s'`,
};

const INT8 = 20;

// Numbers of 64 bits are times and counts, which JavaScript holds exactly: the encoder sees to it.
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

/** `onLost` is called when the connection ends, for whatever reason. */
export async function connect(url: string, use: Use, onLost?: () => void): Promise<Client> {
  const client = new pg.Client({
    connectionString: url,
    fallback_application_name: `downbeat ${use}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    pipeline: use === "read" || use === "nodes",
    query_timeout: answerTimeoutsMs[use],
    types,
  });
  // Whoever waits for an answer is told by its rejection; this is for connections that nobody waits on.
  client.on("error", () => onLost?.());
  client.on("end", () => onLost?.());
  try {
    await client.connect();
    await client.query(settings[use]);
  } catch (error) {
    await end(client);
    throw error;
  }
  return client;
}

/** Ends a connection that may be gone already. */
export async function end(client: Client): Promise<void> {
  try {
    await client.end();
  } catch {
    // It ended by itself, which is what was wanted.
  }
}

/** A unit that cannot even be sent. */
export class Unwritable extends Error {}

/** Nothing was done, and doing it again may well succeed. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(40001|40P01|55P03)$/.test(error.code ?? "");

/** The connection, or the server behind it, is gone or cannot take writes now: what was under way may have been done. */
export const isLost = (error: unknown): boolean =>
  error instanceof pg.DatabaseError ? /^(08|57P0|53300|25006)/.test(error.code ?? "") : !(error instanceof Unwritable);

export const codeOf = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
