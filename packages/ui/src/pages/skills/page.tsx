import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ScrollText } from "lucide-react";
import { useMemo } from "react";
import { type AgentSummary, useAgents } from "../../api/agents.ts";
import { definitionsKey } from "../../api/definitions.ts";
import { useFreshOnMetadata } from "../../api/metadata-changes.ts";
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
import { AgentsOff } from "../agents/agents-off.tsx";

const route = getRouteApi("/skills");

/** Skills that are deployed: each is an agent. */
export function SkillsPage() {
  const { text = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/skills" });
  const { data, error, refetch } = useAgents();
  const live = useFreshOnMetadata("workflowDef", definitionsKey);
  const skills = useMemo(() => data?.filter(({ type }) => type === "skill"), [data]);
  const shown = useMemo(
    () => skills?.filter(({ name, description }) => hasWords(text, [name, description])),
    [skills, text],
  );
  return (
    <>
      <PageHeader
        title="Skills"
        note={shown && formatCount(shown.length)}
        actions={data !== undefined && <LiveMark state={live} />}
      />
      {isSwitchedOff(error) ? (
        <AgentsOff />
      ) : error !== null && data === undefined ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : shown === undefined ? (
        <Skeleton />
      ) : skills?.length === 0 ? (
        <NoSkills />
      ) : (
        <div className="flex min-h-0 flex-1 flex-col bg-surface">
          <div className="border-b border-line px-3 py-2">
            <SearchBox
              label="Find a skill"
              value={text}
              onChange={(typed) => void navigate({ search: typed === "" ? {} : { text: typed }, replace: true })}
            />
          </div>
          {shown.length === 0 ? (
            <EmptyState title="No skill has these words" />
          ) : (
            <VirtualGrid
              label="Skills"
              columns={columns}
              rows={shown}
              keyOf={({ name }) => name}
              onOpen={({ name }) => void navigate({ to: "/agents/$name", params: { name }, search: { tab: "skill" } })}
            />
          )}
        </div>
      )}
    </>
  );
}

const columns: readonly GridColumn<AgentSummary>[] = [
  {
    name: "name",
    label: "Name",
    width: "minmax(12rem, 1.4fr)",
    show: ({ name }) => (
      <Link
        to="/agents/$name"
        params={{ name }}
        search={{ tab: "skill" }}
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
    width: "minmax(16rem, 3fr)",
    show: ({ description }) => (
      <span className="truncate text-soft" title={description}>
        {description}
      </span>
    ),
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
];

function NoSkills() {
  const body = {
    framework: "skill",
    rawConfig: {
      model: "openai/gpt-4o-mini",
      skillMd: "---\nname: haiku\ndescription: Writes haiku\n---\nWrite one haiku about what you are given.",
    },
  };
  return (
    <EmptyState
      icon={<ScrollText />}
      title="No skills yet"
      command={`curl -X POST '${location.origin}/api/agent/deploy' -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}'`}
    >
      <p>
        A skill is instructions in a file SKILL.md, with the scripts and files that go with them. Deployed, it is an
        agent like any other:
      </p>
    </EmptyState>
  );
}
