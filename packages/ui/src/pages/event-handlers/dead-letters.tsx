import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCcw, Trash2, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { call, path } from "../../api/client.ts";
import { type DeadLetter, eventRecordsKey, useDeadLetters } from "../../api/event-handlers.ts";
import { Button } from "../../components/button.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Ago } from "../../components/time.tsx";
import { showToast } from "../../components/toasts.tsx";
import { formatCount } from "../../lib/format.ts";

/** Messages that could not be handled. Nothing when there are none. */
export function DeadLetters() {
  const { data } = useDeadLetters();
  const [isOpen, setOpen] = useState(false);
  if (data === undefined || data.totalHits === 0) return null;
  return (
    <section aria-label="Dead letters" className="border-b border-line bg-bad-soft">
      <div className="flex items-center gap-2 px-5 py-2 text-sm">
        <TriangleAlert className="size-4 text-bad" />
        {data.totalHits === 1 ? "One message" : `${formatCount(data.totalHits)} messages`} could not be handled
        <Button isSmall aria-expanded={isOpen} className="ml-auto" onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide" : "Show"}
        </Button>
      </div>
      {isOpen && (
        <ul className="max-h-96 overflow-auto bg-surface">
          {data.results.map((letter) => (
            <Letter key={letter.id} letter={letter} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Letter({ letter: { id, event, reason, created, payload } }: { readonly letter: DeadLetter }) {
  const queryClient = useQueryClient();
  const act = useMutation({
    mutationFn: (what: "replay" | "forget") =>
      call(
        what === "replay"
          ? { method: "POST", path: path`/event/dead-letter/${id}/replay` }
          : { method: "DELETE", path: path`/event/dead-letter/${id}` },
      ),
    onSuccess: (_answer, what) => showToast("good", what === "replay" ? "Handled again" : "Forgotten"),
    onError: (error) => showToast("bad", error.message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: eventRecordsKey }),
  });
  return (
    <li className="border-t border-line px-5 py-2 text-sm">
      <div className="flex items-center gap-3">
        <span className="mono font-medium">{event}</span>
        <span className="text-faint">
          <Ago at={created} />
        </span>
        <span className="min-w-0 flex-1 truncate text-bad" title={reason}>
          {reason}
        </span>
        <Button isSmall disabled={act.isPending} onClick={() => act.mutate("replay")}>
          <RotateCcw /> Handle again
        </Button>
        <Button isSmall disabled={act.isPending} onClick={() => act.mutate("forget")}>
          <Trash2 /> Forget
        </Button>
      </div>
      <JsonView value={payload} label="message" />
    </li>
  );
}
