import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useFreshOnChange } from "../../api/changes.ts";
import { path } from "../../api/client.ts";
import { type Schedule, schedulesKey, useNextSlots, useSchedule, useScheduleRuns } from "../../api/schedules.ts";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Ago, Time } from "../../components/time.tsx";
import { cronWords } from "../../lib/cron-words.ts";
import { formatCount } from "../../lib/format.ts";
import { SlotCalendar } from "./calendar.tsx";
import { timesOf } from "./form.ts";
import { ScheduleActions } from "./schedule-actions.tsx";

const route = getRouteApi("/schedules/$name");
const keys = [schedulesKey];

/** One schedule: when it fires, what came of it. */
export function SchedulePage() {
  const { name } = route.useParams();
  const { data, error, refetch } = useSchedule(name);
  const live = useFreshOnChange(keys);
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        title={
          <span className="flex items-center gap-2">
            <Link to="/schedules" search={{}} className="font-normal text-faint hover:underline">
              Schedules
            </Link>
            <span className="font-normal text-faint">/</span> {name}
          </span>
        }
        note={data?.description}
        actions={
          <>
            <LiveMark state={live} />
            <CopyAs request={{ method: "GET", path: path`/scheduler/schedules/${name}` }} />
            {data !== undefined && (
              <ScheduleActions schedule={data} onRemove={() => navigate({ to: "/schedules", search: {} })} />
            )}
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-auto p-5">
        {error !== null && data === undefined ? (
          <Problem error={error} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Skeleton rows={10} />
        ) : (
          <div className="mx-auto grid max-w-[1400px] gap-4 lg:grid-cols-[2fr_3fr]">
            <Panel title="What and when">
              <Summary schedule={data} />
            </Panel>
            <Panel title="Next times" note={data.paused ? "when it is resumed" : "in your time zone"}>
              <NextTimes name={name} />
            </Panel>
            <Panel title="History" note="latest first" className="lg:col-span-2">
              <Runs name={name} />
            </Panel>
          </div>
        )}
      </div>
    </>
  );
}

function Summary({ schedule }: { readonly schedule: Schedule }) {
  const { paused, pausedReason, startWorkflowRequest, runCatchupScheduleInstances } = schedule;
  const { scheduleStartTime = 0, scheduleEndTime = 0 } = schedule;
  return (
    <div className="flex flex-col gap-3 p-4 text-sm">
      <div className="flex items-center gap-2">
        <StatusBadge status={paused ? "PAUSED" : "ACTIVE"} />
        {pausedReason !== undefined && <span className="text-soft">{pausedReason}</span>}
      </div>
      <ul className="flex flex-col gap-2">
        {timesOf(schedule).map(({ cronExpression, zoneId }) => (
          <li key={`${cronExpression} ${zoneId}`}>
            <p className="text-base font-semibold first-letter:uppercase">
              {cronWords(cronExpression) ?? cronExpression}
            </p>
            <p className="text-soft">
              <span className="mono">{cronExpression}</span> in {zoneId}
            </p>
          </li>
        ))}
      </ul>
      <p>
        Starts{" "}
        <Link
          to="/definitions/$name"
          params={{ name: startWorkflowRequest.name }}
          search={startWorkflowRequest.version === undefined ? {} : { version: startWorkflowRequest.version }}
          className="font-medium text-accent-ink hover:underline"
        >
          {startWorkflowRequest.name}
        </Link>
        , {startWorkflowRequest.version === undefined ? "latest version" : `version ${startWorkflowRequest.version}`}
      </p>
      {scheduleStartTime > 0 && (
        <p>
          Not before <Time at={scheduleStartTime} />
        </p>
      )}
      {scheduleEndTime > 0 && (
        <p>
          Not after <Time at={scheduleEndTime} />
        </p>
      )}
      <p className="text-soft">
        {runCatchupScheduleInstances
          ? "Times that pass while the server is away are made up for."
          : "Times that pass while the server is away are skipped."}
      </p>
      <div>
        <h3 className="text-xs font-semibold text-soft">Input</h3>
        <JsonView value={startWorkflowRequest.input ?? {}} label="input" />
      </div>
    </div>
  );
}

function NextTimes({ name }: { readonly name: string }) {
  const { data, error } = useNextSlots(name);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Skeleton />;
  if (data.length === 0) return <EmptyState title="It will not fire again" />;
  return (
    <div className="flex flex-wrap">
      <SlotCalendar slots={data} />
      <section
        aria-label="Next times"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
        className="max-h-72 flex-1 overflow-auto border-l border-line p-4"
      >
        <ol className="flex flex-col gap-1 text-sm">
          {data.map((at) => (
            <li key={at} className="flex justify-between gap-4">
              <Time at={at} />
              <span className="text-faint">
                <Ago at={at} />
              </span>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

const head = "px-3 py-1.5 text-left text-xs font-medium text-faint";
const cell = "border-t border-line/60 px-3 py-1.5 align-middle";

function Runs({ name }: { readonly name: string }) {
  const { data, error } = useScheduleRuns(name);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Skeleton />;
  if (data.totalHits === 0) {
    return (
      <EmptyState title="It has not fired yet">
        <p>“Run now” starts it beside its times.</p>
      </EmptyState>
    );
  }
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-sm">
        <thead>
          <tr>
            <th className={head}>Result</th>
            <th className={head}>Time</th>
            <th className={head}>Fired</th>
            <th className={head}>Execution</th>
          </tr>
        </thead>
        <tbody>
          {data.results.map(({ executionId, state, scheduledTime, executionTime, workflowId, reason }) => (
            <tr key={executionId}>
              <td className={cell}>
                <StatusBadge status={state} />
              </td>
              <td className={cell}>
                <Time at={scheduledTime} />
              </td>
              <td className={cell}>
                <Ago at={executionTime} />
              </td>
              <td className={cell}>
                {workflowId === undefined ? (
                  <span className="text-bad">{reason}</span>
                ) : (
                  <Link
                    to="/executions/$id"
                    params={{ id: workflowId }}
                    search={{}}
                    className="mono text-accent-ink hover:underline"
                  >
                    {workflowId}
                  </Link>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {data.totalHits > data.results.length && (
        <p className="border-t border-line/60 px-3 py-1.5 text-xs text-faint">
          The latest {formatCount(data.results.length)} of {formatCount(data.totalHits)}
        </p>
      )}
    </div>
  );
}
