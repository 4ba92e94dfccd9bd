import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef } from "react";
import { type Feed, useExecutionFeed } from "../../api/execution-feed.ts";
import { executionKey, useExecution } from "../../api/executions.ts";
import type { Execution } from "../../api/types.ts";
import { ErrorBoundary, Problem } from "../../components/error-boundary.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { findEntry } from "../../graph/progress.ts";
import { formatCount } from "../../lib/format.ts";
import { isExecutionOpen } from "../../lib/status.ts";
import { DataTab } from "./data-tab.tsx";
import { EntryPanel } from "./entry-panel.tsx";
import { FilesTab } from "./files-tab.tsx";
import { ExecutionHeader } from "./header.tsx";
import { JsonTab } from "./json-tab.tsx";
import type { ExecutionSearch } from "./search.ts";
import { TaskPanel } from "./task-panel.tsx";
import { TasksTab } from "./tasks-tab.tsx";
import { TimelineTab } from "./timeline-tab.tsx";

// The diagram brings its own library: it is a chunk of its own.
const DiagramTab = lazy(async () => ({ default: (await import("./diagram-tab.tsx")).DiagramTab }));

const route = getRouteApi("/executions/$id");

/** One execution: where it stands, what it did, and what can be done about it. */
export function ExecutionPage() {
  const { id } = route.useParams();
  const { tab = "diagram", task: taskId, ref } = route.useSearch();
  const navigate = useNavigate({ from: "/executions/$id" });
  const { data: execution, error, refetch } = useExecution(id);
  const feed = useExecutionFeed(id);
  const status = feed.execution?.status ?? execution?.status ?? "";

  useFreshDocument(execution, feed);

  const setSearch = (change: { [Name in keyof ExecutionSearch]?: ExecutionSearch[Name] | undefined }) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(
          Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined),
        ) as ExecutionSearch,
      replace: true,
    });
  const openTask = (task: string | undefined) => setSearch({ task, ref: undefined });
  const openEntry = (name: string | undefined) => setSearch({ task: undefined, ref: name });

  if (error !== null && execution === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  if (execution === undefined) return <Skeleton rows={10} />;
  const shown = { ...execution, status };
  const open = feed.tasks.find((one) => one.taskId === taskId);
  const entry = open === undefined && ref !== undefined ? findEntry(shown.workflowDefinition.tasks, ref) : undefined;
  const views: Record<typeof tab, () => ReactNode> = {
    diagram: () => (
      <Suspense fallback={<Skeleton />}>
        <DiagramTab
          execution={shown}
          tasks={feed.tasks}
          openTaskId={taskId}
          openRef={ref}
          onOpen={openTask}
          onOpenEntry={openEntry}
        />
      </Suspense>
    ),
    timeline: () => <TimelineTab execution={shown} tasks={feed.tasks} openTaskId={taskId} onOpen={openTask} />,
    tasks: () => <TasksTab tasks={feed.tasks} openTaskId={taskId} onOpen={openTask} />,
    data: () => <DataTab execution={shown} />,
    files: () => <FilesTab workflowId={id} tasks={feed.tasks} />,
    json: () => <JsonTab execution={shown} />,
  };
  return (
    <>
      <ExecutionHeader execution={shown} stream={feed.stream} tasks={feed.tasks} onChanged={feed.reload} />
      <div className="flex min-h-0 flex-1">
        <Tabs
          label="Views"
          className="flex-1 bg-surface"
          value={tab}
          onChange={(name) => setSearch({ tab: name === "diagram" ? undefined : name })}
          tabs={[
            { name: "diagram", label: "Diagram" },
            { name: "timeline", label: "Timeline" },
            {
              name: "tasks",
              label: (
                <>
                  Tasks <span className="text-xs text-faint tabular-nums">{formatCount(feed.tasks.length)}</span>
                </>
              ),
            },
            { name: "data", label: "Input and output" },
            { name: "files", label: "Files" },
            { name: "json", label: "JSON" },
          ]}
        >
          <ErrorBoundary resetKey={tab}>{views[tab]()}</ErrorBoundary>
        </Tabs>
        {open !== undefined && (
          <TaskPanel
            key={open.referenceTaskName}
            execution={shown}
            task={open}
            tasks={feed.tasks}
            onOpen={openTask}
            onChanged={feed.reload}
          />
        )}
        {entry !== undefined && (
          <EntryPanel
            subject={{ execution: shown, tasks: feed.tasks, ref: entry.taskReferenceName }}
            entry={entry}
            onClose={() => openEntry(undefined)}
            onChanged={feed.reload}
          />
        )}
      </div>
    </>
  );
}

/**
 * The stream tells when the execution changed, the document what: it is read again when it is older than what was told,
 * or when a task has set variables.
 */
function useFreshDocument(execution: Execution | undefined, feed: Feed): void {
  const queryClient = useQueryClient();
  const isThere = execution !== undefined;
  const told = feed.execution;
  const settings = useMemo(() => feed.tasks.filter(({ taskType }) => taskType === "SET_VARIABLE").length, [feed.tasks]);
  const seen = useRef(settings);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for everything told, not for every document read
  useEffect(() => {
    if (execution === undefined || told === undefined) return;
    const isOld = execution.status !== told.status || execution.updateTime < told.updateTime;
    // Those of one that is over were all in the document already.
    const hasNewVariables = settings !== seen.current && isExecutionOpen(told.status);
    seen.current = settings;
    if (!isOld && !hasNewVariables) return;
    void queryClient.invalidateQueries({ queryKey: executionKey(execution.workflowId) });
  }, [isThere, told?.status, told?.updateTime, settings, queryClient]);
}
