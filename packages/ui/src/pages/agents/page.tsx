import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Bot, Play, Plus } from "lucide-react";
import { useMemo } from "react";
import { type AgentSummary, useAgents } from "../../api/agents.ts";
import { definitionsKey } from "../../api/definitions.ts";
import { useFreshOnMetadata } from "../../api/metadata-changes.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { isSwitchedOff } from "../../components/switched-off.tsx";
import { Ago } from "../../components/time.tsx";
import { type GridColumn, VirtualGrid } from "../../components/virtual-grid.tsx";
import { hasWords } from "../../lib/find-text.ts";
import { formatCount } from "../../lib/format.ts";
import { AgentsOff } from "./agents-off.tsx";

const route = getRouteApi("/agents");

/** Every deployed agent, in its latest version. */
export function AgentsPage() {
  const { text = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/agents" });
  const { data, error, refetch } = useAgents();
  const live = useFreshOnMetadata("workflowDef", definitionsKey);
  const shown = useMemo(
    () => data?.filter(({ name, description, type, tags }) => hasWords(text, [name, description, type, ...tags])),
    [data, text],
  );
  return (
    <>
      <PageHeader
        title="Agents"
        note={shown && formatCount(shown.length)}
        actions={
          data !== undefined && (
            <>
              <LiveMark state={live} />
              <CopyAs request={{ method: "GET", path: "/agent/list" }} />
              <Button look="primary" onClick={() => void navigate({ to: "/new-agent" })}>
                <Plus /> New agent
              </Button>
            </>
          )
        }
      />
      {isSwitchedOff(error) ? (
        <AgentsOff />
      ) : error !== null && data === undefined ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : shown === undefined ? (
        <Skeleton />
      ) : data?.length === 0 ? (
        <NoAgents />
      ) : (
        <div className="flex min-h-0 flex-1 flex-col bg-surface">
          <div className="border-b border-line px-3 py-2">
            <SearchBox
              label="Find an agent"
              value={text}
              onChange={(typed) => void navigate({ search: typed === "" ? {} : { text: typed }, replace: true })}
            />
          </div>
          {shown.length === 0 ? (
            <EmptyState title="No agent has these words" />
          ) : (
            <VirtualGrid
              label="Agents"
              columns={columns}
              rows={shown}
              keyOf={({ name }) => name}
              onOpen={({ name }) => void navigate({ to: "/agents/$name", params: { name }, search: {} })}
            />
          )}
        </div>
      )}
    </>
  );
}

function NoAgents() {
  const agentConfig = { name: "greeter", model: "openai/gpt-4o-mini", instructions: "Greet the customer by name." };
  return (
    <EmptyState
      icon={<Bot />}
      title="No agents yet"
      command={`curl -X POST '${location.origin}/api/agent/deploy' -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify({ agentConfig })}'`}
    >
      <p>
        An agent is a model with instructions and tools. It becomes an ordinary workflow: it survives a crash, waits for
        a person without cost, and every turn can be looked at afterwards.{" "}
        <Link to="/new-agent" className="text-accent-ink underline">
          Write one here
        </Link>
        , or deploy one:
      </p>
    </EmptyState>
  );
}

const columns: readonly GridColumn<AgentSummary>[] = [
  {
    name: "name",
    label: "Name",
    width: "minmax(12rem, 1.6fr)",
    show: ({ name }) => (
      <Link
        to="/agents/$name"
        params={{ name }}
        search={{}}
        className="truncate font-medium hover:underline"
        title={name}
      >
        {name}
      </Link>
    ),
  },
  {
    name: "description",
    label: "Description",
    width: "minmax(12rem, 2fr)",
    show: ({ description }) => (
      <span className="truncate text-soft" title={description}>
        {description}
      </span>
    ),
  },
  {
    name: "type",
    label: "Written for",
    width: "9rem",
    show: ({ type }) => <span className="truncate">{type.replaceAll("_", " ")}</span>,
  },
  {
    name: "tags",
    label: "Can",
    width: "minmax(9rem, 1.2fr)",
    show: ({ tags }) => <span className="truncate text-soft">{tags.join(", ").replaceAll("-", " ")}</span>,
  },
  {
    name: "version",
    label: "Latest",
    width: "5rem",
    show: ({ version }) => <span className="tabular-nums">{version}</span>,
  },
  {
    name: "changed",
    label: "Changed",
    width: "8rem",
    show: ({ updateTime, createTime }) => <Ago at={updateTime || createTime} />,
  },
  {
    name: "run",
    label: <span className="sr-only">Run</span>,
    width: "4.5rem",
    show: ({ name }) => (
      <Link
        to="/agents/$name"
        params={{ name }}
        search={{ tab: "run" }}
        aria-label={`Run ${name}`}
        className="inline-flex h-6 items-center gap-1 rounded-md border border-line-strong px-2 text-xs font-medium hover:bg-hover"
      >
        <Play className="size-3" /> Run
      </Link>
    ),
  },
];
