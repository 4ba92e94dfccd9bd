import type { Clause, WorkflowField } from "../port.ts";
import {
  alive,
  allOf,
  type Column,
  clauseSql,
  fixed,
  hasExact,
  hasPattern,
  isExact,
  placesFor,
  type Sort,
  type Sql,
} from "./search-clause.ts";
import type { ProbedColumns } from "./search-probe.ts";

/** Indexes of those that have a value at all, by the field. */
const optionalIndexes = {
  correlationId: "search_correlation",
  parentWorkflowId: "search_parent",
  idempotencyKey: "search_idempotency",
  event: "search_event",
  createdBy: "search_created_by",
  failedReferenceTaskNames: "search_failed",
  reasonForIncompletion: "search_reason",
} as const satisfies Partial<Record<WorkflowField, string>>;

type OptionalField = keyof typeof optionalIndexes;
type OptionalIndex = (typeof optionalIndexes)[OptionalField];

const optionalFields = Object.keys(optionalIndexes) as readonly OptionalField[];
/** What only those have that failed. They are few, so that a pattern is looked for among them all. */
const failureFields = ["reasonForIncompletion", "failedReferenceTaskNames"] as const;

/** How rows are come by. The planner does not know how often a value occurs, so it is told. */
export type WorkflowAccess =
  | "byId"
  | OptionalIndex
  | "search_name"
  | "search_status"
  | "search_start"
  | "byNumber"
  | "inIdOrder";

const optional = (sql: string): Column => ({ sql, kind: "text", isOptional: true });

const columns: Record<WorkflowField, Column> = {
  workflowId: { ...optional("ifnull(e.id, a.id)"), from: "head" },
  correlationId: optional("s.correlation_id"),
  workflowType: { sql: "s.name", kind: "text" },
  version: { sql: "s.version", kind: "number" },
  status: { sql: "s.status", kind: "text" },
  startTime: { sql: "s.start_time", kind: "number" },
  endTime: { sql: "s.end_time", kind: "number" },
  updateTime: { sql: "s.update_time", kind: "number" },
  parentWorkflowId: optional("s.parent_id"),
  classifier: { sql: "s.classifier", kind: "text", ignoresCase: true },
  priority: { sql: "s.priority", kind: "number" },
  createdBy: optional("s.created_by"),
  event: optional("s.event"),
  reasonForIncompletion: optional("s.reason"),
  idempotencyKey: optional("s.idempotency_key"),
  failedReferenceTaskNames: optional("s.failed"),
  executionTime: { sql: "iif(s.end_time > 0, s.end_time - s.start_time, 0)", kind: "number" },
};

/** Archived executions are never decided: their texts lie elsewhere. */
export const workflowTexts: ProbedColumns = {
  shown: ["s.name", "s.correlation_id", "s.status"],
  payloads: ["e.inp", "e.out"],
  record: "e.head",
  others: [],
};

export function workflowAccess(where: readonly Clause<WorkflowField>[]): WorkflowAccess {
  if (hasExact(where, "workflowId")) return "byId";
  const exact = optionalFields.find((field) => hasExact(where, field));
  if (exact !== undefined) return optionalIndexes[exact];
  if (hasExact(where, "workflowType")) return "search_name";
  const failure = failureFields.find((field) => where.some((clause) => clause.field === field && isPresent(clause)));
  if (failure !== undefined) return optionalIndexes[failure];
  if (hasExact(where, "status")) return "search_status";
  return where.some(({ field, op }) => field === "startTime" && op !== "!=") ? "search_start" : "byNumber";
}

/** The way that gives rows in this order by itself; undefined when they have to be sorted. */
export function workflowAccessInOrder(sort: Sort<WorkflowField>): WorkflowAccess | undefined {
  if (sort.length === 0) return "byNumber";
  return sort.length === 1 && sort[0]?.field === "startTime" ? "search_start" : undefined;
}

export type WorkflowSource = {
  readonly where: readonly Clause<WorkflowField>[];
  readonly access: WorkflowAccess;
  /** How many executions there may be. */
  readonly rows: number;
  /** A condition on the search row, beside the clauses. */
  readonly also?: Sql | undefined;
  /** Payloads are asked for, as `e.inp` and `e.out`. */
  readonly readsPayloads?: boolean;
  readonly sort?: Sort<WorkflowField>;
  /** Only executions that are there, with ids behind this one. */
  readonly afterId?: string | undefined;
};

/**
 * So many rows are gone through in a fraction of a second, a third of which `alive` would take if it were asked for each.
 * It is asked only where more than values are compared: for patterns, and where texts are read.
 */
const SMALL = 2_000_000;

/** `from … where …` for the executions that match: `s` is the search row, `e` the execution where `afterId` is given. */
export function workflowSource(source: WorkflowSource): Sql {
  const { where, access, rows, also, readsPayloads = false, sort = [], afterId } = source;
  const readsHead = where.some((clause) => columns[clause.field].from !== undefined && !isById(clause));
  const sortsByHead = sort.some(({ field }) => columns[field].from !== undefined);
  const isQuick = rows <= SMALL && !where.some(hasPattern) && !readsPayloads;
  const conditions = allOf([
    ...(isQuick ? [] : [alive("s.no")]),
    ...where.map((clause) => (isById(clause) ? idSql(clause) : clauseSql(columns[clause.field], clause))),
    ...optionalFields
      .filter((field) => optionalIndexes[field] === access)
      // Said again, so that an index of those that have one may be used.
      .map((field) => fixed(`${columns[field].sql} is not null`)),
    ...(also === undefined ? [] : [also]),
    ...(afterId === undefined ? [] : [{ text: "e.id > ?", values: [afterId] }]),
  ]);
  const executions = access === "inIdOrder" ? "" : " left join execution e on e.no = s.no";
  const heads = `${executions} left join archive a on a.no = s.no`;
  const joined = readsHead || sortsByHead || afterId !== undefined || readsPayloads ? heads : "";
  return { text: `from ${tables(access)}${joined} where ${conditions.text}`, values: conditions.values };
}

export function workflowOrder(sort: Sort<WorkflowField>): string {
  const keys = sort.map(({ field, order }) => `${columns[field].sql} ${order}`);
  return `order by ${[...keys, `s.no ${sort[0]?.order ?? "ASC"}`].join(", ")}`;
}

function tables(access: WorkflowAccess): string {
  if (access === "inIdOrder") return "execution e cross join search s on s.no = e.no";
  if (access === "byId") return "search s";
  return access === "byNumber" ? "search s not indexed" : `search s indexed by ${access}`;
}

/** Whether nothing matches that has no value. */
const isPresent = ({ op, values }: Clause<string>): boolean =>
  (op === "=" || op === "IN") && values.every((value) => /[^*]/.test(String(value)));

const isById = (clause: Clause<WorkflowField>): boolean => clause.field === "workflowId" && isExact(clause);

function idSql({ values }: Clause<WorkflowField>): Sql {
  const ids = placesFor(values);
  return {
    text: `s.no in (select no from execution where id in (${ids}) union all select no from archive where id in (${ids}))`,
    values: [...values, ...values],
  };
}
