import { useMemo, useState } from "react";
import type { TaskState } from "../../api/types.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Select, TextInput } from "../../components/field.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Duration, Time } from "../../components/time.tsx";
import { type GridColumn, type GridSort, VirtualGrid } from "../../components/virtual-grid.tsx";
import { formatCount } from "../../lib/format.ts";
import { isTaskOpen, statusLabel, toneOf } from "../../lib/status.ts";

type Props = {
  readonly tasks: readonly TaskState[];
  readonly openTaskId: string | undefined;
  readonly onOpen: (taskId: string) => void;
};

type TaskColumn = GridColumn<TaskState> & { readonly value?: (task: TaskState) => number | string };

const columns: readonly TaskColumn[] = [
  { name: "seq", label: "#", width: "3rem", value: ({ seq }) => seq, show: ({ seq }) => <Faint>{seq}</Faint> },
  {
    name: "status",
    label: "Status",
    width: "10rem",
    value: ({ status }) => status,
    show: ({ status }) => <StatusBadge status={status} />,
  },
  {
    name: "ref",
    label: "Task",
    width: "minmax(10rem, 2fr)",
    value: (task) => task.referenceTaskName,
    show: (task) => <span className="truncate font-medium">{task.referenceTaskName}</span>,
  },
  {
    name: "type",
    label: "Type",
    width: "minmax(7rem, 1fr)",
    value: ({ taskType }) => taskType,
    show: ({ taskType, taskDefName }) => (
      <span className="mono truncate text-soft" title={taskDefName}>
        {taskType}
      </span>
    ),
  },
  {
    name: "attempt",
    label: "Attempt",
    width: "4.5rem",
    value: ({ retryCount }) => retryCount,
    show: ({ retryCount }) => (retryCount === 0 ? <Faint>1</Faint> : retryCount + 1),
  },
  {
    name: "scheduled",
    label: "Scheduled",
    width: "6.5rem",
    value: ({ scheduledTime }) => scheduledTime,
    show: ({ scheduledTime }) => <Time at={scheduledTime} withDate={false} withMs />,
  },
  {
    name: "wait",
    label: "Waited",
    width: "5rem",
    value: (task) => (task.startTime || Date.now()) - task.scheduledTime,
    show: ({ scheduledTime, startTime, endTime }) => <Duration from={scheduledTime} to={startTime || endTime} />,
  },
  {
    name: "run",
    label: "Ran",
    width: "5rem",
    value: (task) => (task.startTime === 0 ? -1 : (task.endTime || Date.now()) - task.startTime),
    show: ({ status, startTime, endTime }) => (
      <Duration from={startTime} to={isTaskOpen(status) ? 0 : endTime || startTime} />
    ),
  },
  {
    name: "worker",
    label: "Worker",
    width: "minmax(6rem, 1fr)",
    value: ({ workerId }) => workerId ?? "",
    show: ({ workerId }) => (workerId ? <span className="truncate">{workerId}</span> : <Faint>–</Faint>),
  },
  {
    name: "reason",
    label: "Reason",
    width: "minmax(8rem, 2fr)",
    show: ({ status, reasonForIncompletion: reason }) =>
      reason ? (
        <span className={`truncate ${toneOf(status) === "good" ? "text-soft" : "text-bad"}`} title={reason}>
          {reason}
        </span>
      ) : (
        <Faint>–</Faint>
      ),
  },
];

const sortable = columns.map((column) => ({ ...column, isSortable: column.value !== undefined }));

function Faint({ children }: { readonly children: React.ReactNode }) {
  return <span className="text-faint tabular-nums">{children}</span>;
}

/** All tasks, attempts and iterations, as a table of any length. */
export function TasksTab({ tasks, openTaskId, onOpen }: Props) {
  const [text, setText] = useState("");
  const [status, setStatus] = useState("");
  const [sort, setSort] = useState<GridSort>({ name: "seq", isDescending: false });
  const rows = useMemo(() => sorted(filtered(tasks, text, status), sort), [tasks, text, status, sort]);
  const statuses = useMemo(() => [...new Set(tasks.map((task) => task.status))].sort(), [tasks]);
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-3 py-2">
        <TextInput
          type="search"
          data-search-box
          aria-label="Filter tasks"
          placeholder="Name, type, worker or reason"
          className="!w-72"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Select
          aria-label="Status"
          className="!w-48"
          value={status}
          onChange={(event) => setStatus(event.target.value)}
        >
          <option value="">Any status</option>
          {statuses.map((one) => (
            <option key={one} value={one}>
              {statusLabel(one)}
            </option>
          ))}
        </Select>
        <span className="text-sm text-faint tabular-nums">
          {rows.length === tasks.length
            ? `${formatCount(tasks.length)} tasks`
            : `${formatCount(rows.length)} of ${formatCount(tasks.length)} tasks`}
        </span>
      </div>
      {rows.length === 0 ? (
        <EmptyState title={tasks.length === 0 ? "No task was scheduled yet" : "No task matches"} />
      ) : (
        <VirtualGrid
          label="Tasks"
          columns={sortable}
          rows={rows}
          keyOf={({ taskId }) => taskId}
          sort={sort}
          onSort={(name) => setSort({ name, isDescending: sort.name === name && !sort.isDescending })}
          onOpen={({ taskId }) => onOpen(taskId)}
          isChosen={({ taskId }) => taskId === openTaskId}
        />
      )}
    </>
  );
}

function filtered(tasks: readonly TaskState[], text: string, status: string): readonly TaskState[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "" && status === "") return tasks;
  return tasks.filter((task) => {
    if (status !== "" && task.status !== status) return false;
    const { referenceTaskName, taskType, taskDefName, workerId = "", reasonForIncompletion = "" } = task;
    return [referenceTaskName, taskType, taskDefName, workerId, reasonForIncompletion].some((part) =>
      part.toLowerCase().includes(wanted),
    );
  });
}

function sorted(tasks: readonly TaskState[], { name, isDescending }: GridSort): readonly TaskState[] {
  const value = columns.find((column) => column.name === name)?.value;
  if (value === undefined || (name === "seq" && !isDescending)) return tasks;
  const sign = isDescending ? -1 : 1;
  return tasks.toSorted((a, b) => {
    const [one, other] = [value(a), value(b)];
    return one === other ? a.seq - b.seq : sign * (one < other ? -1 : 1);
  });
}
