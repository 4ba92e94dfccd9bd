import type { StreamState } from "../api/server-events.ts";

const words: Record<StreamState, string> = { live: "Live", connecting: "Connecting", lost: "Not live" };
const looks: Record<StreamState, string> = {
  live: "bg-good",
  connecting: "bg-held breathing",
  lost: "bg-quiet",
};

/** Whether what is shown follows the server right now. */
export function LiveMark({ state }: { readonly state: StreamState }) {
  return (
    <span
      role="status"
      title={
        state === "lost" ? "The server's event stream ended: reload to see what is new" : "By the server's event stream"
      }
      className="inline-flex items-center gap-1.5 text-xs text-soft"
    >
      <span className={`size-2 rounded-full ${looks[state]}`} />
      {words[state]}
    </span>
  );
}
