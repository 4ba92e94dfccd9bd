import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Activity, ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { toUrl } from "../../api/client.ts";
import { useDefinitionNames } from "../../api/definitions.ts";
import { useEventStream } from "../../api/event-stream.ts";
import { executionsKey, executionsRequest, useExecutions } from "../../api/executions.ts";
import type { ExecutionSummary } from "../../api/types.ts";
import { Button, IconButton } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorBoundary, Problem } from "../../components/error-boundary.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { type GridColumn, VirtualGrid } from "../../components/virtual-grid.tsx";
import { formatCount } from "../../lib/format.ts";
import { throttle } from "../../lib/throttle.ts";
import { BulkBar } from "./bulk.tsx";
import { chosenColumns } from "./columns.tsx";
import { errorPosition } from "./completion.ts";
import { Filters } from "./filters.tsx";
import { QueryBox } from "./query-box.tsx";
import { DEFAULT_SIZE, DEFAULT_SORT, type ExecutionsSearch, toExecutionsQuery, toQueryText } from "./search.ts";
import { ViewsMenu } from "./views-menu.tsx";

const route = getRouteApi("/executions");
const REFRESH_MS = 2000;

type Change = { [Name in keyof ExecutionsSearch]?: ExecutionsSearch[Name] | undefined };

/** All executions, found by filters that live in the URL. */
export function ExecutionsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/executions" });
  const types = useDefinitionNames();
  const { data, error, isFetching, refetch } = useExecutions(search, () => toExecutionsQuery(search, Date.now()));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());

  const change = useMemo(
    () => (next: Change) => {
      setSelected(new Set());
      void navigate({
        search: (before) =>
          Object.fromEntries(
            Object.entries({ ...before, start: undefined, ...next }).filter(([, value]) => value !== undefined),
          ) as ExecutionsSearch,
      });
    },
    [navigate],
  );
  const live = useLiveRefresh(search);
  const isQueryError = error !== null && errorPosition(error.message) !== undefined;
  const rows = data?.results ?? [];
  const totalHits = data?.totalHits ?? 0;

  return (
    <>
      <PageHeader
        title="Executions"
        note={data && `${formatCount(totalHits)} ${totalHits === 1 ? "match" : "matches"}`}
        actions={
          <>
            <LiveMark state={live} />
            <CopyAs request={executionsRequest(toExecutionsQuery(search, Date.now()))} />
          </>
        }
      />
      <div className="flex flex-col gap-2 border-b border-line bg-surface px-4 py-2.5">
        <div className="flex items-start gap-2">
          <ViewsMenu search={search} onChoose={(next) => void navigate({ search: next })} />
          <QueryBox
            value={search.query ?? ""}
            onChange={(query) => change({ query: query === "" ? undefined : query })}
            types={types}
            error={isQueryError ? error.message : undefined}
          />
        </div>
        <Filters search={search} onChange={change} types={types} />
      </div>
      {selected.size > 0 && (
        <BulkBar
          selected={[...selected]}
          totalHits={totalHits}
          search={search}
          onClear={() => setSelected(new Set())}
          onStarted={(jobId) => void navigate({ to: "/jobs", hash: jobId })}
        />
      )}
      <ErrorBoundary resetKey={JSON.stringify(search)}>
        {error !== null && !isQueryError ? (
          <Problem error={error} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          !isQueryError && <Skeleton rows={12} />
        ) : rows.length === 0 ? (
          <NoExecutions search={search} />
        ) : (
          <ExecutionsTable
            rows={rows}
            search={search}
            selected={selected}
            onSelect={setSelected}
            onSort={(sort) => change({ sort: sort === DEFAULT_SORT ? undefined : sort })}
          />
        )}
      </ErrorBoundary>
      <Pager
        start={search.start ?? 0}
        size={search.size ?? DEFAULT_SIZE}
        totalHits={totalHits}
        isBusy={isFetching}
        onChange={(start) => change({ start: start === 0 ? undefined : start })}
      />
    </>
  );
}

/** Looks again when the server says that something that matches has changed; never more often than every two seconds. */
function useLiveRefresh(search: ExecutionsSearch) {
  const queryClient = useQueryClient();
  const refresh = useMemo(
    () => throttle(() => void queryClient.invalidateQueries({ queryKey: executionsKey }), REFRESH_MS),
    [queryClient],
  );
  useEffect(() => () => refresh.cancel(), [refresh]);
  // Without the status: what leaves it must be heard of too.
  const { status: _status, ...rest } = search;
  const url = toUrl({ path: "/workflow/stream", query: { query: toQueryText(rest) || undefined } });
  const live = useEventStream(url, { workflow: refresh, reset: refresh });
  useEffect(() => {
    // What changed after the list was read and before the stream began is told by neither.
    if (live === "live") refresh();
  }, [live, refresh]);
  return live;
}

type TableProps = {
  readonly rows: readonly ExecutionSummary[];
  readonly search: ExecutionsSearch;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly onSort: (sort: string) => void;
};

function ExecutionsTable({ rows, search, selected, onSelect, onSort }: TableProps) {
  const navigate = useNavigate();
  const chosen = chosenColumns(search.columns);
  const [sortField = "", sortOrder = "ASC"] = (search.sort ?? DEFAULT_SORT).split(":");
  const isAllSelected = rows.every(({ workflowId }) => selected.has(workflowId));
  const gridColumns: readonly GridColumn<ExecutionSummary>[] = [
    {
      name: "select",
      width: "1rem",
      label: (
        <input
          type="checkbox"
          aria-label="Select all on this page"
          checked={isAllSelected}
          onChange={() => onSelect(isAllSelected ? new Set() : new Set(rows.map(({ workflowId }) => workflowId)))}
          className="size-3.5 accent-(--accent)"
        />
      ),
      show: ({ workflowId, workflowType }) => (
        <input
          type="checkbox"
          aria-label={`Select ${workflowType} ${workflowId}`}
          checked={selected.has(workflowId)}
          onChange={() => onSelect(toggled(selected, workflowId))}
          className="size-3.5 accent-(--accent)"
        />
      ),
    },
    ...chosen.map((column) => ({ ...column, isSortable: column.sort !== undefined })),
  ];
  return (
    <VirtualGrid
      label="Executions"
      columns={gridColumns}
      rows={rows}
      keyOf={({ workflowId }) => workflowId}
      isChosen={({ workflowId }) => selected.has(workflowId)}
      sort={{ name: chosen.find(({ sort }) => sort === sortField)?.name ?? "", isDescending: sortOrder === "DESC" }}
      onSort={(name) => {
        const field = chosen.find((column) => column.name === name)?.sort ?? name;
        onSort(`${field}:${field === sortField && sortOrder === "DESC" ? "ASC" : "DESC"}`);
      }}
      onOpen={({ workflowId }) => void navigate({ to: "/executions/$id", params: { id: workflowId } })}
    />
  );
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

function NoExecutions({ search }: { readonly search: ExecutionsSearch }) {
  if (Object.keys(search).length > 0) {
    return (
      <EmptyState icon={<Activity />} title="No execution matches">
        <p>All filters hold together. Take one away, or widen the time.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Activity />}
      title="Nothing has run yet"
      command={`# a definition with one step that needs no worker\ncurl -X POST '${location.origin}/api/metadata/workflow' -H 'Content-Type: application/json' \\\n  -d '{"name": "hello", "version": 1, "schemaVersion": 2, "tasks": [\n        {"name": "greet", "taskReferenceName": "greet", "type": "INLINE",\n         "inputParameters": {"who": "\${workflow.input.who}", "evaluatorType": "graaljs", "expression": "\\"Hello, \\" + $.who"}}]}'\n\n# run it\ncurl -X POST '${location.origin}/api/workflow/hello' -H 'Content-Type: application/json' -d '{"who": "world"}'`}
    >
      <p>An execution is one run of a workflow definition. Register a definition and start it:</p>
    </EmptyState>
  );
}

type PagerProps = {
  readonly start: number;
  readonly size: number;
  readonly totalHits: number;
  readonly isBusy: boolean;
  readonly onChange: (start: number) => void;
};

function Pager({ start, size, totalHits, isBusy, onChange }: PagerProps) {
  const last = Math.min(start + size, totalHits);
  return (
    <footer className="flex h-10 shrink-0 items-center gap-2 border-t border-line bg-surface px-4 text-sm text-soft">
      <span className="tabular-nums">
        {totalHits === 0 ? "Nothing" : `${formatCount(start + 1)}–${formatCount(last)} of ${formatCount(totalHits)}`}
      </span>
      {isBusy && <span className="breathing text-xs text-faint">looking</span>}
      <div className="ml-auto flex items-center">
        {start > 0 && (
          <Button look="ghost" isSmall onClick={() => onChange(0)}>
            First
          </Button>
        )}
        <IconButton label="Previous page" disabled={start === 0} onClick={() => onChange(Math.max(0, start - size))}>
          <ChevronLeft />
        </IconButton>
        <IconButton label="Next page" disabled={last >= totalHits} onClick={() => onChange(start + size)}>
          <ChevronRight />
        </IconButton>
      </div>
    </footer>
  );
}
