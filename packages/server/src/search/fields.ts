import type { TaskField, WorkflowField } from "@downbeat/store";

/** What can be compared and sorted by, and how its values are written. Times are epoch milliseconds or ISO 8601 text. */
export type SearchFields<Field extends string> = Readonly<Record<Field, FieldKind>>;
export type FieldKind = "text" | "number" | "time";

export const workflowFields: SearchFields<WorkflowField> = {
  workflowId: "text",
  correlationId: "text",
  workflowType: "text",
  version: "number",
  status: "text",
  startTime: "time",
  endTime: "time",
  updateTime: "time",
  parentWorkflowId: "text",
  classifier: "text",
  priority: "number",
  createdBy: "text",
  event: "text",
  reasonForIncompletion: "text",
  idempotencyKey: "text",
  failedReferenceTaskNames: "text",
  executionTime: "number",
};

export const taskFields: SearchFields<TaskField> = {
  taskId: "text",
  taskType: "text",
  taskDefName: "text",
  referenceTaskName: "text",
  workflowId: "text",
  workflowType: "text",
  correlationId: "text",
  status: "text",
  scheduledTime: "time",
  startTime: "time",
  endTime: "time",
  updateTime: "time",
  domain: "text",
  workerId: "text",
  workflowPriority: "number",
  reasonForIncompletion: "text",
  executionTime: "number",
  queueWaitTime: "number",
};

export const isField = <Field extends string>(name: string, fields: SearchFields<Field>): name is Field =>
  Object.hasOwn(fields, name);

/** The value as the field is compared; undefined when it cannot be read as one. */
export function readValue(text: string, kind: FieldKind): string | number | undefined {
  if (kind === "text") return text;
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const number = Number(trimmed);
  if (Number.isFinite(number)) return number;
  return kind === "time" ? readIsoTime(trimmed) : undefined;
}

const isoTime = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Without a zone it is UTC, as summaries show it. */
function readIsoTime(text: string): number | undefined {
  const [, date, time = "00:00", zone = "Z"] = isoTime.exec(text) ?? [];
  const at = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(at) ? undefined : at;
}
