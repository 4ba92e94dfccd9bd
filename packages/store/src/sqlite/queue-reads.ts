import type { DatabaseSync } from "node:sqlite";
import type { QueuedWork, QueueReads } from "../port.ts";
import { type WorkRow, workColumns, workFromRow } from "./work-row.ts";

export function createQueueReads(db: DatabaseSync): QueueReads {
  const ready = db.prepare(
    `select ${workColumns} from work indexed by work_ready where queue = ? and state = 0 order by prio desc, due, exec, no limit ?`,
  );
  const due = db.prepare(
    `select ${workColumns} from work indexed by work_timer where timer > 0 and timer <= ? order by timer limit ?`,
  );
  const nextTimer = db.prepare("select min(timer) as at from work indexed by work_timer where timer > 0");
  const readySizes = db.prepare(
    "select queue, count(*) as n from work indexed by work_ready where state = 0 group by queue",
  );
  const delayedSizes = db.prepare(
    "select queue, count(*) as n from work indexed by work_delayed where state = 3 group by queue",
  );
  const readySize = db.prepare("select count(*) as n from work indexed by work_ready where queue = ? and state = 0");
  const delayedSize = db.prepare(
    "select count(*) as n from work indexed by work_delayed where queue = ? and state = 3",
  );
  const oldestRateSlot = db.prepare("select min(at) as at from rate_slot where name = ? and at > ?");

  const toWork = (row: unknown): QueuedWork => {
    const work = row as WorkRow;
    return { id: work.exec, no: work.no, work: workFromRow(work) };
  };
  return {
    ready: (queue, limit) => ready.all(queue, limit).map(toWork),
    due: (now, limit) => due.all(now, limit).map(toWork),
    nextTimer: () => (nextTimer.get() as { at: number | null }).at ?? undefined,
    sizes() {
      const sizes = new Map<string, number>();
      for (const row of [...readySizes.all(), ...delayedSizes.all()]) {
        const { queue, n } = row as { queue: string; n: number };
        sizes.set(queue, (sizes.get(queue) ?? 0) + n);
      }
      return sizes;
    },
    size: (queue) => (readySize.get(queue) as { n: number }).n + (delayedSize.get(queue) as { n: number }).n,
    nextRateSlot(name, now, windowMs) {
      const { at } = oldestRateSlot.get(name, now - windowMs) as { at: number | null };
      return at === null ? undefined : at + windowMs;
    },
  };
}
