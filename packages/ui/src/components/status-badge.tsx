import { statusLabel, type Tone, toneOf } from "../lib/status.ts";

const badges: Record<Tone, string> = {
  running: "bg-running-soft text-running",
  good: "bg-good-soft text-good",
  bad: "bg-bad-soft text-bad",
  late: "bg-late-soft text-late",
  held: "bg-held-soft text-held",
  stopped: "bg-stopped-soft text-stopped",
  quiet: "bg-quiet-soft text-quiet",
};

export const dots: Record<Tone, string> = {
  running: "bg-running",
  good: "bg-good",
  bad: "bg-bad",
  late: "bg-late",
  held: "bg-held",
  stopped: "bg-stopped",
  quiet: "bg-quiet",
};

/** A status, in words and colour. */
export function StatusBadge({ status }: { readonly status: string }) {
  const tone = toneOf(status);
  return (
    <span
      className={`inline-flex h-5 w-fit items-center gap-1.5 rounded-full px-2 text-2xs font-semibold whitespace-nowrap ${badges[tone]}`}
    >
      <span className={`size-1.5 rounded-full ${dots[tone]} ${tone === "running" ? "breathing" : ""}`} />
      {statusLabel(status)}
    </span>
  );
}

/** A status as a dot, beside text that says it. */
export function StatusDot({ status }: { readonly status: string }) {
  const tone = toneOf(status);
  return (
    <span
      title={statusLabel(status)}
      className={`inline-block size-2 shrink-0 rounded-full ${dots[tone]} ${tone === "running" ? "breathing" : ""}`}
    />
  );
}
