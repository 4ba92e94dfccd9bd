import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Time } from "../../components/time.tsx";
import type { Tone } from "../../lib/status.ts";

const tones: Record<Tone, string> = {
  running: "text-running",
  good: "text-good",
  bad: "text-bad",
  late: "text-late",
  held: "text-held",
  stopped: "text-stopped",
  quiet: "text-faint",
};

type Props = {
  readonly icon: LucideIcon;
  readonly tone?: Tone;
  readonly title: ReactNode;
  readonly note?: ReactNode;
  readonly at?: number;
  readonly children?: ReactNode;
};

/** One thing that happened. */
export function Card({ icon: Icon, tone = "quiet", title, note, at = 0, children }: Props) {
  return (
    <article className="rounded-lg border border-line bg-surface">
      <header className="flex min-h-9 items-center gap-2 px-3 text-sm">
        <Icon className={`size-4 shrink-0 ${tones[tone]}`} />
        <h2 className="min-w-0 truncate font-semibold">{title}</h2>
        {note !== undefined && <div className="min-w-0 truncate text-xs text-faint">{note}</div>}
        <span className="ml-auto shrink-0 text-xs text-faint">{at > 0 && <Time at={at} withDate={false} />}</span>
      </header>
      {children}
    </article>
  );
}

/** A line without a frame: something that needs no looking at. */
export function Remark({ icon: Icon, tone = "quiet", title, note, at = 0 }: Omit<Props, "children">) {
  return (
    <p className="flex items-center gap-2 px-3 text-xs text-soft">
      <Icon className={`size-3.5 shrink-0 ${tones[tone]}`} />
      <span className="font-medium">{title}</span>
      {note !== undefined && <span className="min-w-0 break-words text-faint">{note}</span>}
      <span className="ml-auto shrink-0 text-faint">{at > 0 && <Time at={at} withDate={false} />}</span>
    </p>
  );
}

/** What someone said, as it was said. */
export const Said = ({ text }: { readonly text: string }) => (
  <p className="px-3 pb-3 text-base leading-relaxed break-words whitespace-pre-wrap">{text}</p>
);
