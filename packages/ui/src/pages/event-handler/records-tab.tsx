import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { call, path } from "../../api/client.ts";
import {
  type EventExecution,
  type EventHandler,
  eventRecordsKey,
  useEventExecutions,
} from "../../api/event-handlers.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toasts.tsx";
import { type GridColumn, VirtualGrid } from "../../components/virtual-grid.tsx";

/** What a handler did, message by message, as it happens. */
export function RecordsTab({ handler: { name, event } }: { readonly handler: EventHandler }) {
  const { data, error } = useEventExecutions(name);
  const [openId, setOpenId] = useState<string>();
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Skeleton />;
  if (data.length === 0) {
    return (
      <EmptyState
        title="No message came yet"
        command={`curl -X POST '${location.origin}/api/event/handleIncomingEvent' -H 'Content-Type: application/json' \\\n  -d '{"event": "${event}", "payload": {}}'`}
      >
        <p>An EVENT task with this sink, or a broker's message, comes here. Or hand one in:</p>
      </EmptyState>
    );
  }
  const open = data.find(({ id }) => id === openId);
  return (
    <div className="flex min-h-0 flex-1">
      <VirtualGrid
        label="What it did"
        columns={columns}
        rows={data}
        keyOf={({ id }) => id}
        isChosen={({ id }) => id === openId}
        onOpen={({ id }) => setOpenId(id)}
      />
      {open !== undefined && <RecordPanel key={open.id} record={open} />}
    </div>
  );
}

const columns: readonly GridColumn<EventExecution>[] = [
  { name: "status", label: "Result", width: "8rem", show: ({ status }) => <StatusBadge status={status} /> },
  { name: "created", label: "When", width: "11rem", show: ({ created }) => <Time at={created} /> },
  {
    name: "action",
    label: "Action",
    width: "11rem",
    show: ({ action }) => (action === null ? "–" : action.replaceAll("_", " ")),
  },
  {
    name: "came",
    label: "What came of it",
    width: "minmax(16rem, 1fr)",
    show: ({ output, statusDescription }) =>
      statusDescription !== undefined ? (
        <span className="truncate text-bad" title={statusDescription}>
          {statusDescription}
        </span>
      ) : typeof output["workflowId"] === "string" ? (
        <Link
          to="/executions/$id"
          params={{ id: output["workflowId"] }}
          search={{}}
          className="mono truncate text-accent-ink hover:underline"
        >
          {output["workflowId"]}
        </Link>
      ) : (
        <span className="mono truncate text-soft">{JSON.stringify(output)}</span>
      ),
  },
];

function RecordPanel({ record }: { readonly record: EventExecution }) {
  const { event, messageId, payload = null, output } = record;
  const queryClient = useQueryClient();
  const replay = useMutation({
    mutationFn: () => call({ method: "POST", path: path`/event/message/${event}/${messageId}/replay` }),
    onSuccess: () => showToast("good", "Handled again"),
    onError: (error) => showToast("bad", error.message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: eventRecordsKey }),
  });
  return (
    <aside aria-label="Message" className="flex w-[28rem] shrink-0 flex-col overflow-auto border-l border-line">
      <header className="flex items-center gap-2 border-b border-line px-3 py-2">
        <h2 className="mono min-w-0 flex-1 truncate font-semibold" title={messageId}>
          {messageId}
        </h2>
        <Button isSmall disabled={replay.isPending} onClick={() => replay.mutate()}>
          <RotateCcw /> Handle again
        </Button>
      </header>
      <h3 className="px-3 pt-2 text-xs font-semibold text-soft">Message</h3>
      <JsonView value={payload} label="message" />
      <h3 className="px-3 pt-2 text-xs font-semibold text-soft">Output</h3>
      <JsonView value={output} label="output" />
    </aside>
  );
}
