import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { useEffect, useMemo } from "react";
import { get } from "../../api/client.ts";
import { type QueuePulse, useOverview } from "../../api/overview.ts";
import type { PollData } from "../../api/types.ts";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Ago, useNow } from "../../components/time.tsx";
import { type GridColumn, VirtualGrid } from "../../components/virtual-grid.tsx";
import { hasWords } from "../../lib/find-text.ts";
import { formatCount, formatDuration } from "../../lib/format.ts";

const route = getRouteApi("/queues");
const IDLE_MS = 60_000;

type QueueRow = QueuePulse & {
  readonly type: string;
  readonly domain: string;
  readonly workers: readonly PollData[];
};

/** What waits for workers, and which workers ask for it. */
export function QueuesPage() {
  const { text = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/queues" });
  const { overview, stream } = useOverview();
  const polls = usePolls(overview?.now);
  const now = useServerNow(overview?.now);
  const rows = useMemo(() => overview?.queues.map((queue) => toRow(queue, polls)), [overview, polls]);
  const shown = rows?.filter(({ name, workers }) => hasWords(text, [name, ...workers.map(({ workerId }) => workerId)]));
  const abandoned = rows?.filter((row) => isAbandoned(row, now)).length ?? 0;
  return (
    <>
      <PageHeader
        title="Queues and workers"
        note={overview && `${formatCount(overview.waiting)} tasks wait for workers`}
        actions={
          <>
            <LiveMark state={stream} />
            <CopyAs request={{ method: "GET", path: "/tasks/queue/polldata/all" }} />
          </>
        }
      />
      {shown === undefined ? (
        <Skeleton />
      ) : rows?.length === 0 ? (
        <EmptyState
          icon={<Inbox />}
          title="No queues yet"
          command={`curl '${location.origin}/api/tasks/poll/batch/my_task?count=1&timeout=1000&workerid=me'   # what a worker does`}
        >
          <p>A queue is there when a task waits for a worker, or when a worker has asked for one.</p>
        </EmptyState>
      ) : (
        <div className="flex min-h-0 flex-1 flex-col bg-surface">
          <div className="flex items-center gap-3 border-b border-line px-3 py-2">
            <SearchBox
              label="Find a queue or a worker"
              value={text}
              onChange={(typed) => void navigate({ search: typed === "" ? {} : { text: typed }, replace: true })}
            />
            {abandoned > 0 && (
              <span className="text-sm text-bad">
                {abandoned === 1 ? "One queue has tasks" : `${formatCount(abandoned)} queues have tasks`} that nobody
                asked for in the last minute
              </span>
            )}
          </div>
          {shown.length === 0 ? (
            <EmptyState title="No queue and no worker has these words" />
          ) : (
            <VirtualGrid
              label="Queues"
              columns={columnsAt(now, now - (overview?.now ?? now))}
              rows={shown}
              keyOf={({ name }) => name}
            />
          )}
        </div>
      )}
    </>
  );
}

/** The server's clock, as it goes on after it told the time. */
function useServerNow(told: number | undefined): number {
  const now = useNow();
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it was told, by the browser's clock
  const heardAt = useMemo(() => Date.now(), [told]);
  return (told ?? now) + Math.max(0, now - heardAt);
}

/** Who asked last, for every type and domain; read again when the server tells of something new. */
function usePolls(version: number | undefined): readonly PollData[] {
  const { data, refetch } = useQuery({
    queryKey: ["polls"],
    queryFn: ({ signal }) => get<readonly PollData[]>("/tasks/queue/polldata/all", {}, signal),
  });
  useEffect(() => {
    if (version !== undefined) void refetch();
  }, [version, refetch]);
  return data ?? none;
}

const none: readonly PollData[] = [];

function toRow(queue: QueuePulse, polls: readonly PollData[]): QueueRow {
  // "domain:type" when the task was sent to a domain.
  const cut = queue.name.indexOf(":");
  const domain = cut === -1 ? "" : queue.name.slice(0, cut);
  const type = queue.name.slice(cut + 1);
  const workers = polls.filter((poll) => poll.queueName === type && (poll.domain ?? "") === domain);
  return { ...queue, type, domain, workers };
}

const isAbandoned = ({ size, lastPollTime }: QueueRow, now: number): boolean =>
  size > 0 && now - lastPollTime > IDLE_MS;

/** `sinceMs` is how long ago the server told of the queues: what waited then has waited longer now. */
const columnsAt = (now: number, sinceMs: number): readonly GridColumn<QueueRow>[] => [
  {
    name: "name",
    label: "Queue",
    width: "minmax(14rem, 2fr)",
    show: ({ type }) => (
      <Link
        to="/task-definitions/$name"
        params={{ name: type }}
        className="truncate font-medium hover:underline"
        title={type}
      >
        {type}
      </Link>
    ),
  },
  {
    name: "domain",
    label: "Domain",
    width: "minmax(7rem, 1fr)",
    show: ({ domain }) => <span className="truncate text-soft">{domain || "–"}</span>,
  },
  {
    name: "size",
    label: "Waiting",
    width: "7rem",
    show: ({ size }) => <span className="tabular-nums">{formatCount(size)}</span>,
  },
  {
    name: "oldest",
    label: "Oldest waits",
    width: "8rem",
    show: ({ oldestWaitMs }) => (oldestWaitMs > 0 ? formatDuration(oldestWaitMs + sinceMs) : "–"),
  },
  {
    name: "worker",
    label: "Worker that asked last",
    width: "minmax(12rem, 2fr)",
    show: ({ workers, workerId }) => (
      <span className="mono truncate text-soft">
        {workers.map((worker) => worker.workerId).join(", ") || workerId || "–"}
      </span>
    ),
  },
  {
    name: "poll",
    label: "Last poll",
    width: "12rem",
    show: ({ lastPollTime, size }) =>
      lastPollTime === 0 ? (
        <span className={size > 0 ? "text-bad" : "text-faint"}>no worker has asked</span>
      ) : (
        <span className={now - lastPollTime > IDLE_MS ? "text-late" : "text-good"}>
          <Ago at={lastPollTime} />
        </span>
      ),
  },
];
