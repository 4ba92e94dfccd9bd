import { Link } from "@tanstack/react-router";
import { Activity } from "lucide-react";
import type { ReactNode } from "react";
import { type Overview, useOverview } from "../../api/overview.ts";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Ago } from "../../components/time.tsx";
import { formatCount, formatDuration, formatShort } from "../../lib/format.ts";
import { RecentFailures } from "./recent-failures.tsx";
import { ThroughputChart } from "./throughput-chart.tsx";

/** How the server is doing, live. */
export function OverviewPage() {
  const { overview, stream } = useOverview();
  return (
    <>
      <PageHeader
        title="Overview"
        actions={
          <>
            <LiveMark state={stream} />
            <CopyAs request={{ method: "GET", path: "/admin/overview" }} />
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-auto p-5">
        {overview === undefined ? <Skeleton rows={10} /> : <Dashboard overview={overview} />}
      </div>
    </>
  );
}

function Dashboard({ overview }: { readonly overview: Overview }) {
  const { minutes, queues, definitions, since, now } = overview;
  const sum = (name: "started" | "completed" | "failed") => minutes.reduce((all, minute) => all + minute[name], 0);
  const longestWaitMs = Math.max(0, ...queues.map(({ oldestWaitMs }) => oldestWaitMs));
  const failed = sum("failed");
  const waiting = queues.filter(({ size }) => size > 0);
  return (
    <div className="mx-auto flex max-w-[1400px] flex-col gap-4">
      <div className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
        <Tile label="Running" value={formatShort(overview.running)} to={{ status: "RUNNING" }} tone="text-running" />
        <Tile label="Paused" value={formatShort(overview.paused)} to={{ status: "PAUSED" }} />
        <Tile label="Started, last hour" value={formatShort(sum("started"))} to={{ range: "1h" }} />
        <Tile
          label="Completed, last hour"
          value={formatShort(sum("completed"))}
          to={{ status: "COMPLETED", range: "1h" }}
          tone="text-good"
        />
        <Tile
          label="Failed, last hour"
          value={formatShort(failed)}
          to={{ status: "FAILED,TIMED_OUT", range: "1h" }}
          tone={failed > 0 ? "text-bad" : undefined}
        />
        <Tile
          label="Tasks waiting for workers"
          value={formatShort(overview.waiting)}
          note={longestWaitMs > 0 ? `longest ${formatDuration(longestWaitMs)}` : undefined}
        />
      </div>
      <Panel
        title="Throughput"
        note={
          now - since < 3_600_000 ? (
            <>
              executions per minute, since the server started <Ago at={since} />
            </>
          ) : (
            "executions per minute, last hour"
          )
        }
      >
        <ThroughputChart minutes={minutes} />
      </Panel>
      <div className="grid gap-4 lg:grid-cols-2">
        <Panel
          title="Queues"
          note="tasks that wait for workers"
          actions={
            <Link to="/queues" search={{}} className="rounded px-2 text-xs font-medium text-accent-ink hover:underline">
              All queues
            </Link>
          }
        >
          {waiting.length === 0 ? (
            <EmptyState title="Nothing waits">
              <p>Every task that a worker can take has been taken.</p>
            </EmptyState>
          ) : (
            <Queues queues={waiting} now={now} />
          )}
        </Panel>
        <Panel title="Slowest definitions" note="by average duration, last hour">
          {definitions.length === 0 ? (
            <EmptyState title="Nothing has ended in the last hour" />
          ) : (
            <Definitions definitions={definitions} />
          )}
        </Panel>
        <Panel
          title="Latest failures"
          className="lg:col-span-2"
          actions={
            <Link
              to="/executions"
              search={{ status: "FAILED,TIMED_OUT" }}
              className="rounded px-2 text-xs font-medium text-accent-ink hover:underline"
            >
              All failures
            </Link>
          }
        >
          <RecentFailures version={failed} />
        </Panel>
      </div>
      {overview.running + sum("started") === 0 && (
        <EmptyState
          icon={<Activity />}
          title="This server is idle"
          command={`curl '${location.origin}/api/metadata/workflow/names-and-versions'   # what can be started`}
        >
          <p>
            Run one of the{" "}
            <Link to="/definitions" search={{}} className="text-accent-ink underline">
              definitions
            </Link>{" "}
            and watch it here. The{" "}
            <a href="/docs/api" className="text-accent-ink underline">
              API reference
            </a>{" "}
            says how programs do it.
          </p>
        </EmptyState>
      )}
    </div>
  );
}

type TileProps = {
  readonly label: string;
  readonly value: string;
  readonly note?: string | undefined;
  readonly tone?: string | undefined;
  readonly to?: { readonly status?: string; readonly range?: "1h" };
};

function Tile({ label, value, note, tone = "", to }: TileProps) {
  const content: ReactNode = (
    <>
      <p className="text-xs text-soft">{label}</p>
      <p className={`mt-0.5 text-2xl font-semibold tracking-tight tabular-nums ${tone}`}>{value}</p>
      <p className="h-4 text-xs text-faint">{note}</p>
    </>
  );
  const look = "rounded-lg border border-line bg-surface px-4 py-3";
  if (to === undefined) return <div className={look}>{content}</div>;
  return (
    <Link to="/executions" search={to} className={`${look} hover:border-line-strong`}>
      {content}
    </Link>
  );
}

const IDLE_MS = 60_000;
const MOST_SHOWN = 12;
const head = "px-3 py-1.5 text-left text-xs font-medium text-faint";
const cell = "border-t border-line/60 px-3 py-1.5 align-middle tabular-nums";

function Queues({ queues, now }: { readonly queues: Overview["queues"]; readonly now: number }) {
  const most = Math.max(1, ...queues.map(({ size }) => size));
  return (
    <table className="w-full text-sm">
      <thead>
        <tr>
          <th className={head}>Queue</th>
          <th className={`${head} w-40`}>Waiting</th>
          <th className={head}>Oldest</th>
          <th className={head}>Last poll</th>
        </tr>
      </thead>
      <tbody>
        {queues.slice(0, MOST_SHOWN).map(({ name, size, oldestWaitMs, lastPollTime, workerId }) => (
          <tr key={name}>
            <td className={`${cell} max-w-48 truncate font-medium`} title={name}>
              {name}
            </td>
            <td className={cell}>
              <span className="flex items-center gap-2">
                <span className="w-12 text-right">{formatCount(size)}</span>
                <span className="h-1.5 flex-1 rounded-full bg-quiet-soft">
                  <span
                    className="block h-full rounded-full bg-accent"
                    style={{ width: `${Math.max(3, (100 * size) / most)}%` }}
                  />
                </span>
              </span>
            </td>
            <td className={cell}>{oldestWaitMs > 0 ? formatDuration(oldestWaitMs) : "–"}</td>
            <td className={cell} title={workerId}>
              {lastPollTime === 0 ? (
                <span className="text-bad">no worker has asked</span>
              ) : (
                <span className={now - lastPollTime > IDLE_MS ? "text-late" : ""}>
                  <Ago at={lastPollTime} />
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Definitions({ definitions }: { readonly definitions: Overview["definitions"] }) {
  return (
    <table className="w-full text-sm">
      <thead>
        <tr>
          <th className={head}>Definition</th>
          <th className={head}>Ended</th>
          <th className={head}>Failed</th>
          <th className={head}>Average</th>
          <th className={head}>Longest</th>
        </tr>
      </thead>
      <tbody>
        {definitions.map(({ name, ended, failed, averageMs, longestMs }) => (
          <tr key={name}>
            <td className={`${cell} max-w-56 truncate font-medium`}>
              <Link
                to="/executions"
                search={{ type: name, range: "1h", sort: "executionTime:DESC" }}
                className="hover:text-accent-ink hover:underline"
              >
                {name}
              </Link>
            </td>
            <td className={cell}>{formatCount(ended)}</td>
            <td className={`${cell} ${failed > 0 ? "text-bad" : "text-faint"}`}>
              {failed === 0 ? "0" : `${formatCount(failed)} (${Math.round((100 * failed) / ended)}%)`}
            </td>
            <td className={cell}>{formatDuration(averageMs)}</td>
            <td className={cell}>{formatDuration(longestMs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
