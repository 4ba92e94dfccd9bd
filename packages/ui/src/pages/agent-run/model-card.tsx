import { Link } from "@tanstack/react-router";
import { Bot, ChevronRight } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { Saying } from "../../api/agent-feed.ts";
import type { ModelCall } from "../../api/agents.ts";
import { useTask } from "../../api/tasks.ts";
import type { Json, JsonObject } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { formatCount, formatDuration } from "../../lib/format.ts";
import { isTaskFailed } from "../../lib/status.ts";
import { Card, Said } from "./card.tsx";
import type { Item } from "./turns.ts";
import { costWords } from "./usage-line.tsx";

type Props = {
  readonly item: Item & { readonly kind: "model" };
  readonly runId: string;
  readonly saying: Saying | undefined;
  readonly call: ModelCall | undefined;
  readonly isRunOpen: boolean;
};

/** A turn of a model: what it says while it says it, then what it said, which tools it asked for, what it took. */
export function ModelCard({ item: { event, agent, turn, isOver }, runId, saying, call, isRunOpen }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(place);
  const { taskId = "", executionId } = event;
  // Its conversation grows with every turn: what nobody looks at is not fetched.
  const { data: task } = useTask(taskId, isOver ? "over" : "open", isSeen && (isOver || !isRunOpen));
  const [isOpen, setOpen] = useState(false);
  const output: JsonObject = task?.outputData ?? {};
  const isBusy = !isOver && isRunOpen;
  const text = textOf(output["result"]) || (isBusy || task === undefined ? (saying?.text ?? "") : "");
  const reasoning = textOf(output["reasoning"]) || (saying?.reasoning ?? "");
  const calls = namesOf(output["toolCalls"]);
  return (
    <div ref={place}>
      <Card
        icon={Bot}
        tone={isBusy ? "running" : task !== undefined && isTaskFailed(task.status) ? "bad" : "good"}
        title={agent}
        note={
          <>
            turn {turn}
            {isBusy && ", thinking"}
            {task !== undefined && ` · ${tookOf(output, task.endTime - task.startTime)}`}
            {call !== undefined && call.totalTokens > 0 && ` · ${costWords(call)}`}
            {executionId !== runId && (
              <>
                {" · "}
                <Link to="/agents/runs/$id" params={{ id: executionId }} className="hover:underline">
                  a run inside
                </Link>
              </>
            )}
          </>
        }
        at={event.timestamp}
      >
        {reasoning !== "" && (
          <p className="mx-3 mb-2 border-l-2 border-line pl-2 text-sm break-words whitespace-pre-wrap text-faint">
            {reasoning}
          </p>
        )}
        {text !== "" && <Said text={text} />}
        {isBusy && text === "" && <p className="breathing px-3 pb-3 text-sm text-faint">…</p>}
        {calls.length > 0 && <p className="px-3 pb-3 text-sm text-soft">Asks for {calls.join(", ")}</p>}
        {task !== undefined && (
          <div className="border-t border-line">
            <Button look="ghost" isSmall className="m-1" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              <ChevronRight className={isOpen ? "rotate-90" : ""} /> What it was asked
            </Button>
            {isOpen && <JsonView value={task.inputData["messages"] ?? []} label="what it was asked" />}
          </div>
        )}
      </Card>
    </div>
  );
}

function tookOf({ promptTokens, completionTokens }: JsonObject, ms: number): string {
  const tokens =
    typeof promptTokens === "number" && typeof completionTokens === "number"
      ? ` · ${formatCount(promptTokens)} + ${formatCount(completionTokens)} tokens`
      : "";
  return `${formatDuration(ms)}${tokens}`;
}

/** A model that only asks for tools says nothing, which is an empty list. */
function textOf(value: Json | undefined): string {
  if (typeof value === "string") return value;
  const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  return isNothing ? "" : JSON.stringify(value, null, 2);
}

const namesOf = (calls: Json | undefined): readonly string[] =>
  Array.isArray(calls)
    ? calls.map((call: Json) =>
        typeof call === "object" && call !== null && "name" in call ? String(call["name"]) : "a tool",
      )
    : [];

const AHEAD = "600px";

/** True once the element was in sight, or nearly. */
function useSeen(place: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (element === null || isSeen) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setSeen(true), {
      rootMargin: AHEAD,
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [place, isSeen]);
  return isSeen;
}
