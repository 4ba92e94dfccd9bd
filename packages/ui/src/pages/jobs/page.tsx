import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Layers } from "lucide-react";
import { call, path } from "../../api/client.ts";
import { useEventStream } from "../../api/event-stream.ts";
import { jobsKey, useJobs } from "../../api/executions.ts";
import type { BulkJob } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Ago, Duration } from "../../components/time.tsx";
import { showToast } from "../../components/toasts.tsx";
import { formatCount } from "../../lib/format.ts";
import { JobResults } from "./results.tsx";

/** Background jobs over everything that matched a query. */
export function JobsPage() {
  const { data, error, refetch } = useJobs();
  const queryClient = useQueryClient();
  const hear = (change: (jobs: readonly BulkJob[]) => readonly BulkJob[]) => {
    // An answer that is still on its way may be older than what was just told.
    void queryClient.cancelQueries({ queryKey: jobsKey });
    queryClient.setQueryData<readonly BulkJob[]>(jobsKey, (jobs = []) => change(jobs));
  };
  const live = useEventStream("/api/workflow/bulk/jobs/stream", {
    jobs: (told) => hear(() => told as readonly BulkJob[]),
    job: (told) => hear((jobs) => withJob(jobs, told as BulkJob)),
    forgotten: (told) => hear((jobs) => jobs.filter(({ jobId }) => jobId !== (told as { jobId: string }).jobId)),
  });
  return (
    <>
      <PageHeader
        title="Background jobs"
        note="Something done to every execution that matched a query"
        actions={<LiveMark state={live} />}
      />
      <div className="min-h-0 flex-1 overflow-auto p-5">
        {error !== null ? (
          <Problem error={error} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Skeleton />
        ) : data.length === 0 ? (
          <EmptyState
            icon={<Layers />}
            title="No jobs yet"
            command={`curl -X POST '${location.origin}/api/workflow/bulk/jobs' -H 'Content-Type: application/json' \\\n  -d '{"action": "retry", "query": "status = FAILED"}'`}
          >
            <p>Select executions in the list and choose what to do, or ask for it:</p>
          </EmptyState>
        ) : (
          <ul className="flex flex-col gap-3">
            {data.map((job) => (
              <Job key={job.jobId} job={job} />
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

/** Newest first, as the server lists them. */
function withJob(jobs: readonly BulkJob[], told: BulkJob): readonly BulkJob[] {
  const isKnown = jobs.some(({ jobId }) => jobId === told.jobId);
  return isKnown ? jobs.map((job) => (job.jobId === told.jobId ? told : job)) : [told, ...jobs];
}

function Job({ job }: { readonly job: BulkJob }) {
  const queryClient = useQueryClient();
  const request = useMutation({
    mutationFn: (what: "cancel" | "forget") =>
      call(
        what === "cancel"
          ? { method: "POST", path: path`/workflow/bulk/jobs/${job.jobId}/cancel` }
          : { method: "DELETE", path: path`/workflow/bulk/jobs/${job.jobId}` },
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: jobsKey }),
    onError: (error) => showToast("bad", error.message),
  });
  const percent = job.total === 0 ? 100 : Math.round((100 * job.done) / job.total);
  const isRunning = job.status === "RUNNING";
  return (
    <li id={job.jobId} className="rounded-lg border border-line bg-surface p-4 target:border-accent">
      <div className="flex items-center gap-3">
        <StatusBadge status={job.status} />
        <h2 className="text-sm font-semibold">
          {job.action} {formatCount(job.total)}
        </h2>
        <span className="text-xs text-faint">
          <Ago at={job.createTime} />, took <Duration from={job.createTime} to={job.endTime} />
        </span>
        <div className="ml-auto">
          <Button isSmall disabled={request.isPending} onClick={() => request.mutate(isRunning ? "cancel" : "forget")}>
            {isRunning ? "Cancel" : "Forget"}
          </Button>
        </div>
      </div>
      <p className="mono mt-2 truncate text-soft" title={job.query}>
        {job.query}
        {job.freeText !== "*" && ` · “${job.freeText}”`}
      </p>
      <div
        role="progressbar"
        aria-label={`Progress of ${job.action}`}
        aria-valuenow={percent}
        className="mt-3 h-1.5 overflow-hidden rounded-full bg-quiet-soft"
      >
        <div className={`h-full ${job.failed > 0 ? "bg-late" : "bg-accent"}`} style={{ width: `${percent}%` }} />
      </div>
      <p className="mt-1.5 text-xs text-soft tabular-nums">
        {formatCount(job.done)} of {formatCount(job.total)} done, {formatCount(job.failed)} refused
        {job.reasonForIncompletion !== undefined && ` · ${job.reasonForIncompletion}`}
      </p>
      {job.failed > 0 && <JobResults job={job} />}
    </li>
  );
}
