import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { useFreshOnChange } from "../../api/changes.ts";
import { path } from "../../api/client.ts";
import { type EventHandler, eventHandlersKey, eventRecordsKey, useEventHandler } from "../../api/event-handlers.ts";
import { CopyAs } from "../../components/copy-as.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { ErrorBoundary, Problem } from "../../components/error-boundary.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { RecordsTab } from "./records-tab.tsx";
import type { TabName } from "./search.ts";
import { TryTab } from "./try-tab.tsx";

const EventHandlerEditor = lazy(async () => ({
  default: (await import("./event-handler-editor.tsx")).EventHandlerEditor,
}));

const route = getRouteApi("/event-handlers/$name");
const keys = [eventRecordsKey];

/** One event handler: its text, what it did, what it would do. */
export function EventHandlerPage() {
  const { name } = route.useParams();
  const { tab = "edit" } = route.useSearch();
  const navigate = useNavigate({ from: "/event-handlers/$name" });
  const { data, error, refetch } = useEventHandler(name);
  const live = useFreshOnChange(keys);
  if (error !== null && data === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={10} />;
  const views: Record<TabName, () => ReactNode> = {
    edit: () => (
      <EventHandlerEditor
        draftKey={`event-handler.${name}`}
        saved={JSON.stringify(data, null, 2)}
        isNew={false}
        onSaved={() => {}}
      />
    ),
    records: () => <RecordsTab handler={data} />,
    try: () => <TryTab handler={data} />,
  };
  return (
    <>
      <PageHeader
        title={
          <span className="flex items-center gap-2">
            <Link to="/event-handlers" search={{}} className="font-normal text-faint hover:underline">
              Event handlers
            </Link>
            <span className="font-normal text-faint">/</span> {name}
          </span>
        }
        note={<span className="mono">{data.event}</span>}
        actions={
          <>
            <StatusBadge status={data.active ? "ACTIVE" : "INACTIVE"} />
            <LiveMark state={live} />
            <CopyAs request={{ method: "GET", path: path`/event/handler/${name}` }} />
            <RemoveHandler handler={data} />
          </>
        }
      />
      <Tabs
        label="Views"
        className="flex-1 bg-surface"
        value={tab}
        onChange={(chosen) => void navigate({ search: chosen === "edit" ? {} : { tab: chosen }, replace: true })}
        tabs={[
          { name: "edit", label: "Handler" },
          { name: "records", label: "What it did" },
          { name: "try", label: "Try it" },
        ]}
      >
        <ErrorBoundary resetKey={tab}>
          <Suspense fallback={<Skeleton />}>{views[tab]()}</Suspense>
        </ErrorBoundary>
      </Tabs>
    </>
  );
}

function RemoveHandler({ handler: { name, event } }: { readonly handler: EventHandler }) {
  const navigate = useNavigate();
  return (
    <DeleteButton
      name={name}
      request={{ method: "DELETE", path: path`/event/${name}` }}
      lines={[`Nothing is done any more when ${event} comes, unless another handler listens to it.`]}
      queryKey={eventHandlersKey}
      leave={() => navigate({ to: "/event-handlers", search: {} })}
    />
  );
}
