import { classifierOf, type Head, type WorkflowDef } from "@downbeat/engine";
import type { Clause, WorkflowField } from "@downbeat/store";

/** True when the execution would be found by these clauses; says in memory what the index says on disk. */
export function matches(
  where: readonly Clause<WorkflowField>[],
  head: Head,
  def: Pick<WorkflowDef, "metadata"> | undefined,
): boolean {
  return where.every((clause) => holds(clause, head, def));
}

function holds(
  { field, op, values }: Clause<WorkflowField>,
  head: Head,
  def: Pick<WorkflowDef, "metadata"> | undefined,
): boolean {
  const isClassifier = field === "classifier";
  const value = isClassifier ? classifierOf(def ?? { metadata: {} }).toLowerCase() : readField(head, field);
  const wanted = isClassifier ? values.map((one) => String(one).toLowerCase()) : values;
  const [first = ""] = wanted;
  switch (op) {
    case "=":
      return wanted.some((one) => isEqual(value, one));
    case "IN":
      return wanted.some((one) => value === one);
    case "!=":
      return !wanted.some((one) => isEqual(value, one));
    case ">":
      return value > first;
    case ">=":
      return value >= first;
    case "<":
      return value < first;
    case "<=":
      return value <= first;
  }
}

/** A `*` stands for any characters, and then case does not matter. */
function isEqual(value: string | number, wanted: string | number): boolean {
  if (typeof wanted === "number" || !wanted.includes("*")) return value === wanted;
  const pattern = wanted.split("*").map(RegExp.escape).join("[^]*");
  return new RegExp(`^${pattern}$`, "i").test(String(value));
}

function readField(head: Head, field: Exclude<WorkflowField, "classifier">): string | number {
  switch (field) {
    case "workflowId":
      return head.id;
    case "workflowType":
      return head.workflowName;
    case "version":
      return head.workflowVersion;
    case "status":
      return head.status;
    case "startTime":
      return head.createTime;
    case "endTime":
      return head.endTime;
    case "updateTime":
      return head.updateTime;
    case "priority":
      return head.priority;
    case "executionTime":
      return head.endTime === 0 ? 0 : head.endTime - head.createTime;
    case "failedReferenceTaskNames":
      return head.failedReferenceTaskNames.join(",");
    case "correlationId":
    case "parentWorkflowId":
    case "createdBy":
    case "event":
    case "reasonForIncompletion":
    case "idempotencyKey":
      return head[field] ?? "";
  }
}
