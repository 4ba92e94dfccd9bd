import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FlaskConical, Send } from "lucide-react";
import { useState } from "react";
import { type ApiRequest, call } from "../../api/client.ts";
import { type DryRun, type EventHandler, eventRecordsKey } from "../../api/event-handlers.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { JsonField } from "../../components/json-field.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { showToast } from "../../components/toasts.tsx";

/** What handlers of the event would do about a message; and doing it. */
export function TryTab({ handler: { event } }: { readonly handler: EventHandler }) {
  const [text, setText] = useState("{}");
  const queryClient = useQueryClient();
  const dryRun = useMutation({ mutationFn: (request: ApiRequest) => call<DryRun>(request) });
  const send = useMutation({
    mutationFn: (request: ApiRequest) => call(request),
    onSuccess: async () => {
      showToast("good", "Handed in");
      await queryClient.invalidateQueries({ queryKey: eventRecordsKey });
    },
  });
  const body = readBody(event, text);
  const toRequest = (at: string): ApiRequest => ({ method: "POST", path: at, body });
  return (
    <div className="flex min-h-0 flex-1">
      <form
        className="flex w-[30rem] max-w-[45%] shrink-0 flex-col gap-3 overflow-auto border-r border-line p-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (body !== undefined) dryRun.mutate(toRequest("/event/dry-run"));
        }}
      >
        <p className="text-sm text-soft">
          A message of <span className="mono">{event}</span>, as its handlers would see it. The ones that are saved are
          asked.
        </p>
        <JsonField label="Message" height="16rem" value={text} onChange={setText} />
        {body === undefined && <p className="text-sm text-bad">Expected the message to be JSON</p>}
        {send.error !== null && <Problem error={send.error} />}
        <div className="flex items-center gap-2">
          <span className="mr-auto">{body !== undefined && <CopyAs request={toRequest("/event/dry-run")} />}</span>
          <Button
            disabled={body === undefined || send.isPending}
            onClick={() => send.mutate(toRequest("/event/handleIncomingEvent"))}
          >
            <Send /> Hand it in
          </Button>
          <Button type="submit" look="primary" disabled={body === undefined || dryRun.isPending}>
            <FlaskConical /> Dry run
          </Button>
        </div>
      </form>
      <section aria-label="What would happen" className="min-w-0 flex-1 overflow-auto">
        {dryRun.error !== null ? (
          <Problem error={dryRun.error} />
        ) : dryRun.data === undefined ? (
          <EmptyState icon={<FlaskConical />} title="Nothing tried yet">
            <p>A dry run does nothing and writes nothing down.</p>
          </EmptyState>
        ) : dryRun.data.handlers.length === 0 ? (
          <EmptyState title="No handler listens to this event" />
        ) : (
          <Outcomes result={dryRun.data} />
        )}
      </section>
    </div>
  );
}

function Outcomes({ result }: { readonly result: DryRun }) {
  return (
    <ul className="flex flex-col gap-4 p-4">
      {result.handlers.map(({ name, active, isMet, error, actions }) => (
        <li key={name} className="rounded-lg border border-line bg-surface">
          <header className="flex items-center gap-2 border-b border-line px-3 py-2">
            <h2 className="text-sm font-semibold">{name}</h2>
            <span
              className={`text-sm ${error !== undefined ? "text-bad" : isMet && active ? "text-good" : "text-held"}`}
            >
              {error ?? (!active ? "is not active" : isMet ? "would act" : "would not act: its condition is not met")}
            </span>
          </header>
          {actions.map(({ action, would, error: why }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer, never reordered
            <div key={i} className="px-3 py-2">
              <p className="text-sm font-medium">{action.replaceAll("_", " ")}</p>
              {why === undefined ? (
                <JsonView value={would} label={`what ${action} would do`} />
              ) : (
                <p className="text-sm text-bad">{why}</p>
              )}
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}

function readBody(event: string, text: string): unknown {
  try {
    return { event, payload: JSON.parse(text) as unknown };
  } catch {
    // Half typed.
    return undefined;
  }
}
