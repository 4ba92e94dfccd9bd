import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Use, useWorkflowUsage } from "../../api/usage.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";

/** Who starts this workflow. */
export function UsageTab({ name }: { readonly name: string }) {
  const usage = useWorkflowUsage(name);
  if (usage === undefined) return <Skeleton />;
  const { definitions, schedules, handlers } = usage;
  return (
    <div className="grid min-h-0 flex-1 content-start gap-4 overflow-auto bg-sunken p-5 lg:grid-cols-3">
      <Panel title="Definitions" note="in their latest version">
        <Uses
          uses={definitions}
          none="No definition starts it"
          link={(to) => (
            <Link to="/definitions/$name" params={{ name: to }} search={{}} className={look}>
              {to}
            </Link>
          )}
        />
      </Panel>
      <Panel title="Schedules">
        <Uses
          uses={schedules}
          none="No schedule starts it"
          link={(to) => (
            <Link to="/schedules/$name" params={{ name: to }} className={look}>
              {to}
            </Link>
          )}
        />
      </Panel>
      <Panel title="Event handlers">
        <Uses
          uses={handlers}
          none="No event handler starts it"
          link={(to) => (
            <Link to="/event-handlers/$name" params={{ name: to }} search={{}} className={look}>
              {to}
            </Link>
          )}
        />
      </Panel>
    </div>
  );
}

const look = "truncate font-medium text-accent-ink hover:underline";

type UsesProps = {
  readonly uses: readonly Use[];
  readonly none: string;
  readonly link: (name: string) => ReactNode;
};

function Uses({ uses, none, link }: UsesProps) {
  if (uses.length === 0) return <EmptyState title={none} />;
  return (
    <ul>
      {uses.map(({ name, how }) => (
        <li
          key={`${name} ${how}`}
          className="flex items-center justify-between gap-3 border-b border-line/60 px-3 py-1.5"
        >
          {link(name)}
          <span className="mono truncate text-xs text-faint">{how}</span>
        </li>
      ))}
    </ul>
  );
}
