import { DatabaseSync } from "node:sqlite";

const BUSY_TIMEOUT_MS = 10_000;

/** A connection that writes: every commit is on disk when it returns. */
export function openConnection(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  db.exec("pragma page_size = 8192");
  db.exec("pragma journal_mode = wal");
  db.exec("pragma synchronous = full");
  db.exec("pragma foreign_keys = off");
  db.exec("pragma cache_size = -8192");
  db.exec("pragma temp_store = memory");
  // Few large checkpoints: each one reads and writes pages that the next group wants too.
  db.exec("pragma wal_autocheckpoint = 4000");
  db.exec("pragma journal_size_limit = 67108864");
  return db;
}

/** A connection that only reads, beside the writer. */
export function openReader(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  db.exec("pragma cache_size = -4096");
  db.exec("pragma temp_store = memory");
  return db;
}
