import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useAgents } from "../../api/agents.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { isSwitchedOff } from "../../components/switched-off.tsx";
import { AgentsOff } from "../agents/agents-off.tsx";

const AgentEditor = lazy(async () => ({ default: (await import("../agent/agent-editor.tsx")).AgentEditor }));

/** Shows what an agent may have: a tool for a worker, one that needs approval, one that asks a person, a guardrail. */
const template = {
  name: "support",
  model: "openai/gpt-4o-mini",
  instructions: "Help the customer. Look orders up before you answer. Refund only when asked to.",
  tools: [
    {
      name: "find_order",
      description: "Finds an order by its number",
      toolType: "worker",
      inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    },
    {
      name: "refund",
      description: "Refunds an order",
      toolType: "worker",
      approvalRequired: true,
      inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    },
  ],
  guardrails: [
    {
      name: "no_card_numbers",
      guardrailType: "regex",
      position: "output",
      onFail: "retry",
      patterns: ["\\b\\d{16}\\b"],
      message: "Never repeat a card number",
    },
  ],
  maxTurns: 10,
};

/** An agent that is not there yet. */
export function NewAgentPage() {
  const navigate = useNavigate();
  const { error } = useAgents();
  return (
    <>
      <PageHeader title="New agent" note="Completion with Ctrl Space; click a part of the picture to find its text" />
      {isSwitchedOff(error) ? (
        <AgentsOff />
      ) : (
        <div className="flex min-h-0 flex-1 flex-col bg-surface">
          <p className="border-b border-line px-5 py-2 text-sm text-soft">
            A tool of type <span className="mono">worker</span> is a task that any worker serves under the tool's name.
            One with <span className="mono">approvalRequired</span> waits until a person has looked at the call. A
            guardrail judges what the model says before anyone else hears it. <span className="mono">agents</span> and a{" "}
            <span className="mono">strategy</span> make a team.
          </p>
          <Suspense fallback={<Skeleton rows={10} />}>
            <AgentEditor
              draftKey="new-agent"
              saved={JSON.stringify(template, null, 2)}
              isNew
              framework=""
              onSaved={(name) => void navigate({ to: "/agents/$name", params: { name }, search: {} })}
            />
          </Suspense>
        </div>
      )}
    </>
  );
}
