import type { Json, JsonObject } from "@downbeat/engine";
import type { Pool, PoolClient } from "pg";
import { type SqlCall, type SqlConnection, TooManyRows, wrongCount } from "./port.ts";
import { numberParameters } from "./statement.ts";

export type PostgresConnection = {
  readonly url: string;
  readonly maximumPoolSize: number;
  readonly connectionTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Of a task's output. */
  readonly maxBytes: number;
};

/** A pool that connects with its first use. */
export function openPostgres({
  url,
  maximumPoolSize,
  connectionTimeoutMs,
  idleTimeoutMs,
  maxBytes,
}: PostgresConnection): SqlConnection {
  let pool: Promise<Pool> | undefined;

  async function openPool(): Promise<Pool> {
    const { default: pg } = await import("pg");
    const opened = new pg.Pool({
      connectionString: url,
      max: maximumPoolSize,
      connectionTimeoutMillis: connectionTimeoutMs,
      idleTimeoutMillis: idleTimeoutMs,
      types: { getTypeParser: (oid: number) => parserOf(oid, pg.types.getTypeParser(oid)) },
    });
    // An idle connection that breaks is replaced; whoever uses a broken one hears of it.
    opened.on("error", () => undefined);
    return opened;
  }

  /** A connection for one call. One whose call was given up goes with it: what it does would go on. */
  async function withClient<Result>(
    signal: AbortSignal,
    use: (client: PoolClient) => Promise<Result>,
  ): Promise<Result> {
    pool ??= openPool();
    const client = await (await pool).connect();
    let isBroken = false;
    const giveUp = (): void => {
      isBroken = true;
      client.release(true);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      signal.throwIfAborted();
      return await use(client);
    } catch (error) {
      // The rest of the rows is still on its way.
      if (error instanceof TooManyRows) giveUp();
      throw error;
    } finally {
      signal.removeEventListener("abort", giveUp);
      if (!isBroken) client.release();
    }
  }

  return {
    select: (call) => withClient(call.signal, (client) => selectRows(client, call, maxBytes)),
    update: (call, expectedCount) =>
      withClient(call.signal, async (client) => {
        await client.query("begin");
        try {
          const { rowCount } = await client.query(numberParameters(call.statement), call.parameters.map(toParameter));
          const count = rowCount ?? 0;
          if (expectedCount !== undefined && count !== expectedCount) throw new Error(wrongCount(count, expectedCount));
          await client.query("commit");
          return count;
        } catch (error) {
          await client.query("rollback");
          throw error;
        }
      }),
    close: async () => (await pool)?.end(),
  };
}

/** Row by row: a table that does not fit is not read to its end. */
async function selectRows(
  client: PoolClient,
  { statement, parameters }: SqlCall,
  maxBytes: number,
): Promise<readonly JsonObject[]> {
  const { default: pg } = await import("pg");
  return await new Promise((resolve, reject) => {
    const rows: JsonObject[] = [];
    let size = 0;
    const query = client.query(
      new pg.Query<JsonObject>({ text: numberParameters(statement), values: parameters.map(toParameter) }),
    );
    query.on("row", (row) => {
      size += JSON.stringify(row).length;
      if (size <= maxBytes) rows.push(row);
      else reject(new TooManyRows(maxBytes));
    });
    query.on("error", reject);
    query.on("end", () => resolve(rows));
  });
}

const toParameter = (value: Json): unknown =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : value;

const INT8 = 20;
const NUMERIC = 1700;
const DATE = 1082;
const TIMESTAMP = 1114;
const BYTEA = 17;

/** Numbers as numbers where nothing is lost, days and local times as they are written. */
function parserOf(oid: number, usual: (text: string) => unknown): (text: string) => unknown {
  switch (oid) {
    case INT8:
    case NUMERIC:
      return (text) => (String(Number(text)) === withoutZeros(text) ? Number(text) : text);
    case DATE:
    case TIMESTAMP:
      return (text) => text;
    case BYTEA:
      return (text) => Buffer.from(text.slice(2), "hex").toString("base64");
    default:
      return usual;
  }
}

/** 1.10 is 1.1, and 2.00 is 2. */
const withoutZeros = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
