import type { ScheduleReads } from "../port.ts";
import { Batch } from "./batch.ts";
import type { Reads } from "./reader.ts";
import { plainText, safeText } from "./text.ts";

type Place = { readonly schedule: string; readonly entry: number };
type CursorRow = Place & { readonly slot: number };

const statements = {
  cursors: { name: "cursors", text: "select c.schedule, c.entry, c.slot from schedule_cursor c" },
  cursor: {
    name: "cursor",
    text: `select c.schedule, c.entry, c.slot from unnest($1::text[], $2::int[]) p (schedule, entry)
      cross join lateral (select * from schedule_cursor x where x.schedule = p.schedule and x.entry = p.entry offset 0) c`,
  },
  oldestRun: { name: "oldestRun", text: "select r.slot from schedule_run r order by r.slot limit 1" },
} as const;

export function createScheduleReads(reader: Reads): ScheduleReads {
  const cursor = new Batch<Place, CursorRow>({
    read: (places) =>
      reader.all(statements.cursor, [places.map(({ schedule }) => schedule), places.map(({ entry }) => entry)]),
    nameOf,
    nameOfRow: nameOf,
  });
  return {
    async cursors() {
      const rows = await reader.all<CursorRow>(statements.cursors, []);
      return rows.map(({ schedule, entry, slot }) => ({ schedule: plainText(schedule), entry, slotAt: slot }));
    },
    async cursor(schedule, entry) {
      return (await cursor.find({ schedule: safeText(schedule), entry }))?.slot;
    },
    async oldestRun() {
      return (await reader.first<{ slot: number }>(statements.oldestRun, []))?.slot;
    },
  };
}

const nameOf = ({ schedule, entry }: Place): string => `${entry} ${schedule}`;
