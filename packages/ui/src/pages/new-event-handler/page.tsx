import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { PageHeader } from "../../components/page-header.tsx";
import { Skeleton } from "../../components/skeleton.tsx";

const EventHandlerEditor = lazy(async () => ({
  default: (await import("../event-handler/event-handler-editor.tsx")).EventHandlerEditor,
}));

const template = {
  name: "my_handler",
  event: "service:order_paid",
  condition: "$.orderId > 0",
  active: true,
  actions: [
    {
      action: "start_workflow",
      start_workflow: { name: "shipping", correlationId: "${orderId}", input: { order: "${orderId}" } },
    },
  ],
};

/** An event handler that is not there yet. */
export function NewEventHandlerPage() {
  const navigate = useNavigate();
  return (
    <>
      <PageHeader title="New event handler" note="Completion with Ctrl Space" />
      <div className="flex min-h-0 flex-1 flex-col bg-surface">
        <Suspense fallback={<Skeleton rows={10} />}>
          <EventHandlerEditor
            draftKey="new-event-handler"
            saved={JSON.stringify(template, null, 2)}
            isNew
            onSaved={(name) => void navigate({ to: "/event-handlers/$name", params: { name }, search: {} })}
          />
        </Suspense>
      </div>
    </>
  );
}
