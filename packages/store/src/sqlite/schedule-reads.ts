import type { DatabaseSync } from "node:sqlite";
import type { ScheduleCursor, ScheduleReads } from "../port.ts";

export function createScheduleReads(db: DatabaseSync): ScheduleReads {
  const cursors = db.prepare("select schedule, entry, slot as slotAt from schedule_cursor");
  const cursor = db.prepare("select slot from schedule_cursor where schedule = ? and entry = ?");
  const oldest = db.prepare("select min(slot) as slot from schedule_run indexed by schedule_run_slot");
  return {
    cursors: () => cursors.all() as ScheduleCursor[],
    cursor: (schedule, entry) => (cursor.get(schedule, entry) as { slot: number } | undefined)?.slot,
    oldestRun: () => (oldest.get() as { slot: number | null }).slot ?? undefined,
  };
}
