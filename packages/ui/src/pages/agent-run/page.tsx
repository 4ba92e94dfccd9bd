import { getRouteApi } from "@tanstack/react-router";
import { Bot, ChevronUp } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useAgentFeed } from "../../api/agent-feed.ts";
import { useAgentUsage } from "../../api/agents.ts";
import { useExecutionFeed } from "../../api/execution-feed.ts";
import { useExecution } from "../../api/executions.ts";
import type { Execution } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorBoundary, Problem } from "../../components/error-boundary.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { formatCount } from "../../lib/format.ts";
import { isExecutionOpen } from "../../lib/status.ts";
import { AgentsOff } from "../agents/agents-off.tsx";
import { ExecutionHeader } from "../execution/header.tsx";
import { ItemView } from "./item-view.tsx";
import { PromptCard } from "./prompt-card.tsx";
import { Steering } from "./steering.tsx";
import { toItems } from "./turns.ts";
import { UsageLine } from "./usage-line.tsx";

const route = getRouteApi("/agents/runs/$id");
/** However long a run is, the page holds this much more of it at a time. */
const PAGE = 200;

/** A run of an agent as turns: what the model said, what it called, what people answered; live. */
export function AgentRunPage() {
  const { id } = route.useParams();
  const { data: execution, error, refetch } = useExecution(id);
  if (error !== null && execution === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  if (execution === undefined) return <Skeleton rows={10} />;
  return <Run key={id} execution={execution} />;
}

function Run({ execution }: { readonly execution: Execution }) {
  const { workflowId: id } = execution;
  const told = useExecutionFeed(id);
  const feed = useAgentFeed(id);
  const status = told.execution?.status ?? execution.status;
  const isOpen = isExecutionOpen(status);
  const items = useMemo(() => toItems(feed.events), [feed.events]);
  const [most, setMost] = useState(PAGE);
  const earlier = Math.max(0, items.length - most);
  const place = useStayAtEnd(isOpen);
  const { data: usage } = useAgentUsage(id, items.filter((item) => item.kind === "model" && item.isOver).length);
  const calls = useMemo(() => new Map(usage?.calls.map((call) => [call.taskId, call])), [usage]);

  // It was over and is taken up again: retried or restarted by someone.
  const { reload, stream } = feed;
  useEffect(() => {
    if (stream === "over" && isOpen) reload();
  }, [stream, isOpen, reload]);

  const shown: Execution = {
    ...execution,
    status,
    ...(told.execution === undefined ? {} : pickTold(told.execution)),
  };
  const reloadAll = () => {
    told.reload();
    reload();
  };
  return (
    <>
      <ExecutionHeader execution={shown} stream={told.stream} tasks={told.tasks} onChanged={reloadAll} view="turns" />
      {stream === "lost" && items.length === 0 ? (
        <AgentsOff />
      ) : (
        <section
          ref={place}
          aria-label="Turns"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
          tabIndex={0}
          className="min-h-0 flex-1 overflow-auto bg-sunken px-5 py-4 focus-visible:outline-offset-[-2px]"
        >
          <div className="mx-auto flex max-w-4xl flex-col gap-3">
            {usage !== undefined && <UsageLine usage={usage} />}
            <PromptCard execution={execution} />
            {earlier > 0 && (
              <Button className="self-center" onClick={() => setMost(most + PAGE)}>
                <ChevronUp /> Show {formatCount(Math.min(PAGE, earlier))} of {formatCount(earlier)} earlier
              </Button>
            )}
            <ol className="flex flex-col gap-3">
              {items.slice(earlier).map((item) => (
                <li key={item.key}>
                  <ErrorBoundary>
                    <ItemView
                      item={item}
                      runId={id}
                      isRunOpen={isOpen}
                      saying={item.event.taskId === undefined ? undefined : feed.sayings.get(item.event.taskId)}
                      call={item.event.taskId === undefined ? undefined : calls.get(item.event.taskId)}
                    />
                  </ErrorBoundary>
                </li>
              ))}
            </ol>
            {items.length === 0 && (stream === "connecting" ? <Skeleton rows={3} /> : <Nothing isOpen={isOpen} />)}
          </div>
        </section>
      )}
      {isOpen && <Steering id={id} />}
    </>
  );
}

const pickTold = ({
  updateTime,
  endTime,
  reasonForIncompletion,
}: NonNullable<ReturnType<typeof useExecutionFeed>["execution"]>) => ({
  updateTime,
  endTime,
  ...(reasonForIncompletion === undefined ? {} : { reasonForIncompletion }),
});

const Nothing = ({ isOpen }: { readonly isOpen: boolean }) => (
  <EmptyState icon={<Bot />} title={isOpen ? "Nothing has happened yet" : "Nothing happened in this run"} />
);

const NEAR_PX = 80;

/** Keeps the end in sight while the reader is there, and leaves those alone who have gone up to read. */
function useStayAtEnd(isOpen: boolean) {
  const place = useRef<HTMLElement>(null);
  const isThere = useRef(isOpen);
  useEffect(() => {
    const element = place.current;
    const content = element?.firstElementChild;
    if (!isOpen || element === null || content === null || content === undefined) return;
    const look = () => {
      isThere.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    };
    const observer = new ResizeObserver(() => {
      if (isThere.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(content);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [isOpen]);
  return place;
}
