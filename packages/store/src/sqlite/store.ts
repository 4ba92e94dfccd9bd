import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TaskDef, type WorkflowDef, withTimer } from "@downbeat/engine";
import type { LogLine, OutboxRow, Store } from "../port.ts";
import { openConnection, openReader } from "./connection.ts";
import { createDocumentReads } from "./document-reads.ts";
import { createExecutionReads } from "./execution-reads.ts";
import { migrate } from "./migrate.ts";
import { createQueueReads } from "./queue-reads.ts";
import { createScheduleReads } from "./schedule-reads.ts";
import { Searcher } from "./searcher.ts";
import { stateNumbers, type WorkRow, workColumns, workFromRow } from "./work-row.ts";
import { Writer } from "./writer.ts";

export type SqliteOptions = {
  readonly path: string;
  /** For measurements: every group of commits takes this much longer, as on a disk that is slow to sync. */
  readonly syncDelayMs?: number;
  /** How long it must be quiet before texts are put where they are found faster. */
  readonly settleAfterMs?: number;
  /** After this long a search is given up. */
  readonly searchTimeoutMs?: number;
  /** The writer is gone (a full or broken disk, say) and nothing can be stored any more. */
  readonly onFailure?: (error: Error) => void;
};

export type SqliteStore = Store;

const SEARCH_TIMEOUT_MS = 10_000;
const SETTLE_AFTER_MS = 2000;

/**
 * The embedded store: one file, one thread that writes, a connection of the caller's that reads, and a thread for
 * searches from the first one on.
 */
export function openSqliteStore(options: SqliteOptions): SqliteStore {
  const { path, syncDelayMs = 0, settleAfterMs = SETTLE_AFTER_MS, onFailure } = options;
  const { searchTimeoutMs = SEARCH_TIMEOUT_MS } = options;
  mkdirSync(dirname(path), { recursive: true });
  const lock = takeLock(path);
  try {
    migrate(path);
    giveBackLeases(path);
  } catch (error) {
    lock.close();
    throw error;
  }
  const writer = new Writer({ path, syncDelayMs, settleAfterMs, onFailure });
  const search = new Searcher({ path, timeoutMs: searchTimeoutMs, project: () => writer.project() });
  const db = openReader(path);
  const undelivered = db.prepare("select sender, n, target, body from outbox order by rowid limit ?");
  const idempotent = db.prepare("select exec from idempotency where name = ? and key = ?");
  const cached = db.prepare("select body from cache where key = ? and expires > ?");
  const logs = db.prepare("select at, line from log where exec = ? and no = ? order by at, id");
  const pinned = db.prepare("select body from def where hash = ?");
  const workflowDefs = db.prepare("select body from workflow_def where ?1 is null or name = ?1 order by name, version");
  const taskDefs = db.prepare("select body from task_def where ?1 is null or name = ?1 order by name");
  const bodies = <T>(rows: readonly unknown[]): T[] =>
    rows.map((row) => JSON.parse((row as { body: string }).body) as T);
  return {
    commit: (unit) => writer.commit(unit),
    executions: createExecutionReads(db),
    queues: createQueueReads(db),
    definitions: {
      pinned: (hash) => (pinned.get(hash) as { body: string } | undefined)?.body,
      workflowDefs: (name) => bodies<WorkflowDef>(workflowDefs.all(name ?? null)),
      taskDefs: (name) => bodies<TaskDef>(taskDefs.all(name ?? null)),
    },
    search,
    documents: createDocumentReads(db),
    schedules: createScheduleReads(db),
    undelivered: (limit) => undelivered.all(limit) as OutboxRow[],
    findIdempotent: (name, key) => (idempotent.get(name, key) as { exec: string } | undefined)?.exec,
    findCached: (key, now) => (cached.get(key, now) as { body: string } | undefined)?.body,
    logs: (id, no) => logs.all(id, no) as LogLine[],
    async close() {
      await search.close();
      await writer.close();
      if (db.isOpen) db.close();
      if (lock.isOpen) lock.close();
    },
    // Statements within one process are not worth counting: groups are.
    written: () => ({ ...writer.written, statements: 0 }),
  };
}

/** One file, one server. The lock is the operating system's, so it is gone when the process is, however it ended. */
function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 1000 });
  try {
    lock.exec("pragma locking_mode = exclusive; begin exclusive");
    return lock;
  } catch (error) {
    lock.close();
    throw new Error(`Expected ${path} to be free, but another server has it open`, { cause: error });
  }
}

/** Work this server had claimed for itself when it last stopped: one file has one server, so nobody else is doing it. */
function giveBackLeases(path: string): void {
  const db = openConnection(path);
  try {
    db.exec("begin immediate");
    db.exec("delete from limit_slot where (exec, no) in (select exec, no from work where node is not null)");
    // Who searches for tasks in progress must not find these any more.
    db.exec("insert into dirty (exec) select distinct exec from work indexed by work_node where node is not null");
    const leased = db.prepare(`select ${workColumns} from work indexed by work_node where node is not null`).all();
    const giveBack = db.prepare(
      "update work set state = ?, timer = ?, node = null, worker = null where exec = ? and no = ?",
    );
    for (const row of leased as WorkRow[]) {
      const { state, timerAt } = withTimer({ ...workFromRow(row), state: "ready" });
      giveBack.run(stateNumbers[state], timerAt, row.exec, row.no);
    }
    db.exec("commit");
  } finally {
    db.close();
  }
}
