import { Link, useNavigate } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import { type AgentRunSummary, agentRunsKey, useAgentRuns } from "../../api/agents.ts";
import { useFreshOnChange } from "../../api/changes.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Duration, Time } from "../../components/time.tsx";
import { type GridColumn, VirtualGrid } from "../../components/virtual-grid.tsx";
import { formatCount } from "../../lib/format.ts";
import { isExecutionOpen } from "../../lib/status.ts";

const keys = [agentRunsKey];

/** Runs of an agent, newest first, as they happen. */
export function RunsTab({ name }: { readonly name: string }) {
  const navigate = useNavigate();
  const { data, error } = useAgentRuns(name);
  const live = useFreshOnChange(keys);
  if (error !== null && data === undefined) return <Problem error={error} />;
  if (data === undefined) return <Skeleton />;
  if (data.results.length === 0) {
    return (
      <EmptyState
        icon={<Bot />}
        title="It has not run yet"
        command={`curl -X POST '${location.origin}/api/agent/start' -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify({ name, prompt: "Hello" })}'`}
      />
    );
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center justify-between border-b border-line px-3 py-1.5 text-xs text-faint">
        <span>
          {formatCount(data.totalHits)} run{data.totalHits === 1 ? "" : "s"}
          {data.totalHits > data.results.length && `, the latest ${formatCount(data.results.length)} shown`}
        </span>
        <LiveMark state={live} />
      </div>
      <VirtualGrid
        label="Runs"
        columns={columns}
        rows={data.results}
        keyOf={({ executionId }) => executionId}
        onOpen={({ executionId }) => void navigate({ to: "/agents/runs/$id", params: { id: executionId } })}
      />
    </div>
  );
}

const columns: readonly GridColumn<AgentRunSummary>[] = [
  { name: "status", label: "Status", width: "8rem", show: ({ status }) => <StatusBadge status={status} /> },
  {
    name: "prompt",
    label: "Prompt",
    width: "minmax(16rem, 3fr)",
    show: ({ executionId, input }) => (
      <Link
        to="/agents/runs/$id"
        params={{ id: executionId }}
        className="truncate font-medium hover:underline"
        title={inputOf(input).prompt}
      >
        {inputOf(input).prompt || executionId}
      </Link>
    ),
  },
  {
    name: "session",
    label: "Session",
    width: "minmax(8rem, 1fr)",
    show: ({ input }) => <span className="mono truncate text-soft">{inputOf(input).session_id}</span>,
  },
  { name: "version", label: "Version", width: "5rem", show: ({ version }) => version },
  { name: "started", label: "Started", width: "11rem", show: ({ startTime }) => <Time at={Date.parse(startTime)} /> },
  {
    name: "took",
    label: "Took",
    width: "7rem",
    show: ({ status, startTime, endTime = "" }) => (
      <Duration from={Date.parse(startTime)} to={isExecutionOpen(status) ? 0 : Date.parse(endTime) || 0} />
    ),
  },
];

type Input = { readonly prompt?: string; readonly session_id?: string };

/** A long input is cut off, and is no JSON then: what it begins with is still there. */
function inputOf(text: string): Input {
  try {
    return JSON.parse(text) as Input;
  } catch {
    return { prompt: text };
  }
}
