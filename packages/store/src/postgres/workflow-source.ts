import type { Clause, WorkflowField } from "../port.ts";
import { type Column, clauseSql, hasExact, orderBy, type Sort, type Values } from "./search-clause.ts";
import type { Probe, ProbedColumns } from "./search-probe.ts";

const columns: Record<WorkflowField, Column> = {
  workflowId: { sql: "s.id", kind: "text" },
  correlationId: { sql: "s.correlation_id", kind: "text" },
  workflowType: { sql: "s.name", kind: "text" },
  version: { sql: "s.version", kind: "number" },
  status: { sql: "s.status", kind: "text" },
  startTime: { sql: "s.start_time", kind: "number" },
  endTime: { sql: "s.end_time", kind: "number" },
  // It changes with every step, so it is not among the search rows.
  updateTime: { sql: "coalesce(e.updated, a.updated)", kind: "number", from: "head" },
  parentWorkflowId: { sql: "s.parent_id", kind: "text" },
  classifier: { sql: "s.classifier", kind: "text", ignoresCase: true },
  priority: { sql: "s.priority", kind: "number" },
  createdBy: { sql: "s.created_by", kind: "text" },
  event: { sql: "s.event", kind: "text" },
  reasonForIncompletion: { sql: "s.reason", kind: "text" },
  idempotencyKey: { sql: "s.idempotency_key", kind: "text" },
  failedReferenceTaskNames: { sql: "s.failed", kind: "text" },
  executionTime: { sql: "(case when s.end_time > 0 then s.end_time - s.start_time else 0 end)", kind: "number" },
};

const chosenTexts = [
  "s.name",
  "s.correlation_id",
  "s.reason",
  "s.event",
  "s.created_by",
  "s.idempotency_key",
  "s.failed",
];

/** Archived executions are never decided: their texts lie elsewhere. */
export const workflowTexts: ProbedColumns = {
  shown: ["s.id", "s.status", ...chosenTexts],
  chosen: chosenTexts,
  payloads: ["e.inp", "e.out"],
  undecided: "e.id is null",
};

/** What texts with a word must look like. */
export type Signature = {
  /** A condition on the signatures of the texts, which are `g`. */
  readonly condition: string;
  /** Those with these statuses may have it too: a status changes too often to be part of a signature. */
  readonly statuses: readonly string[];
  /** A condition on the search row `s` of those that have settled. */
  readonly settled?: ((values: Values) => string) | undefined;
};

export type WorkflowSource = {
  readonly where: readonly Clause<WorkflowField>[];
  /** A condition on the search row, beside the clauses. */
  readonly also?: ((values: Values) => string) | undefined;
  readonly signature?: Signature | undefined;
  readonly probe?: Probe | undefined;
  readonly sort?: Sort<WorkflowField>;
  /** Only executions that are there, with ids behind this one. */
  readonly afterId?: string | undefined;
};

/** `from … where …` for the executions that match: `s` is the search row. */
export function workflowSource(values: Values, source: WorkflowSource): string {
  const { where, also, signature, probe, sort = [], afterId } = source;
  const readsHead = [...where, ...sort].some(({ field }) => columns[field].from !== undefined);
  const conditions = where.map((clause) => clauseSql(values, columns[clause.field], clause));
  // Said again, so that an index of those that have one may be used.
  if (hasExact(where, "correlationId")) conditions.push("s.correlation_id <> ''");
  if (hasExact(where, "parentWorkflowId")) conditions.push("s.parent_id <> ''");
  if (also !== undefined) conditions.push(also(values));
  if (signature !== undefined) conditions.push(signatureSql(values, signature));
  if (probe !== undefined) conditions.push(probe.where);
  if (afterId !== undefined) conditions.push(`e.id > ${values.add(afterId)}`);
  const joined =
    readsHead || probe !== undefined || afterId !== undefined
      ? " left join execution e on e.id = s.id left join archive a on a.id = s.id"
      : "";
  return `from search s${joined}${conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`}`;
}

/** Candidates are found first, each by its own way: asked as one condition, all rows would be gone through. */
function signatureSql(values: Values, { condition, statuses, settled }: Signature): string {
  const found = [
    `select g.exec from search_text g where ${condition}`,
    ...(settled === undefined ? [] : [`select s.id from search s where ${settled(values)}`]),
  ];
  const isAmong = `s.id in (${found.join(" union ")})`;
  return statuses.length === 0 ? isAmong : `(s.status = any(${values.add(statuses)}::text[]) or ${isAmong})`;
}

export const workflowOrder = (sort: Sort<WorkflowField>): string =>
  orderBy(sort, (field) => columns[field].sql, ["s.id"]);

/**
 * The same order for few rows, written so that no index gives it. The planner does not know that they are few, and would
 * go through all executions in the wanted order until it has met them.
 */
export const workflowOrderOfFew = (sort: Sort<WorkflowField>): string =>
  orderBy(sort, (field) => hidden(columns[field]), ["(s.id || '')"]);

const hidden = ({ sql, kind }: Column): string => (kind === "number" ? `(${sql} + 0)` : `(${sql} || '')`);
