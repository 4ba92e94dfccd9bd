import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { ApiError, path } from "../../api/client.ts";
import { type TaskDefinition, useTaskDefinition } from "../../api/task-definitions.ts";
import { useQueueOf } from "../../api/tasks.ts";
import { useTaskUsage } from "../../api/usage.ts";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Ago } from "../../components/time.tsx";
import { formatCount } from "../../lib/format.ts";
import { RemoveTaskDefinition } from "./remove.tsx";

const TaskDefinitionEditor = lazy(async () => ({
  default: (await import("./task-definition-editor.tsx")).TaskDefinitionEditor,
}));

const route = getRouteApi("/task-definitions/$name");

/** One task definition, who uses it and who works on it. */
export function TaskDefinitionPage() {
  const { name } = route.useParams();
  const { data, error, refetch } = useTaskDefinition(name);
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <>
      <PageHeader
        title={
          <span className="flex items-center gap-2">
            <Link to="/task-definitions" search={{}} className="font-normal text-faint hover:underline">
              Task definitions
            </Link>
            <span className="font-normal text-faint">/</span> {name}
          </span>
        }
        note={data?.description}
        actions={
          <>
            <CopyAs request={{ method: "GET", path: path`/metadata/taskdefs/${name}` }} />
            {data !== undefined && <RemoveTaskDefinition name={name} />}
          </>
        }
      />
      <div className="grid min-h-0 flex-1 grid-cols-[3fr_2fr] gap-4 overflow-auto p-5">
        <Panel title="Definition">
          {data !== undefined ? (
            <Suspense fallback={<Skeleton />}>
              <TaskDefinitionEditor
                key={name}
                draftKey={`task-definition.${name}`}
                saved={toText(data)}
                isNew={false}
                onSaved={() => {}}
              />
            </Suspense>
          ) : isMissing ? (
            <EmptyState title="No definition of this name">
              <p>Tasks of this type are done with the server's defaults.</p>
            </EmptyState>
          ) : error !== null ? (
            <Problem error={error} onRetry={() => void refetch()} />
          ) : (
            <Skeleton />
          )}
        </Panel>
        <div className="flex flex-col gap-4">
          <Panel title="Queue">
            <Queue name={name} />
          </Panel>
          <Panel title="Used by" note="definitions in their latest version">
            <Users name={name} />
          </Panel>
        </div>
      </div>
    </>
  );
}

/** Without what the server keeps. */
function toText(definition: TaskDefinition): string {
  const kept = new Set(["createTime", "updateTime", "createdBy", "updatedBy"]);
  const { name, ...rest } = definition;
  const shown = Object.entries(rest).filter(([key]) => !kept.has(key));
  return JSON.stringify({ name, ...Object.fromEntries(shown) }, null, 2);
}

function Queue({ name }: { readonly name: string }) {
  const { data, error } = useQueueOf(name, true);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Skeleton rows={2} />;
  return (
    <div className="p-3 text-sm">
      <p>
        <strong className="tabular-nums">{formatCount(data.size)}</strong> wait for a worker
      </p>
      {data.polls.length === 0 ? (
        <p className="mt-1 text-faint">No worker has asked for them.</p>
      ) : (
        <ul className="mt-2 flex flex-col gap-1">
          {data.polls.map(({ workerId, domain, lastPollTime }) => (
            <li key={`${domain} ${workerId}`} className="flex justify-between gap-3">
              <span className="mono truncate">
                {workerId}
                {domain !== undefined && <span className="text-faint"> in {domain}</span>}
              </span>
              <Ago at={lastPollTime} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Users({ name }: { readonly name: string }) {
  const uses = useTaskUsage(name);
  if (uses === undefined) return <Skeleton rows={2} />;
  if (uses.length === 0) return <EmptyState title="No definition has it" />;
  return (
    <ul>
      {uses.map((use) => (
        <li key={use.name} className="flex justify-between gap-3 border-b border-line/60 px-3 py-1.5 text-sm">
          <Link
            to="/definitions/$name"
            params={{ name: use.name }}
            search={{}}
            className="truncate font-medium text-accent-ink hover:underline"
          >
            {use.name}
          </Link>
          <span className="mono truncate text-xs text-faint">{use.how}</span>
        </li>
      ))}
    </ul>
  );
}
