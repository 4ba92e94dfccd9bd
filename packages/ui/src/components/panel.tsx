import type { ReactNode } from "react";
import { ErrorBoundary } from "./error-boundary.tsx";

type Props = {
  readonly title?: ReactNode;
  /** Beside the title. */
  readonly note?: ReactNode;
  /** At the right end of the title's line. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
  readonly resetKey?: string | undefined;
};

/** A framed part of a page that fails on its own. */
export function Panel({ title, note, actions, children, className = "", resetKey }: Props) {
  return (
    <section className={`flex min-h-0 min-w-0 flex-col rounded-lg border border-line bg-surface ${className}`}>
      {(title !== undefined || actions !== undefined) && (
        <header className="flex min-h-10 items-center gap-2 border-b border-line px-3">
          <h2 className="text-sm font-semibold">{title}</h2>
          {note !== undefined && <span className="truncate text-xs text-faint">{note}</span>}
          <div className="ml-auto flex items-center gap-1">{actions}</div>
        </header>
      )}
      <ErrorBoundary resetKey={resetKey}>{children}</ErrorBoundary>
    </section>
  );
}
