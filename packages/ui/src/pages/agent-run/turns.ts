import type { AgentEvent } from "../../api/agent-feed.ts";

/** What is shown of a run, in the order in which it happened. */
export type Item = { readonly key: string; readonly event: AgentEvent } & (
  | { readonly kind: "model"; readonly agent: string; readonly turn: number; readonly isOver: boolean }
  | { readonly kind: "tool"; readonly result: AgentEvent | undefined }
  /** `later` counts what happened in the same run since: when it grows, the question may have been answered. */
  | { readonly kind: "question"; readonly later: number }
  | { readonly kind: "guardrail" | "handoff" | "note" | "error" | "done" }
);

/** Sorts a run's events to items: a call and its result are one, and a model has spoken when something follows. */
export function toItems(events: readonly AgentEvent[]): readonly Item[] {
  const results = resultsByCall(events);
  const answered = new Set(results.values());
  const lastAt = new Map<string, number>();
  const counts = new Map<string, number>();
  events.forEach(({ executionId }, i) => {
    lastAt.set(executionId, i);
    counts.set(executionId, (counts.get(executionId) ?? 0) + 1);
  });
  const isAllOver = events.some(
    ({ type, toolName }) => type === "done" || (type === "error" && toolName === "workflow"),
  );
  const turns = new Map<string, number>();
  const items: Item[] = [];
  events.forEach((event, i) => {
    const { type, executionId } = event;
    const common = { key: String(event.id), event };
    if (type === "thinking" && event.taskId !== undefined) {
      const agent = agentOf(event.content ?? "");
      const turn = (turns.get(`${executionId} ${agent}`) ?? 0) + 1;
      turns.set(`${executionId} ${agent}`, turn);
      items.push({ ...common, kind: "model", agent, turn, isOver: isAllOver || (lastAt.get(executionId) ?? i) > i });
    } else if (type === "tool_call") items.push({ ...common, kind: "tool", result: results.get(event) });
    else if (type === "tool_result") {
      if (!answered.has(event)) items.push({ ...common, kind: "tool", result: event });
    } else if (type === "waiting" && event.taskId !== undefined)
      items.push({ ...common, kind: "question", later: counts.get(executionId) ?? 0 });
    else items.push({ ...common, kind: kindOf(event) });
  });
  return items;
}

/** Which call a result belongs to: by its reference; what a framework reports has none, then the oldest open one of the tool. */
function resultsByCall(events: readonly AgentEvent[]): ReadonlyMap<AgentEvent, AgentEvent> {
  const open = new Map<string, AgentEvent[]>();
  const results = new Map<AgentEvent, AgentEvent>();
  for (const event of events) {
    const key = `${event.executionId} ${event.taskRefName ?? event.toolName ?? ""}`;
    if (event.type === "tool_call") open.set(key, [...(open.get(key) ?? []), event]);
    if (event.type !== "tool_result") continue;
    const [call, ...rest] = open.get(key) ?? [];
    if (call !== undefined) results.set(call, event);
    open.set(key, rest);
  }
  return results;
}

function kindOf({ type }: AgentEvent): "guardrail" | "handoff" | "note" | "error" | "done" {
  if (type === "guardrail_pass" || type === "guardrail_fail") return "guardrail";
  return type === "handoff" || type === "error" || type === "done" ? type : "note";
}

/** The agent behind the reference of its model call: `support_llm__2` is support's. */
const agentOf = (ref: string): string => ref.replace(/(__\d+)+$/, "").replace(/_llm$/, "");
