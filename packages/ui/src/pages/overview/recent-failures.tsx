import { Link } from "@tanstack/react-router";
import { useExecutions } from "../../api/executions.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Ago } from "../../components/time.tsx";

const SHOWN = 8;

/** The last executions that ended badly. `version` changes when there are more. */
export function RecentFailures({ version }: { readonly version: number }) {
  const { data, error } = useExecutions(["recent-failures", version], () => ({
    query: "status IN (FAILED, TIMED_OUT)",
    freeText: "",
    sort: "endTime:DESC",
    start: 0,
    size: SHOWN,
    topLevelOnly: false,
  }));
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Skeleton rows={4} />;
  if (data.results.length === 0) return <EmptyState title="Nothing has failed" />;
  return (
    <ul>
      {data.results.map((one) => (
        <li key={one.workflowId} className="border-t border-line/60 first:border-t-0">
          <Link
            to="/executions/$id"
            params={{ id: one.workflowId }}
            className="grid grid-cols-[6rem_12rem_1fr_6rem] items-center gap-3 px-3 py-1.5 text-sm hover:bg-hover"
          >
            <StatusBadge status={one.status} />
            <span className="truncate font-medium">{one.workflowType}</span>
            <span className="truncate text-soft" title={one.reasonForIncompletion}>
              {one.reasonForIncompletion}
            </span>
            <span className="text-right text-xs text-faint">
              <Ago at={Date.parse(one.endTime ?? one.updateTime)} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
