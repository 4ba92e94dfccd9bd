import { Link } from "@tanstack/react-router";
import {
  ArrowRightLeft,
  Check,
  CircleAlert,
  CirclePause,
  Flag,
  MessagesSquare,
  ShieldAlert,
  ShieldCheck,
  Wrench,
} from "lucide-react";
import type { AgentEvent, Saying } from "../../api/agent-feed.ts";
import type { ModelCall } from "../../api/agents.ts";
import type { Json } from "../../api/types.ts";
import { JsonView } from "../../components/json-view.tsx";
import { Card, Remark, Said } from "./card.tsx";
import { ModelCard } from "./model-card.tsx";
import { QuestionCard } from "./question-card.tsx";
import type { Item } from "./turns.ts";

type Props = {
  readonly item: Item;
  readonly runId: string;
  readonly isRunOpen: boolean;
  readonly saying: Saying | undefined;
  /** What is known of a model's call once it is over. */
  readonly call: ModelCall | undefined;
};

/** One thing that happened in a run. */
export function ItemView({ item, runId, isRunOpen, saying, call }: Props) {
  const { event } = item;
  switch (item.kind) {
    case "model":
      return <ModelCard item={item} runId={runId} saying={saying} call={call} isRunOpen={isRunOpen} />;
    case "tool":
      return <ToolCard call={event} result={item.result} isRunOpen={isRunOpen} />;
    case "question":
      return <QuestionCard event={event} later={item.later} isRunOpen={isRunOpen} />;
    case "guardrail":
      return event.type === "guardrail_pass" ? (
        <Remark icon={ShieldCheck} tone="good" title={`${event.guardrailName} passed`} at={event.timestamp} />
      ) : (
        <Remark
          icon={ShieldAlert}
          tone="bad"
          title={`${event.guardrailName} refused`}
          note={event.content}
          at={event.timestamp}
        />
      );
    case "handoff":
      return (
        <Remark icon={ArrowRightLeft} tone="running" title={`Handed to ${event.target ?? ""}`} at={event.timestamp} />
      );
    case "error":
      return (
        <Card
          icon={CircleAlert}
          tone="bad"
          title={event.toolName === "workflow" ? "The run ended without success" : `${event.toolName} failed`}
          at={event.timestamp}
        >
          <Said text={event.content ?? ""} />
        </Card>
      );
    case "done":
      return <DoneCard event={event} />;
    case "note":
      return <Note event={event} />;
  }
}

type ToolProps = { readonly call: AgentEvent; readonly result: AgentEvent | undefined; readonly isRunOpen: boolean };

function ToolCard({ call, result, isRunOpen }: ToolProps) {
  const isOpen = result === undefined && isRunOpen;
  const failure = failureOf(result?.result);
  return (
    <Card
      icon={Wrench}
      tone={failure !== undefined ? "bad" : result !== undefined ? "good" : isOpen ? "running" : "quiet"}
      title={<span className="mono">{call.toolName}</span>}
      note={
        call.taskId === undefined ? (
          "tool"
        ) : (
          <Link
            to="/executions/$id"
            params={{ id: call.executionId }}
            search={{ tab: "tasks", task: call.taskId }}
            className="hover:underline"
          >
            tool, {result !== undefined ? "called" : isOpen ? "being called" : "no answer"}
          </Link>
        )
      }
      at={call.timestamp}
    >
      <div className="grid border-t border-line md:grid-cols-2 md:divide-x md:divide-line">
        <div className="min-w-0">
          <h3 className="px-3 pt-2 text-xs font-semibold text-faint">Arguments</h3>
          <JsonView value={call.args ?? {}} label={`arguments of ${call.toolName}`} />
        </div>
        <div className="min-w-0">
          <h3 className="px-3 pt-2 text-xs font-semibold text-faint">Result</h3>
          {result === undefined ? (
            <p className="px-3 py-2 text-sm text-faint">{isOpen ? "Not there yet" : "There was none"}</p>
          ) : typeof result.result === "string" ? (
            <p className="max-h-96 overflow-auto px-3 py-2 text-sm break-words whitespace-pre-wrap">{result.result}</p>
          ) : (
            <JsonView value={result.result ?? null} label={`result of ${call.toolName}`} />
          )}
        </div>
      </div>
    </Card>
  );
}

function failureOf(result: Json | undefined): Json | undefined {
  const isObject = typeof result === "object" && result !== null && !Array.isArray(result);
  return isObject && "error" in result && Object.keys(result).length === 1 ? result["error"] : undefined;
}

function DoneCard({ event }: { readonly event: AgentEvent }) {
  const { result, finishReason, rejectionReason } = event.output ?? {};
  const isRejected = finishReason === "rejected";
  return (
    <Card
      icon={isRejected ? CircleAlert : Flag}
      tone={isRejected ? "held" : "good"}
      title={isRejected ? "Rejected" : "Done"}
      note={typeof finishReason === "string" ? `finished: ${finishReason.toLowerCase()}` : undefined}
      at={event.timestamp}
    >
      {isRejected && typeof rejectionReason === "string" && <Said text={rejectionReason} />}
      {!isRejected &&
        (typeof result === "string" ? <Said text={result} /> : <JsonView value={result ?? null} label="result" />)}
    </Card>
  );
}

function Note({ event }: { readonly event: AgentEvent }) {
  const { type, content, target, result, messagesBefore = 0, messagesAfter = 0, timestamp } = event;
  switch (type) {
    case "waiting":
      return <Remark icon={CirclePause} tone="held" title="Paused" at={timestamp} />;
    case "context_condensed":
      return (
        <Remark
          icon={MessagesSquare}
          title="The conversation was shortened"
          note={`from ${messagesBefore} messages to ${messagesAfter}: ${content ?? ""}`}
          at={timestamp}
        />
      );
    case "thinking":
      return <Remark icon={MessagesSquare} title="Thinking" note={content} at={timestamp} />;
    case "subagent_start":
      return <Remark icon={ArrowRightLeft} tone="running" title={`${target} began`} note={content} at={timestamp} />;
    case "subagent_stop":
      return <Remark icon={Check} tone="good" title={`${target} ended`} note={asText(result)} at={timestamp} />;
    default:
      return <Remark icon={MessagesSquare} title={type} note={content} at={timestamp} />;
  }
}

const asText = (value: Json | undefined): string | undefined =>
  value === undefined || typeof value === "string" ? value : JSON.stringify(value);
