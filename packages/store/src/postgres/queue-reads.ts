import type { QueueReads } from "../port.ts";
import type { WorkRow } from "../sqlite/work-row.ts";
import { workColumns } from "./execution-reads.ts";
import type { Reads } from "./reader.ts";
import { toQueued } from "./taken.ts";
import { keyText, plainText, safeText } from "./text.ts";

const statements = {
  ready: {
    name: "ready",
    text: `select ${workColumns} from work w where w.queue = $1 and w.state = 0 order by w.prio desc, w.due, w.exec, w.no limit $2`,
  },
  due: {
    name: "due",
    text: `select ${workColumns} from work w where w.timer > 0 and w.timer <= $1 order by w.timer limit $2`,
  },
  nextTimer: { name: "nextTimer", text: "select min(w.timer) as at from work w where w.timer > 0" },
  sizes: {
    name: "sizes",
    text: `select queue, sum(n)::bigint as n from (
        select w.queue, count(*) as n from work w where w.state = 0 group by w.queue
        union all
        select w.queue, count(*) from work w where w.state = 3 group by w.queue) sizes group by queue`,
  },
  size: {
    name: "size",
    text: `select (select count(*) from work w where w.queue = $1 and w.state = 0)
        + (select count(*) from work w where w.queue = $1 and w.state = 3) as n`,
  },
  oldestRateSlot: {
    name: "oldestRateSlot",
    text: "select min(s.at) as at from rate_slot s where s.name = $1 and s.at > $2",
  },
} as const;

export function createQueueReads(reader: Reads): QueueReads {
  return {
    ready: async (queue, limit) =>
      (await reader.all<WorkRow>(statements.ready, [safeText(queue), limit])).map(toQueued),
    due: async (now, limit) => (await reader.all<WorkRow>(statements.due, [Math.floor(now), limit])).map(toQueued),
    nextTimer: async () => (await reader.first<{ at: number | null }>(statements.nextTimer, []))?.at ?? undefined,
    async sizes() {
      const rows = await reader.all<{ queue: string; n: number }>(statements.sizes, []);
      return new Map(rows.map(({ queue, n }) => [plainText(queue), n]));
    },
    size: async (queue) => (await reader.first<{ n: number }>(statements.size, [safeText(queue)]))?.n ?? 0,
    async nextRateSlot(name, now, windowMs) {
      const before = Math.floor(now - windowMs);
      const row = await reader.first<{ at: number | null }>(statements.oldestRateSlot, [keyText(name), before]);
      return row === undefined || row.at === null ? undefined : row.at + windowMs;
    },
  };
}
