import type { DatabaseSync } from "node:sqlite";
import { headFromText } from "./compact.ts";

const BATCH = 1000;

/** Follows the commits and keeps the search rows up to date, a batch at a time, each in a transaction of its own. */
export function createProjector(db: DatabaseSync): { step(): boolean } {
  const next = db.prepare("select seq, exec from dirty order by seq limit ?");
  const clean = db.prepare("delete from dirty where seq <= ?");
  const head = db.prepare("select head from execution where id = ?");
  const put = db.prepare(
    `insert into search (id, name, version, status, start_time, end_time, update_time, correlation_id, parent_id)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set name = excluded.name, version = excluded.version, status = excluded.status,
       start_time = excluded.start_time, end_time = excluded.end_time, update_time = excluded.update_time,
       correlation_id = excluded.correlation_id`,
  );
  return {
    /** False when there was nothing to do. */
    step() {
      const rows = next.all(BATCH) as { seq: number; exec: string }[];
      const last = rows.at(-1);
      if (last === undefined) return false;
      try {
        // Not worth a disk write of its own: the next group's write takes it along, and lost rows are still dirty.
        db.exec("pragma synchronous = normal; begin immediate");
        for (const id of new Set(rows.map((row) => row.exec))) {
          const found = head.get(id) as { head: string } | undefined;
          if (found === undefined) continue;
          const h = headFromText(found.head);
          put.run(
            id,
            h.workflowName,
            h.workflowVersion,
            h.status,
            h.createTime,
            h.endTime,
            h.updateTime,
            h.correlationId ?? null,
            h.parentWorkflowId ?? null,
          );
        }
        clean.run(last.seq);
        db.exec("commit");
      } catch (error) {
        if (db.isTransaction) db.exec("rollback");
        throw error;
      } finally {
        db.exec("pragma synchronous = full");
      }
      return rows.length === BATCH;
    },
  };
}
