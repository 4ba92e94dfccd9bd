import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronRight, Ellipsis, MessagesSquare, Workflow } from "lucide-react";
import { useState } from "react";
import type { Action, Subject } from "../../actions/action.ts";
import { ActionDialog } from "../../actions/action-dialog.tsx";
import { executionActions } from "../../actions/execution/index.ts";
import { path } from "../../api/client.ts";
import { useExecution } from "../../api/executions.ts";
import type { StreamState } from "../../api/server-events.ts";
import type { Execution, TaskState } from "../../api/types.ts";
import { useOfferCommands } from "../../app/commands.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { IdText } from "../../components/id-text.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { Menu, MenuItem } from "../../components/menu.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Duration, Time } from "../../components/time.tsx";
import { isExecutionOpen } from "../../lib/status.ts";

type Props = {
  readonly execution: Execution;
  readonly tasks: readonly TaskState[];
  readonly stream: StreamState;
  /** Something was done to it. */
  readonly onChanged: () => void;
  /** How it is looked at. */
  readonly view?: "tasks" | "turns";
};

/** Which execution, how it stands, what can be done. */
export function ExecutionHeader({ execution, tasks, stream, onChanged, view = "tasks" }: Props) {
  const { workflowId, workflowName, workflowVersion, status, correlationId, reasonForIncompletion } = execution;
  return (
    <header className="shrink-0 border-b border-line bg-surface px-5 pt-2.5 pb-3">
      <nav aria-label="Breadcrumbs" className="flex items-center gap-1 text-xs text-faint [&_svg]:size-3">
        <Link to="/executions" className="hover:text-ink hover:underline">
          Executions
        </Link>
        {execution.parentWorkflowId && <Ancestors id={execution.parentWorkflowId} depth={0} />}
        <ChevronRight />
        <IdText id={workflowId} />
      </nav>
      <div className="mt-1 flex items-center gap-3">
        <h1 className="truncate text-lg font-semibold tracking-tight" title={workflowName}>
          {workflowName}
        </h1>
        <Link
          to="/definitions/$name"
          params={{ name: workflowName }}
          search={{ version: workflowVersion }}
          title="The definition"
          className="text-sm text-faint hover:underline"
        >
          v{workflowVersion}
        </Link>
        <StatusBadge status={status} />
        {isAgent(execution) && <OtherView id={workflowId} view={view} />}
        <div className="ml-auto flex items-center gap-1.5">
          <LiveMark state={stream} />
          <CopyAs request={{ method: "GET", path: path`/workflow/${workflowId}` }} />
          <Actions execution={execution} tasks={tasks} onChanged={onChanged} />
        </div>
      </div>
      <dl className="mt-1.5 flex flex-wrap gap-x-6 gap-y-1 text-xs [&_dd]:text-ink [&_div]:flex [&_div]:gap-1.5 [&_dt]:text-faint">
        <div>
          <dt>Started</dt>
          <dd>
            <Time at={execution.createTime || execution.startTime} />
          </dd>
        </div>
        <div>
          <dt>{isExecutionOpen(status) ? "Running for" : "Took"}</dt>
          <dd>
            <Duration
              from={execution.startTime || execution.createTime}
              to={isExecutionOpen(status) ? 0 : execution.endTime || execution.updateTime}
            />
          </dd>
        </div>
        {correlationId && (
          <div>
            <dt>Correlation id</dt>
            <dd>{correlationId}</dd>
          </div>
        )}
        {execution.priority > 0 && (
          <div>
            <dt>Priority</dt>
            <dd>{execution.priority}</dd>
          </div>
        )}
        {execution.event && (
          <div>
            <dt>Event</dt>
            <dd>{execution.event}</dd>
          </div>
        )}
        {execution.createdBy && (
          <div>
            <dt>By</dt>
            <dd>{execution.createdBy}</dd>
          </div>
        )}
      </dl>
      {reasonForIncompletion && (
        <p className="mt-2 max-h-20 overflow-auto rounded-md bg-bad-soft px-3 py-1.5 text-sm break-words text-bad">
          {reasonForIncompletion}
        </p>
      )}
    </header>
  );
}

const isAgent = ({ workflowDefinition: { metadata } }: Execution): boolean =>
  String(metadata?.["classifier"] ?? "").toLowerCase() === "agent";

/** A run of an agent is looked at as turns or as tasks. */
function OtherView({ id, view }: { readonly id: string; readonly view: "tasks" | "turns" }) {
  const look =
    "inline-flex items-center gap-1 rounded-md border border-line-strong px-2 py-0.5 text-xs font-medium hover:bg-hover [&_svg]:size-3.5";
  return view === "tasks" ? (
    <Link to="/agents/runs/$id" params={{ id }} className={look}>
      <MessagesSquare /> As turns
    </Link>
  ) : (
    <Link to="/executions/$id" params={{ id }} search={{}} className={look}>
      <Workflow /> As tasks
    </Link>
  );
}

const MOST_ANCESTORS = 8;

/** The executions it is a part of, outermost first. */
function Ancestors({ id, depth }: { readonly id: string; readonly depth: number }) {
  const { data } = useExecution(id);
  const parent = data?.parentWorkflowId;
  return (
    <>
      {parent && depth < MOST_ANCESTORS && <Ancestors id={parent} depth={depth + 1} />}
      <ChevronRight />
      <Link to="/executions/$id" params={{ id }} className="truncate hover:text-ink hover:underline">
        {data?.workflowName ?? id}
      </Link>
    </>
  );
}

function Actions({ execution, tasks, onChanged }: Omit<Props, "stream" | "view">) {
  const subject: Subject = { execution, tasks };
  const [chosen, setChosen] = useState<Action<Subject>>();
  const navigate = useNavigate();
  const possible = executionActions.filter((action) => action.obstacle(subject) === undefined);
  useOfferCommands(
    possible.map((action) => ({
      id: action.id,
      label: `${action.label} this execution`,
      run: () => setChosen(action),
    })),
    `${execution.workflowId} ${possible.map(({ id }) => id).join(" ")}`,
  );
  const atHand = possible.filter(({ id }) => id !== "remove").slice(0, 2);
  return (
    <>
      {atHand.map((action) => (
        <Button key={action.id} onClick={() => setChosen(action)}>
          <action.icon /> {action.label}
        </Button>
      ))}
      <Menu
        trigger={
          <Button aria-label="More actions" className="!px-2">
            <Ellipsis />
          </Button>
        }
      >
        {executionActions.map((action) => {
          const obstacle = action.obstacle(subject);
          return (
            <MenuItem
              key={action.id}
              isDisabled={obstacle !== undefined}
              isDanger={action.isDanger ?? false}
              onSelect={() => setChosen(action)}
            >
              <action.icon /> {action.label}
              {obstacle !== undefined && <span className="ml-auto pl-4 text-xs text-faint">{obstacle}</span>}
            </MenuItem>
          );
        })}
      </Menu>
      {chosen !== undefined && (
        <ActionDialog
          action={chosen}
          subject={subject}
          onClose={() => setChosen(undefined)}
          onDone={() => (chosen.id === "remove" ? void navigate({ to: "/executions" }) : onChanged())}
        />
      )}
    </>
  );
}
