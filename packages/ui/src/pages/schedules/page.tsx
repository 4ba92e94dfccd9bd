import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { CalendarClock, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useFreshOnChange } from "../../api/changes.ts";
import { useFreshOnMetadata } from "../../api/metadata-changes.ts";
import { type Schedule, schedulesKey, useSchedules } from "../../api/schedules.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Ago, Time } from "../../components/time.tsx";
import { type GridColumn, VirtualGrid } from "../../components/virtual-grid.tsx";
import { cronWords } from "../../lib/cron-words.ts";
import { hasWords } from "../../lib/find-text.ts";
import { formatCount } from "../../lib/format.ts";
import { timesOf } from "../schedule/form.ts";
import { ScheduleDialog } from "../schedule/schedule-dialog.tsx";

const route = getRouteApi("/schedules");
const keys = [schedulesKey];

/** What is started when. */
export function SchedulesPage() {
  const { text = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/schedules" });
  const { data, error, refetch } = useSchedules();
  const live = useFreshOnChange(keys);
  useFreshOnMetadata("schedule", schedulesKey);
  const [isMaking, setMaking] = useState(false);
  const shown = useMemo(
    () =>
      data?.filter(({ name, description, startWorkflowRequest }) =>
        hasWords(text, [name, description, startWorkflowRequest.name]),
      ),
    [data, text],
  );
  const open = (name: string) => void navigate({ to: "/schedules/$name", params: { name } });
  return (
    <>
      <PageHeader
        title="Schedules"
        note={shown && formatCount(shown.length)}
        actions={
          <>
            <LiveMark state={live} />
            <CopyAs request={{ method: "GET", path: "/scheduler/schedules" }} />
            <Button look="primary" onClick={() => setMaking(true)}>
              <Plus /> New schedule
            </Button>
          </>
        }
      />
      {error !== null && data === undefined ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : shown === undefined ? (
        <Skeleton />
      ) : data?.length === 0 ? (
        <EmptyState
          icon={<CalendarClock />}
          title="No schedules yet"
          command={`curl -X POST '${location.origin}/api/scheduler/schedules' -H 'Content-Type: application/json' \\\n  -d '{"name": "nightly", "cronExpression": "0 30 2 * * *", "zoneId": "Europe/Paris", "startWorkflowRequest": {"name": "report"}}'`}
        >
          <p>A schedule starts a workflow at the times of a cron expression.</p>
        </EmptyState>
      ) : (
        <div className="flex min-h-0 flex-1 flex-col bg-surface">
          <div className="border-b border-line px-3 py-2">
            <SearchBox
              label="Find a schedule"
              value={text}
              onChange={(typed) => void navigate({ search: typed === "" ? {} : { text: typed }, replace: true })}
            />
          </div>
          {shown.length === 0 ? (
            <EmptyState title="No schedule has these words" />
          ) : (
            <VirtualGrid
              label="Schedules"
              columns={columns}
              rows={shown}
              keyOf={({ name }) => name}
              onOpen={({ name }) => open(name)}
            />
          )}
        </div>
      )}
      {isMaking && <ScheduleDialog onClose={() => setMaking(false)} onSaved={open} />}
    </>
  );
}

const columns: readonly GridColumn<Schedule>[] = [
  {
    name: "state",
    label: "State",
    width: "6.5rem",
    show: ({ paused }) => <StatusBadge status={paused ? "PAUSED" : "ACTIVE"} />,
  },
  {
    name: "name",
    label: "Name",
    width: "minmax(10rem, 1.2fr)",
    show: ({ name }) => (
      <Link to="/schedules/$name" params={{ name }} className="truncate font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  {
    name: "when",
    label: "When",
    width: "minmax(14rem, 1.8fr)",
    show: (schedule) => {
      const times = timesOf(schedule);
      const words = times.map(({ cronExpression }) => cronWords(cronExpression) ?? cronExpression).join("; ");
      const expressions = times.map(({ cronExpression, zoneId }) => `${cronExpression} (${zoneId})`).join("\n");
      return (
        <span className="truncate" title={expressions}>
          {words}
        </span>
      );
    },
  },
  {
    name: "zone",
    label: "Zone",
    width: "8rem",
    show: (schedule) => (
      <span className="truncate text-soft">
        {[...new Set(timesOf(schedule).map(({ zoneId }) => zoneId))].join(", ")}
      </span>
    ),
  },
  {
    name: "starts",
    label: "Starts",
    width: "minmax(9rem, 1.1fr)",
    show: ({ startWorkflowRequest: { name } }) => (
      <Link to="/definitions/$name" params={{ name }} search={{}} className="truncate text-accent-ink hover:underline">
        {name}
      </Link>
    ),
  },
  {
    name: "next",
    label: "Next",
    width: "17rem",
    show: ({ nextRunTime = 0, paused, pausedReason }) =>
      paused ? (
        <span className="truncate text-soft" title={pausedReason}>
          {pausedReason ?? "–"}
        </span>
      ) : (
        <span className="flex gap-2">
          <Time at={nextRunTime} />{" "}
          {nextRunTime > 0 && (
            <span className="text-faint">
              <Ago at={nextRunTime} />
            </span>
          )}
        </span>
      ),
  },
];
