import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Plus, Puzzle } from "lucide-react";
import { useMemo } from "react";
import { useFreshOnMetadata } from "../../api/metadata-changes.ts";
import { type TaskDefinition, taskDefinitionsKey, useTaskDefinitions } from "../../api/task-definitions.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { type GridColumn, VirtualGrid } from "../../components/virtual-grid.tsx";
import { hasWords } from "../../lib/find-text.ts";
import { formatCount, formatDuration } from "../../lib/format.ts";

const route = getRouteApi("/task-definitions");

/** How tasks that workers do are retried, timed out and limited. */
export function TaskDefinitionsPage() {
  const { text = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/task-definitions" });
  const { data, error, refetch } = useTaskDefinitions();
  const live = useFreshOnMetadata("taskDef", taskDefinitionsKey);
  const shown = useMemo(
    () => data?.filter(({ name, description, ownerEmail }) => hasWords(text, [name, description, ownerEmail])),
    [data, text],
  );
  return (
    <>
      <PageHeader
        title="Task definitions"
        note={shown && formatCount(shown.length)}
        actions={
          <>
            <LiveMark state={live} />
            <CopyAs request={{ method: "GET", path: "/metadata/taskdefs" }} />
            <Button look="primary" onClick={() => void navigate({ to: "/new-task-definition" })}>
              <Plus /> New task definition
            </Button>
          </>
        }
      />
      {error !== null && data === undefined ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : shown === undefined ? (
        <Skeleton />
      ) : data?.length === 0 ? (
        <EmptyState
          icon={<Puzzle />}
          title="No task definitions yet"
          command={`curl -X POST '${location.origin}/api/metadata/taskdefs' -H 'Content-Type: application/json' \\\n  -d '[{"name": "charge_card", "ownerEmail": "you@example.com", "retryCount": 3, "responseTimeoutSeconds": 60}]'`}
        >
          <p>A task definition says how often a worker's task is retried and when it is given up. Register one:</p>
        </EmptyState>
      ) : (
        <div className="flex min-h-0 flex-1 flex-col bg-surface">
          <div className="border-b border-line px-3 py-2">
            <SearchBox
              label="Find a task definition"
              value={text}
              onChange={(typed) => void navigate({ search: typed === "" ? {} : { text: typed }, replace: true })}
            />
          </div>
          {shown.length === 0 ? (
            <EmptyState title="No task definition has these words" />
          ) : (
            <VirtualGrid
              label="Task definitions"
              columns={columns}
              rows={shown}
              keyOf={({ name }) => name}
              onOpen={({ name }) => void navigate({ to: "/task-definitions/$name", params: { name } })}
            />
          )}
        </div>
      )}
    </>
  );
}

const seconds = (count: number | undefined): string => (count ? formatDuration(count * 1000) : "–");

const columns: readonly GridColumn<TaskDefinition>[] = [
  {
    name: "name",
    label: "Name",
    width: "minmax(11rem, 1.6fr)",
    show: ({ name }) => (
      <Link to="/task-definitions/$name" params={{ name }} className="truncate font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  {
    name: "description",
    label: "Description",
    width: "minmax(9rem, 1.4fr)",
    show: ({ description }) => <span className="truncate text-soft">{description}</span>,
  },
  {
    name: "retries",
    label: "Retries",
    width: "13rem",
    show: ({ retryCount, retryLogic, retryDelaySeconds }) =>
      retryCount === 0 ? (
        <span className="text-faint">none</span>
      ) : (
        `${retryCount}, ${retryLogic.toLowerCase().replaceAll("_", " ")} ${seconds(retryDelaySeconds)}`
      ),
  },
  {
    name: "response",
    label: "Must answer within",
    width: "9rem",
    show: ({ responseTimeoutSeconds }) => seconds(responseTimeoutSeconds),
  },
  {
    name: "timeout",
    label: "Must end within",
    width: "9rem",
    show: ({ timeoutSeconds }) => seconds(timeoutSeconds),
  },
  {
    name: "limit",
    label: "At once",
    width: "6rem",
    show: ({ concurrentExecLimit }) => (concurrentExecLimit ? formatCount(concurrentExecLimit) : "–"),
  },
  {
    name: "owner",
    label: "Owner",
    width: "minmax(6.5rem, 1fr)",
    show: ({ ownerEmail }) => <span className="truncate text-soft">{ownerEmail}</span>,
  },
];
