import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";

type Tab<Name extends string> = { readonly name: Name; readonly label: ReactNode };

type Props<Name extends string> = {
  readonly tabs: readonly Tab<Name>[];
  readonly value: Name;
  readonly onChange: (name: Name) => void;
  readonly label: string;
  /** The shown tab's content. */
  readonly children: ReactNode;
  readonly className?: string;
  readonly actions?: ReactNode;
};

/** One of several views of the same thing; the caller keeps which, usually in the URL. */
export function Tabs<Name extends string>(props: Props<Name>) {
  const { tabs, value, onChange, label, children, className = "", actions } = props;
  return (
    <Radix.Root
      value={value}
      onValueChange={(name) => onChange(name as Name)}
      className={`flex min-h-0 min-w-0 flex-col ${className}`}
    >
      <div className="flex shrink-0 items-center border-b border-line px-2">
        <Radix.List aria-label={label} className="flex min-w-0 gap-1 overflow-x-auto">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.name}
              value={tab.name}
              className="-mb-px flex h-10 items-center gap-1.5 border-b-2 border-transparent px-2.5 text-sm font-medium whitespace-nowrap text-soft hover:text-ink focus-visible:outline-offset-[-2px] data-[state=active]:border-accent data-[state=active]:text-ink"
            >
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
        <div className="ml-auto flex items-center gap-1">{actions}</div>
      </div>
      <Radix.Content value={value} tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
