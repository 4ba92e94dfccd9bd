import { parseTaskId } from "@downbeat/engine/names";
import type { Clause, TaskField } from "../port.ts";
import { type Column, clauseSql, hasExact, isExact, orderBy, type Sort, type Values } from "./search-clause.ts";
import type { Probe, ProbedColumns } from "./search-probe.ts";
import { safeText } from "./text.ts";

// A claim is laid over its task.
const laid = (claimed: string, otherwise: string): string =>
  `(case when w.state = 1 then ${claimed} else ${otherwise} end)`;
const startTime = laid("w.started", "t.started");

const columns: Record<TaskField, Column> = {
  taskId: { sql: "(left(t.exec, 30) || lpad(to_hex(t.no), 6, '0'))", kind: "text" },
  taskType: { sql: "t.type", kind: "text" },
  taskDefName: { sql: "t.def_name", kind: "text" },
  referenceTaskName: { sql: "(case t.iter when '' then t.ref else t.ref || '__' || t.iter end)", kind: "text" },
  workflowId: { sql: "t.exec", kind: "text" },
  workflowType: { sql: "s.name", kind: "text", from: "search" },
  correlationId: { sql: "s.correlation_id", kind: "text", from: "search" },
  status: { sql: laid("'IN_PROGRESS'", "t.status"), kind: "text" },
  scheduledTime: { sql: "t.scheduled", kind: "number" },
  startTime: { sql: startTime, kind: "number" },
  endTime: { sql: "t.ended", kind: "number" },
  updateTime: { sql: laid("w.polled", "t.updated"), kind: "number" },
  domain: { sql: "coalesce(t.domain, '')", kind: "text" },
  workerId: { sql: laid("coalesce(w.worker, t.worker, '')", "coalesce(t.worker, '')"), kind: "text" },
  workflowPriority: { sql: "s.priority", kind: "number", from: "search" },
  reasonForIncompletion: { sql: "coalesce(t.reason, '')", kind: "text" },
  executionTime: {
    sql: `(case when ${startTime} > 0 and t.ended > 0 then t.ended - ${startTime} else 0 end)`,
    kind: "number",
  },
  queueWaitTime: {
    sql: `(case when ${startTime} > 0 and t.scheduled > 0 then greatest(0, ${startTime} - t.scheduled) else 0 end)`,
    kind: "number",
  },
};

const chosenTexts = [
  "t.type",
  "t.def_name",
  columns.referenceTaskName.sql,
  "s.name",
  "s.correlation_id",
  columns.reasonForIncompletion.sql,
  columns.domain.sql,
  columns.workerId.sql,
];

export const taskTexts: ProbedColumns = {
  shown: ["t.exec", columns.taskId.sql, columns.status.sql, ...chosenTexts],
  chosen: chosenTexts,
  payloads: ["t.inp", "t.out"],
  undecided: undefined,
};

export type TaskSource = {
  readonly where: readonly Clause<TaskField>[];
  readonly probe?: Probe | undefined;
  readonly sort?: Sort<TaskField>;
};

/** `from … where …` for the tasks that match: `t` is the task, `w` the work that may be laid over it. */
export function taskSource(values: Values, { where, probe, sort = [] }: TaskSource): string {
  const conditions = where.map((clause) =>
    isById(clause) ? idSql(values, clause) : clauseSql(values, columns[clause.field], clause),
  );
  if (hasExact(where, "correlationId")) conditions.push("s.correlation_id <> ''");
  if (probe !== undefined) conditions.push(probe.where);
  const readsSearch = probe !== undefined || [...where, ...sort].some(({ field }) => columns[field].from === "search");
  const joined = [
    "task t join execution e on e.id = t.exec and e.epoch = t.epoch",
    "left join work w on w.exec = t.exec and w.no = t.no",
    ...(readsSearch ? ["join search s on s.id = t.exec"] : []),
  ].join(" ");
  return `from ${joined}${conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`}`;
}

export const taskOrder = (sort: Sort<TaskField>): string =>
  orderBy(sort, (field) => columns[field].sql, ["t.exec", "t.no"]);

/** The order of executions by the first of their tasks. */
export const executionOrder = (sort: Sort<TaskField>): string =>
  orderBy(sort, (field, order) => `${order === "ASC" ? "min" : "max"}(${columns[field].sql})`, ["t.exec"]);

const isById = (clause: Clause<TaskField>): boolean => clause.field === "taskId" && isExact(clause);

function idSql(values: Values, clause: Clause<TaskField>): string {
  const ids = clause.values.flatMap((value) => parseTaskId(String(value)) ?? []);
  const execs = values.add(ids.map(({ executionId }) => safeText(executionId)));
  const numbers = values.add(ids.map(({ no }) => no));
  return `(t.exec, t.no) in (select * from unnest(${execs}::text[], ${numbers}::int[]))`;
}
