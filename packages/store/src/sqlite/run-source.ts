import type { Clause, RunField, ScheduleRun } from "../port.ts";
import { alive, allOf, type Column, clauseSql, hasExact, likePattern, type Sort, type Sql } from "./search-clause.ts";

const columns: Record<RunField, Column> = {
  executionId: { sql: "r.id", kind: "text" },
  scheduleName: { sql: "r.schedule", kind: "text" },
  scheduledTime: { sql: "r.slot", kind: "number" },
  executionTime: { sql: "r.fired", kind: "number" },
  workflowName: { sql: "r.workflow", kind: "text" },
  workflowId: { sql: "r.exec", kind: "text", isOptional: true },
  state: { sql: "r.state", kind: "text" },
  reason: { sql: "r.reason", kind: "text", isOptional: true },
  zoneId: { sql: "r.zone", kind: "text" },
};

export const runColumns =
  "r.id, r.schedule, r.entry, r.slot, r.fired, r.workflow, r.exec, r.state, r.reason, r.zone, r.request";

export type RunRow = {
  readonly id: string;
  readonly schedule: string;
  readonly entry: number;
  readonly slot: number;
  readonly fired: number;
  readonly workflow: string;
  readonly exec: string | null;
  readonly state: ScheduleRun["state"];
  readonly reason: string | null;
  readonly zone: string;
  readonly request: string;
};

export const runFromRow = (row: RunRow): ScheduleRun => ({
  id: row.id,
  schedule: row.schedule,
  entry: row.entry,
  slotAt: row.slot,
  firedAt: row.fired,
  workflowName: row.workflow,
  ...(row.exec === null ? {} : { workflowId: row.exec }),
  state: row.state,
  ...(row.reason === null ? {} : { reason: row.reason }),
  zone: row.zone,
  request: row.request,
});

type Runs = {
  readonly where: readonly Clause<RunField>[];
  readonly texts: readonly string[];
  readonly sort?: Sort<RunField>;
};

/** `from … where …` for the runs that match. */
export function runSource({ where, texts, sort = [] }: Runs): Sql {
  const conditions = allOf([
    alive("r.no"),
    ...where.map((clause) => clauseSql(columns[clause.field], clause)),
    ...texts.map(textSql),
  ]);
  return {
    text: `from schedule_run r ${accessTo({ where, texts, sort })} where ${conditions.text}`,
    values: conditions.values,
  };
}

export function runOrder(sort: Sort<RunField>): string {
  const keys = sort.map(({ field, order }) => `${columns[field].sql} ${order}`);
  return `order by ${[...keys, `r.no ${sort[0]?.order ?? "ASC"}`].join(", ")}`;
}

/** The planner does not know how often a value occurs, so it is told. */
function accessTo({ where, texts, sort }: Required<Runs>): string {
  if (hasExact(where, "executionId")) return "indexed by schedule_run_id";
  if (hasExact(where, "scheduleName")) return "indexed by schedule_run_schedule";
  const isByTime = where.some(({ field, op }) => field === "scheduledTime" && op !== "!=");
  // All of them are counted in the index, which is a fraction of the table.
  const isAll = where.length === 0 && texts.length === 0;
  return isByTime || isAll || sort[0]?.field === "scheduledTime" ? "indexed by schedule_run_slot" : "not indexed";
}

/** Texts are short here: the database looks through them. */
function textSql(text: string): Sql {
  const searched = ["r.schedule", "r.workflow", "ifnull(r.exec, '')"];
  return {
    text: `(${searched.map((column) => `${column} like ? escape '\\'`).join(" or ")})`,
    values: searched.map(() => `%${likePattern(text)}%`),
  };
}
