import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Plus, Zap } from "lucide-react";
import { useMemo } from "react";
import { useFreshOnChange } from "../../api/changes.ts";
import {
  type EventHandler,
  eventHandlersKey,
  eventRecordsKey,
  useEventHandlers,
  useHandledEvents,
} from "../../api/event-handlers.ts";
import { useFreshOnMetadata } from "../../api/metadata-changes.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorBoundary, Problem } from "../../components/error-boundary.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { type GridColumn, VirtualGrid } from "../../components/virtual-grid.tsx";
import { hasWords } from "../../lib/find-text.ts";
import { formatCount } from "../../lib/format.ts";
import { DeadLetters } from "./dead-letters.tsx";

const route = getRouteApi("/event-handlers");
const keys = [eventHandlersKey, eventRecordsKey];

type HandlerRow = EventHandler & { readonly messages: number; readonly done: number };

/** What happens when an event comes, and what came of those that came. */
export function EventHandlersPage() {
  const { text = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/event-handlers" });
  const { data, error, refetch } = useEventHandlers();
  const { data: counts } = useHandledEvents();
  const live = useFreshOnChange(keys);
  useFreshOnMetadata("eventHandler", eventHandlersKey);
  const shown = useMemo(
    () =>
      data
        ?.filter(({ name, event, actions }) => hasWords(text, [name, event, ...actions.map(({ action }) => action)]))
        .map((handler): HandlerRow => {
          const { numberOfMessages = 0, numberOfActions = 0 } = counts?.get(handler.name) ?? {};
          return { ...handler, messages: numberOfMessages, done: numberOfActions };
        }),
    [data, counts, text],
  );
  return (
    <>
      <PageHeader
        title="Event handlers"
        note={shown && formatCount(shown.length)}
        actions={
          <>
            <LiveMark state={live} />
            <CopyAs request={{ method: "GET", path: "/event" }} />
            <Button look="primary" onClick={() => void navigate({ to: "/new-event-handler" })}>
              <Plus /> New event handler
            </Button>
          </>
        }
      />
      <ErrorBoundary>
        <DeadLetters />
      </ErrorBoundary>
      {error !== null && data === undefined ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : shown === undefined ? (
        <Skeleton />
      ) : data?.length === 0 ? (
        <EmptyState
          icon={<Zap />}
          title="No event handlers yet"
          command={`curl -X POST '${location.origin}/api/event' -H 'Content-Type: application/json' \\\n  -d '{"name": "ship_paid_orders", "event": "service:order_paid", "active": true, "actions": [{"action": "start_workflow", "start_workflow": {"name": "shipping"}}]}'`}
        >
          <p>A handler starts a workflow, ends a task or changes variables when an event comes.</p>
        </EmptyState>
      ) : (
        <div className="flex min-h-0 flex-1 flex-col bg-surface">
          <div className="border-b border-line px-3 py-2">
            <SearchBox
              label="Find a handler or an event"
              value={text}
              onChange={(typed) => void navigate({ search: typed === "" ? {} : { text: typed }, replace: true })}
            />
          </div>
          {shown.length === 0 ? (
            <EmptyState title="No handler has these words" />
          ) : (
            <VirtualGrid
              label="Event handlers"
              columns={columns}
              rows={shown}
              keyOf={({ name }) => name}
              onOpen={({ name }) => void navigate({ to: "/event-handlers/$name", params: { name }, search: {} })}
            />
          )}
        </div>
      )}
    </>
  );
}

const columns: readonly GridColumn<HandlerRow>[] = [
  {
    name: "state",
    label: "State",
    width: "6.5rem",
    show: ({ active }) => <StatusBadge status={active ? "ACTIVE" : "INACTIVE"} />,
  },
  {
    name: "name",
    label: "Name",
    width: "minmax(11rem, 1.3fr)",
    show: ({ name }) => (
      <Link
        to="/event-handlers/$name"
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
    name: "event",
    label: "Event",
    width: "minmax(11rem, 1.3fr)",
    show: ({ event }) => <span className="mono truncate">{event}</span>,
  },
  {
    name: "condition",
    label: "If",
    width: "minmax(8rem, 1fr)",
    show: ({ condition }) => (
      <span className="mono truncate text-soft" title={condition}>
        {condition}
      </span>
    ),
  },
  {
    name: "actions",
    label: "Does",
    width: "minmax(9rem, 1.1fr)",
    show: ({ actions }) => (
      <span className="truncate">{actions.map(({ action }) => action.replaceAll("_", " ")).join(", ")}</span>
    ),
  },
  { name: "messages", label: "Messages", width: "6rem", show: ({ messages }) => formatCount(messages) },
  { name: "done", label: "Actions", width: "6rem", show: ({ done }) => formatCount(done) },
];
