import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { get, path } from "../../api/client.ts";
import type { BulkJob, Page } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";

type Result = { readonly workflowId: string; readonly error?: string };

const MOST_READ = 1000;
const MOST_SHOWN = 50;

/** Why a job could not do it to some, on demand. */
export function JobResults({ job }: { readonly job: BulkJob }) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({
    queryKey: ["job-results", job.jobId, job.done],
    enabled: isOpen,
    queryFn: ({ signal }) =>
      get<Page<Result>>(path`/workflow/bulk/jobs/${job.jobId}/results`, { size: MOST_READ }, signal),
  });
  const refused = (data?.results ?? []).filter(({ error }) => error !== undefined);
  return (
    <div className="mt-2">
      <Button look="ghost" isSmall aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Hide what was refused" : "Show what was refused"}
      </Button>
      {isOpen && (
        <ul className="mt-1 flex flex-col gap-0.5 text-xs">
          {refused.slice(0, MOST_SHOWN).map(({ workflowId, error }) => (
            <li key={workflowId} className="flex gap-3">
              <Link
                to="/executions/$id"
                params={{ id: workflowId }}
                className="mono shrink-0 text-accent-ink hover:underline"
              >
                {workflowId}
              </Link>
              <span className="text-soft">{error}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
