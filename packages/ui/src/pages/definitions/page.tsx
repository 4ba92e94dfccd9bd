import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Play, Plus, Workflow } from "lucide-react";
import { useMemo } from "react";
import { type DefinitionRow, definitionsKey, useDefinitionRows } from "../../api/definitions.ts";
import { useFreshOnMetadata } from "../../api/metadata-changes.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Ago } from "../../components/time.tsx";
import { type GridColumn, VirtualGrid } from "../../components/virtual-grid.tsx";
import { forEachEntry } from "../../graph/progress.ts";
import { hasWords } from "../../lib/find-text.ts";
import { formatCount } from "../../lib/format.ts";
import type { DefinitionsSearch } from "./search.ts";

const route = getRouteApi("/definitions");

/** Every workflow definition, in its latest version. */
export function DefinitionsPage() {
  const { text = "", sort = "name" } = route.useSearch();
  const navigate = useNavigate({ from: "/definitions" });
  const { rows, error, refetch } = useDefinitionRows();
  const live = useFreshOnMetadata("workflowDef", definitionsKey);
  const shown = useMemo(() => rows && sorted(rows, sort).filter((row) => matches(row, text)), [rows, sort, text]);
  const setSearch = (change: DefinitionsSearch) =>
    void navigate({ search: (before) => clean({ ...before, ...change }), replace: true });
  return (
    <>
      <PageHeader
        title="Definitions"
        note={shown && `${formatCount(shown.length)} workflow${shown.length === 1 ? "" : "s"}`}
        actions={
          <>
            <LiveMark state={live} />
            <CopyAs request={{ method: "GET", path: "/metadata/workflow/latest-versions" }} />
            <Button look="primary" onClick={() => void navigate({ to: "/new-definition" })}>
              <Plus /> New definition
            </Button>
          </>
        }
      />
      {error !== null && rows === undefined ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : shown === undefined ? (
        <Skeleton />
      ) : rows?.length === 0 ? (
        <NoDefinitions />
      ) : (
        <div className="flex min-h-0 flex-1 flex-col bg-surface">
          <div className="border-b border-line px-3 py-2">
            <SearchBox label="Find a definition" value={text} onChange={(typed) => setSearch({ text: typed })} />
          </div>
          {shown.length === 0 ? (
            <EmptyState title="No definition has these words">
              <p>Names, descriptions, owners and the names of tasks are searched.</p>
            </EmptyState>
          ) : (
            <VirtualGrid
              label="Definitions"
              columns={columns}
              rows={shown}
              keyOf={({ definition }) => definition.name}
              sort={{ name: sort, isDescending: sort === "updated" }}
              onSort={(name) => setSearch({ sort: name as "name" | "updated" })}
              onOpen={({ definition }) =>
                void navigate({ to: "/definitions/$name", params: { name: definition.name }, search: {} })
              }
            />
          )}
        </div>
      )}
    </>
  );
}

/** What is the default is not in the URL. */
const clean = ({ text, sort }: DefinitionsSearch): DefinitionsSearch => ({
  ...(text ? { text } : {}),
  ...(sort === undefined || sort === "name" ? {} : { sort }),
});

const sorted = (rows: readonly DefinitionRow[], sort: string): readonly DefinitionRow[] =>
  sort === "updated" ? rows.toSorted((a, b) => changedAt(b) - changedAt(a)) : rows;

const changedAt = ({ definition }: DefinitionRow): number => definition.updateTime || definition.createTime || 0;

function matches({ definition }: DefinitionRow, text: string): boolean {
  if (text === "") return true;
  const names: string[] = [];
  forEachEntry(definition.tasks, ({ name, taskReferenceName }) => names.push(name, taskReferenceName));
  return hasWords(text, [definition.name, definition.description, definition.ownerEmail, ...names]);
}

function countTasks({ definition }: DefinitionRow): number {
  let count = 0;
  forEachEntry(definition.tasks, () => {
    count += 1;
  });
  return count;
}

const columns: readonly GridColumn<DefinitionRow>[] = [
  {
    name: "name",
    label: "Name",
    width: "minmax(13rem, 2.2fr)",
    isSortable: true,
    show: ({ definition }) => (
      <Link
        to="/definitions/$name"
        params={{ name: definition.name }}
        search={{}}
        className="truncate font-medium hover:underline"
        title={definition.name}
      >
        {definition.name}
      </Link>
    ),
  },
  {
    name: "description",
    label: "Description",
    width: "minmax(12rem, 2.2fr)",
    show: ({ definition }) => (
      <span className="truncate text-soft" title={definition.description}>
        {definition.description}
      </span>
    ),
  },
  {
    name: "version",
    label: "Latest",
    width: "5rem",
    show: ({ definition }) => <span className="tabular-nums">{definition.version}</span>,
  },
  { name: "versions", label: "Versions", width: "5rem", show: ({ versions }) => formatCount(versions) },
  { name: "tasks", label: "Tasks", width: "5rem", show: (row) => formatCount(countTasks(row)) },
  {
    name: "owner",
    label: "Owner",
    width: "minmax(7rem, 1.2fr)",
    show: ({ definition }) => <span className="truncate text-soft">{definition.ownerEmail}</span>,
  },
  {
    name: "updated",
    label: "Changed",
    width: "8rem",
    isSortable: true,
    show: (row) => <Ago at={changedAt(row)} />,
  },
  {
    name: "run",
    label: <span className="sr-only">Run</span>,
    width: "4.5rem",
    show: ({ definition }) => (
      <Link
        to="/definitions/$name"
        params={{ name: definition.name }}
        search={{ tab: "run" }}
        aria-label={`Run ${definition.name}`}
        className="inline-flex h-6 items-center gap-1 rounded-md border border-line-strong px-2 text-xs font-medium hover:bg-hover"
      >
        <Play className="size-3" /> Run
      </Link>
    ),
  },
];

function NoDefinitions() {
  const body = JSON.stringify({
    name: "hello",
    version: 1,
    ownerEmail: "you@example.com",
    tasks: [
      {
        name: "greet",
        taskReferenceName: "greet",
        type: "INLINE",
        inputParameters: { evaluatorType: "graaljs", expression: "'hello ' + $.name", name: "${workflow.input.name}" },
      },
    ],
  });
  return (
    <EmptyState
      icon={<Workflow />}
      title="No definitions yet"
      command={`curl -X POST '${location.origin}/api/metadata/workflow' -H 'Content-Type: application/json' \\\n  -d '${body.replaceAll("'", "'\\''")}'`}
    >
      <p>
        A definition says which tasks run, and in what order.{" "}
        <Link to="/new-definition" className="text-accent-ink underline">
          Write one here
        </Link>
        , or register one:
      </p>
    </EmptyState>
  );
}
