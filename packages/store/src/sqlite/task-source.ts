import { parseTaskId } from "@downbeat/engine/names";
import type { Clause, TaskField } from "../port.ts";
import {
  alive,
  allOf,
  type Column,
  clauseSql,
  fixed,
  hasExact,
  isExact,
  type Sort,
  type Sql,
} from "./search-clause.ts";
import type { Probe, ProbedColumns } from "./search-probe.ts";

/** How rows are come by. The planner does not know how often a value occurs, so it is told. */
export type TaskAccess =
  | "byTaskId"
  | "byExecution"
  | "byCorrelation"
  | "byType"
  | "byStatus"
  | "byWorkflowType"
  | "byKey";

const taskNo = "(t.key & 16777215)";

const columns: Record<TaskField, Column> = {
  taskId: { sql: `(substr(e.id, 1, 30) || printf('%06x', ${taskNo}))`, kind: "text", from: "execution" },
  taskType: { sql: "t.type", kind: "text" },
  taskDefName: { sql: "t.def_name", kind: "text" },
  referenceTaskName: { sql: "t.ref", kind: "text" },
  workflowId: { sql: "e.id", kind: "text", from: "execution" },
  workflowType: { sql: "s.name", kind: "text", from: "search" },
  correlationId: { sql: "s.correlation_id", kind: "text", isOptional: true, from: "search" },
  status: { sql: "t.status", kind: "text" },
  scheduledTime: { sql: "t.scheduled_time", kind: "number" },
  startTime: { sql: "t.start_time", kind: "number" },
  endTime: { sql: "t.end_time", kind: "number" },
  updateTime: { sql: "t.update_time", kind: "number" },
  domain: { sql: "(k.meta ->> '$.domain')", kind: "text", isOptional: true, from: "task" },
  // A claim is laid over its task.
  workerId: {
    sql: "iif(w.state = 1 and w.worker is not null, w.worker, k.meta ->> '$.workerId')",
    kind: "text",
    isOptional: true,
    from: "task",
  },
  workflowPriority: { sql: "s.priority", kind: "number", from: "search" },
  reasonForIncompletion: {
    sql: "(k.meta ->> '$.reasonForIncompletion')",
    kind: "text",
    isOptional: true,
    from: "task",
  },
  executionTime: {
    sql: "iif(t.start_time > 0 and t.end_time > 0, t.end_time - t.start_time, 0)",
    kind: "number",
  },
  queueWaitTime: {
    sql: "iif(t.start_time > 0 and t.scheduled_time > 0, max(0, t.start_time - t.scheduled_time), 0)",
    kind: "number",
  },
};

export const taskTexts: ProbedColumns = {
  shown: ["t.type", "t.def_name", "t.ref", "t.status", "s.name", "s.correlation_id"],
  payloads: ["k.inp", "k.out"],
  record: "k.meta",
  others: ["w.worker", "e.id", columns.taskId.sql],
};

const tasksOf = (no: string): string =>
  `cross join task_search t on t.key >= ${no} << 24 and t.key < (${no} + 1) << 24`;

const beginnings: Record<TaskAccess, readonly string[]> = {
  byTaskId: ["task_search t"],
  byExecution: ["execution e", tasksOf("e.no")],
  byCorrelation: ["search s indexed by search_correlation", tasksOf("s.no")],
  byType: ["task_search t indexed by task_search_type"],
  byStatus: ["task_search t indexed by task_search_status"],
  byWorkflowType: ["search s indexed by search_name", tasksOf("s.no")],
  byKey: ["task_search t not indexed"],
};

function taskAccess(where: readonly Clause<TaskField>[]): TaskAccess {
  if (hasExact(where, "taskId")) return "byTaskId";
  if (hasExact(where, "workflowId")) return "byExecution";
  if (hasExact(where, "correlationId")) return "byCorrelation";
  if (hasExact(where, "taskType")) return "byType";
  if (where.some(isUnusualStatus)) return "byStatus";
  return hasExact(where, "workflowType") ? "byWorkflowType" : "byKey";
}

export type TaskSource = {
  readonly where: readonly Clause<TaskField>[];
  readonly probe?: Probe | undefined;
  readonly sort?: Sort<TaskField>;
};

/** `from … where …` for the tasks that match: `t` is the search row. */
export function taskSource({ where, probe, sort = [] }: TaskSource): Sql {
  const access = taskAccess(where);
  const conditions = allOf([
    // Both numbers count: an execution may have a million tasks, and a million executions may have one each.
    alive("(t.key >> 24) + t.key"),
    ...where.map((clause) => (isById(clause) ? idSql(clause) : clauseSql(columns[clause.field], clause))),
    // Said again, so that an index of those that have one, or that are not completed, may be used.
    ...(access === "byCorrelation" ? [fixed("s.correlation_id is not null")] : []),
    ...(access === "byStatus" ? [fixed("t.status <> 'COMPLETED'")] : []),
    ...(probe === undefined ? [] : [probe.where]),
  ]);
  const fields = [...where.filter((clause) => !isById(clause)), ...sort];
  const from = new Set(fields.map(({ field }) => columns[field].from));
  if (probe !== undefined) from.add("search").add("task");
  return { text: `from ${tables(access, from)} where ${conditions.text}`, values: conditions.values };
}

export function taskOrder(sort: Sort<TaskField>): string {
  const keys = sort.map(({ field, order }) => `${columns[field].sql} ${order}`);
  return `order by ${[...keys, `t.key ${sort[0]?.order ?? "ASC"}`].join(", ")}`;
}

/** The order of executions by the first of their tasks. */
export function executionOrder(sort: Sort<TaskField>): string {
  const keys = sort.map(({ field, order }) => `${order === "ASC" ? "min" : "max"}(${columns[field].sql}) ${order}`);
  return `order by ${[...keys, `no ${sort[0]?.order ?? "ASC"}`].join(", ")}`;
}

function tables(access: TaskAccess, from: Set<string | undefined>): string {
  const joined = [...beginnings[access]];
  const has = (table: string): boolean => joined.some((text) => text.startsWith(table));
  if (from.has("search") && !has("search s")) joined.push("cross join search s on s.no = t.key >> 24");
  if ((from.has("execution") || from.has("task")) && !has("execution e"))
    joined.push("cross join execution e on e.no = t.key >> 24");
  if (from.has("task"))
    joined.push(
      `cross join task k on k.exec = e.id and k.no = ${taskNo} left join work w on w.exec = e.id and w.no = ${taskNo}`,
    );
  return joined.join(" ");
}

const isUnusualStatus = (clause: Clause<TaskField>): boolean =>
  clause.field === "status" && isExact(clause) && !clause.values.includes("COMPLETED");

const isById = (clause: Clause<TaskField>): boolean => clause.field === "taskId" && isExact(clause);

function idSql({ values }: Clause<TaskField>): Sql {
  const ids = values.flatMap((value) => parseTaskId(String(value)) ?? []);
  const places = ids.map(() => "(?, ?)").join(", ");
  return {
    text:
      ids.length === 0
        ? "0"
        : `t.key in (select (e2.no << 24) | i.column2 from (values ${places}) i join execution e2 on e2.id = i.column1)`,
    values: ids.flatMap(({ executionId, no }) => [executionId, no]),
  };
}
