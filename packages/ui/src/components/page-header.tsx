import type { ReactNode } from "react";

type Props = { readonly title: ReactNode; readonly note?: ReactNode; readonly actions?: ReactNode };

/** The top line of a page. */
export function PageHeader({ title, note, actions }: Props) {
  return (
    <header className="flex h-13 shrink-0 items-center gap-3 border-b border-line bg-surface px-5">
      <h1 className="text-base font-semibold whitespace-nowrap">{title}</h1>
      {note !== undefined && <div className="min-w-0 truncate text-sm text-faint">{note}</div>}
      <div className="ml-auto flex items-center gap-1.5">{actions}</div>
    </header>
  );
}
