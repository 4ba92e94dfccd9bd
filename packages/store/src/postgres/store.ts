import { randomUUID } from "node:crypto";
import type { LogLine, Nodes, OutboxRow, Store } from "../port.ts";
import { connect, end } from "./connection.ts";
import { createDefinitionReads } from "./definition-reads.ts";
import { createDocumentReads } from "./document-reads.ts";
import { createExecutionReads } from "./execution-reads.ts";
import { beginEpoch, giveBackLeases } from "./leases.ts";
import { migrate } from "./migrate.ts";
import { PostgresNodes, readClockOffset } from "./nodes.ts";
import { createQueueReads } from "./queue-reads.ts";
import { Reader } from "./reader.ts";
import { createScheduleReads } from "./schedule-reads.ts";
import { Searcher } from "./searcher.ts";
import { Settler } from "./settler.ts";
import { keyText, plainText, safeText } from "./text.ts";
import { Writer } from "./writer.ts";

export type PostgresOptions = {
  readonly url: string;
  /** Which of the nodes on this database this is. No two may go by the same name. */
  readonly node: string;
  /** How long it must be quiet before texts are put where they are found faster. */
  readonly settleAfterMs?: number;
  /** After this long a search is given up. */
  readonly searchTimeoutMs?: number;
  /** The database has been out of reach for a minute, and nothing is stored any more. */
  readonly onFailure?: (error: Error) => void;
};

export type PostgresStore = Store & {
  readonly nodes: Nodes;
};

const SEARCH_TIMEOUT_MS = 10_000;
const SETTLE_AFTER_MS = 2000;

const statements = {
  undelivered: {
    name: "undelivered",
    text: "select b.sender, b.n, b.target, b.body from outbox b where b.node = $2 order by b.seq limit $1",
  },
  idempotent: { name: "idempotent", text: "select i.exec from idempotency i where i.name = $1 and i.key = $2" },
  cached: { name: "cached", text: "select c.body from cache c where c.key = $1 and c.expires > $2" },
  logs: { name: "logs", text: "select l.at, l.line from log l where l.exec = $1 and l.no = $2 order by l.at, l.seq" },
} as const;

/**
 * The store for many nodes: a PostgreSQL database that any number of servers share. Nothing of it is held in memory;
 * every guard is checked by the database, in the transaction that writes.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const { url, node, searchTimeoutMs = SEARCH_TIMEOUT_MS, settleAfterMs = SETTLE_AFTER_MS, onFailure } = options;
  const run = randomUUID();
  const { epoch, clockOffset } = await setUp(url, safeText(node), run);
  let sent = 0;
  const onStatement = (): void => {
    sent++;
  };
  const nodes: PostgresNodes = new PostgresNodes({
    url,
    node: safeText(node),
    run,
    epoch,
    clockOffset,
    onStatement,
    onFailure,
    take: (taking) => writer.take(taking),
  });
  const writer: Writer = new Writer({
    url,
    node: safeText(node),
    epoch: () => nodes.epoch,
    isShared: () => !nodes.isAlone,
    onFailure,
    onStatement,
  });
  const reader = new Reader({ url, onStatement });
  const search = new Searcher({ url, timeoutMs: searchTimeoutMs, onStatement });
  const settler = new Settler({
    url,
    afterMs: settleAfterMs,
    written: () => writer.written.groups,
    onStatement,
  });
  return {
    async commit(unit) {
      const commit = await writer.commit(unit);
      settler.note(unit);
      return commit;
    },
    executions: createExecutionReads(reader),
    queues: createQueueReads(reader),
    definitions: createDefinitionReads(reader),
    search,
    documents: createDocumentReads(reader),
    nodes,
    schedules: createScheduleReads(reader),
    async undelivered(limit) {
      const rows = await reader.all<OutboxRow>(statements.undelivered, [limit, safeText(node)]);
      return rows.map((row) => ({ ...row, sender: plainText(row.sender), target: plainText(row.target) }));
    },
    async findIdempotent(name, key) {
      const row = await reader.first<{ exec: string }>(statements.idempotent, [keyText(name), keyText(key)]);
      return row && plainText(row.exec);
    },
    async findCached(key, now) {
      return (await reader.first<{ body: string }>(statements.cached, [keyText(key), Math.floor(now)]))?.body;
    },
    async logs(executionId, no) {
      const rows = await reader.all<LogLine>(statements.logs, [safeText(executionId), no]);
      return rows.map(({ at, line }) => ({ at, line: plainText(line) }));
    },
    async close() {
      await settler.close();
      await search.close();
      await writer.close();
      await nodes.close();
      await reader.close();
    },
    written: () => ({ ...writer.written, statements: sent }),
  };
}

type SetUp = { readonly epoch: number; readonly clockOffset: number };

async function setUp(url: string, node: string, run: string): Promise<SetUp> {
  const client = await connect(url, "setup");
  try {
    await migrate(client);
    const epoch = await beginEpoch(client, node, run);
    await giveBackLeases(client, node, epoch);
    return { epoch, clockOffset: await readClockOffset(client) };
  } finally {
    await end(client);
  }
}
