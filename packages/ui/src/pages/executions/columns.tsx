import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ExecutionSummary } from "../../api/types.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Ago, Duration, Time } from "../../components/time.tsx";
import { isExecutionOpen } from "../../lib/status.ts";

export type Column = {
  readonly name: string;
  readonly label: string;
  /** For CSS grid. */
  readonly width: string;
  /** What the server sorts by; columns without one cannot be sorted. */
  readonly sort?: string;
  readonly show: (row: ExecutionSummary) => ReactNode;
};

const at = (iso: string | undefined): number => (iso === undefined || iso === "" ? 0 : Date.parse(iso));

const plain = (text: string | undefined): ReactNode =>
  text === undefined || text === "" ? (
    <span className="text-faint">–</span>
  ) : (
    <span className="truncate" title={text}>
      {text}
    </span>
  );

export const columns: readonly Column[] = [
  {
    name: "status",
    label: "Status",
    width: "7.5rem",
    sort: "status",
    show: ({ status }) => <StatusBadge status={status} />,
  },
  {
    name: "workflowType",
    label: "Workflow",
    width: "minmax(10rem, 1.5fr)",
    sort: "workflowType",
    show: ({ workflowId, workflowType, version }) => (
      <Link
        to="/executions/$id"
        params={{ id: workflowId }}
        className="min-w-0 truncate font-medium hover:text-accent-ink hover:underline"
      >
        {workflowType} <span className="font-normal text-faint">v{version}</span>
      </Link>
    ),
  },
  {
    name: "workflowId",
    label: "Id",
    width: "minmax(8rem, 1.2fr)",
    sort: "workflowId",
    show: ({ workflowId }) => (
      <span className="mono truncate text-soft" title={workflowId}>
        {workflowId}
      </span>
    ),
  },
  {
    name: "startTime",
    label: "Started",
    width: "9.5rem",
    sort: "startTime",
    show: ({ startTime }) => <Time at={at(startTime)} />,
  },
  {
    name: "ago",
    label: "Age",
    width: "6rem",
    show: ({ startTime }) => <Ago at={at(startTime)} />,
  },
  {
    name: "executionTime",
    label: "Duration",
    width: "6.5rem",
    sort: "executionTime",
    show: ({ status, startTime, endTime, updateTime }) => (
      <Duration from={at(startTime)} to={isExecutionOpen(status) ? 0 : at(endTime) || at(updateTime)} />
    ),
  },
  {
    name: "reasonForIncompletion",
    label: "Reason",
    width: "minmax(8rem, 2fr)",
    show: ({ reasonForIncompletion }) => plain(reasonForIncompletion),
  },
  {
    name: "correlationId",
    label: "Correlation id",
    width: "minmax(6rem, 1fr)",
    sort: "correlationId",
    show: ({ correlationId }) => plain(correlationId),
  },
  {
    name: "failedReferenceTaskNames",
    label: "Failed tasks",
    width: "minmax(6rem, 1fr)",
    show: ({ failedReferenceTaskNames }) => plain(failedReferenceTaskNames),
  },
  {
    name: "endTime",
    label: "Ended",
    width: "9.5rem",
    sort: "endTime",
    show: ({ endTime }) => <Time at={at(endTime)} />,
  },
  {
    name: "updateTime",
    label: "Updated",
    width: "9.5rem",
    sort: "updateTime",
    show: ({ updateTime }) => <Time at={at(updateTime)} />,
  },
  { name: "priority", label: "Priority", width: "5rem", sort: "priority", show: ({ priority }) => priority },
  { name: "classifier", label: "Kind", width: "6rem", show: ({ classifier }) => plain(classifier) },
  { name: "createdBy", label: "Created by", width: "8rem", show: ({ createdBy }) => plain(createdBy) },
  { name: "event", label: "Event", width: "8rem", show: ({ event }) => plain(event) },
  { name: "idempotencyKey", label: "Idempotency key", width: "8rem", show: (row) => plain(row.idempotencyKey) },
  { name: "parentWorkflowId", label: "Parent", width: "10rem", show: (row) => plain(row.parentWorkflowId) },
  { name: "input", label: "Input", width: "minmax(8rem, 1fr)", show: ({ input }) => plain(input) },
  { name: "output", label: "Output", width: "minmax(8rem, 1fr)", show: ({ output }) => plain(output) },
];

const defaultColumns = [
  "status",
  "workflowType",
  "workflowId",
  "startTime",
  "executionTime",
  "reasonForIncompletion",
  "correlationId",
];

/** The columns a URL names, in the order of the list above; the usual ones when it names none that exist. */
export function chosenColumns(names: string | undefined): readonly Column[] {
  const wanted = new Set(names === undefined ? defaultColumns : names.split(","));
  const chosen = columns.filter(({ name }) => wanted.has(name));
  return chosen.length > 0 ? chosen : columns.filter(({ name }) => defaultColumns.includes(name));
}
