import type { RunField, ScheduleRun, Search } from "../port.ts";
import { type RunRow, runColumns, runFromRow } from "../sqlite/run-source.ts";
import { type Column, clauseSql, likePattern, orderBy, Values } from "./search-clause.ts";
import type { Ask } from "./searcher.ts";
import { plainText } from "./text.ts";

const columns: Record<RunField, Column> = {
  executionId: { sql: "r.id", kind: "text" },
  scheduleName: { sql: "r.schedule", kind: "text" },
  scheduledTime: { sql: "r.slot", kind: "number" },
  executionTime: { sql: "r.fired", kind: "number" },
  workflowName: { sql: "r.workflow", kind: "text" },
  workflowId: { sql: "coalesce(r.exec, '')", kind: "text" },
  state: { sql: "r.state", kind: "text" },
  reason: { sql: "coalesce(r.reason, '')", kind: "text" },
  zoneId: { sql: "r.zone", kind: "text" },
};

const searched = [columns.scheduleName.sql, columns.workflowName.sql, columns.workflowId.sql];

export async function findRuns(
  ask: Ask,
  { where, text, sort, start, size }: Search<RunField>,
): Promise<{ totalHits: number; results: ScheduleRun[] }> {
  const values = new Values();
  const conditions = [
    "true",
    ...where.map((clause) => clauseSql(values, columns[clause.field], clause)),
    ...text.map((word) => {
      const pattern = values.add(`%${likePattern(word)}%`);
      return `(${searched.map((column) => `${column} ilike ${pattern}`).join(" or ")})`;
    }),
  ];
  const source = `from schedule_run r where ${conditions.join(" and ")}`;
  const totalHits = (await ask<{ n: number }>(`select count(*) as n ${source}`, values.list))[0]?.n ?? 0;
  if (size === 0 || start >= totalHits) return { totalHits, results: [] };
  const order = orderBy(sort, (field) => columns[field].sql, ["r.no"]);
  const page = `limit ${Math.floor(size)} offset ${Math.floor(start)}`;
  const rows = await ask<RunRow>(`select ${runColumns} ${source} ${order} ${page}`, values.list);
  return { totalHits, results: rows.map((row) => runFromRow(plainRow(row))) };
}

/** Texts that callers chose, as they were given. */
const plainRow = (row: RunRow): RunRow => ({
  ...row,
  schedule: plainText(row.schedule),
  workflow: plainText(row.workflow),
  reason: row.reason === null ? null : plainText(row.reason),
  zone: plainText(row.zone),
});
