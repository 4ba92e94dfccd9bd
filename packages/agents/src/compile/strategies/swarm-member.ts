import { type JsonObject, ownMember } from "@downbeat/engine";
import {
  describeAgent,
  instructionsText,
  isCodingAgent,
  isReference,
  refName,
  subAgents,
} from "../../config/questions.ts";
import type { AgentConfig } from "../../config/types.ts";
import { coerceText } from "../../scripts/coerce-text.ts";
import { scriptOf } from "../../scripts/script-of.ts";
import { transferMessage } from "../../scripts/swarm.ts";
import { agentLoop } from "../agent-loop.ts";
import { agentModel } from "../agent-model.ts";
import type { Compiling } from "../compiling.ts";
import { authored, literal, outputOf, variable, workflowInput } from "../expression.ts";
import { inputGuardrailTasks } from "../input-guardrails.ts";
import { llmTask, systemMessage, userMessage } from "../llm-task.ts";
import { passthroughWorkflow } from "../passthrough.ts";
import { inline, subWorkflow } from "../tasks.ts";
import { toolsOf } from "../tools.ts";
import { type Transfers, transferCheck, transferSpec } from "../transfers.ts";
import { agentWorkflow } from "../workflow.ts";

/** The members of a swarm: the parent by itself, then its agents. */
export function swarmMembers(config: AgentConfig): readonly AgentConfig[] {
  const { agents: _agents, handoffs: _handoffs, guardrails: _guardrails, callbacks, ...parent } = config;
  // What looks at the prompt, at the team's answer, or at its beginning and end stands around the swarm, not in the
  // parent's own part of it.
  const inside = callbacks?.filter(({ position }) => position !== "before_agent" && position !== "after_agent");
  return [
    { ...parent, ...(inside === undefined ? {} : { callbacks: inside }), strategy: "handoff" },
    ...subAgents(config),
  ];
}

const transferName = (from: string, to: string): string => `${from}_transfer_to_${to}`;

/** Members that this one may hand over to: by its own rules, else by the swarm's. */
function peersOf(config: AgentConfig, member: AgentConfig): readonly AgentConfig[] {
  const peers = swarmMembers(config).filter(({ name }) => name !== member.name);
  const rules = (member.name === config.name ? undefined : member.allowedTransitions) ?? config.allowedTransitions;
  if (rules === undefined) return peers;
  const allowed = ownMember(rules, member.name) ?? [];
  return peers.filter(({ name }) => allowed.includes(name));
}

/** One member's turn: its own loop, in which handing over is one more tool. */
export function memberWorkflow(config: AgentConfig, member: AgentConfig, compiling: Compiling): JsonObject {
  if (isCodingAgent(member)) return passthroughWorkflow(member, `${member.name}_swarm_wf`);
  return subAgents(member).length > 0 || isReference(member)
    ? teamMember(config, member, compiling)
    : loopMember(config, member, compiling);
}

function loopMember(config: AgentConfig, member: AgentConfig, compiling: Compiling): JsonObject {
  const base = refName(member.name);
  const transfers = transfersOf(config, member);
  const watched = (config.handoffs ?? []).flatMap(({ type, toolName }) =>
    type === "on_tool_result" && toolName !== undefined ? [toolName] : [],
  );
  const own = toolsOf(member).map(({ name }) => name);
  const loop = agentLoop(member, compiling, {
    transfers,
    member: { returnsAfter: watched.filter((name) => own.includes(name)) },
  });
  return agentWorkflow(member, {
    name: `${member.name}_swarm_wf`,
    description: `Swarm agent: ${member.name}`,
    tasks: [...inputGuardrailTasks(member), ...loop.tasks, messageTask(base, `${base}_llm`, transfers)],
    outputParameters: {
      result: loop.result,
      finishReason: loop.finishReason,
      ...transferOutput(base),
      context: variable("_agent_state"),
      tool_results: variable("_last_tool_results"),
    },
  });
}

/** A member that is a team itself: the team works, then its model decides whether to hand over. */
function teamMember(config: AgentConfig, member: AgentConfig, compiling: Compiling): JsonObject {
  const base = refName(member.name);
  const transfers = transfersOf(config, member);
  const inner = `${base}_inner`;
  const llm = `${base}_transfer_llm`;
  const inputs = {
    prompt: workflowInput("prompt"),
    media: workflowInput("media"),
    session_id: workflowInput("session_id"),
    context: workflowInput("context"),
  };
  const definition = isReference(member) ? {} : { version: 1, workflowDefinition: compiling.workflowOf(member) };
  const own = authored(instructionsText(member));
  const question =
    "The request below has been worked on; the answer follows it. If another agent should go on with it, hand over with one of your tools. Otherwise answer OK.";
  return agentWorkflow(member, {
    name: `${member.name}_swarm_wf`,
    description: `Swarm hierarchical agent: ${member.name}`,
    tasks: [
      subWorkflow(inner, `${base}_strategy`, inputs, { name: member.name, ...definition }),
      inline(`${base}_coerce_result`, scriptOf(coerceText), { raw: outputOf(inner, "result") }),
      llmTask(llm, agentModel((member.model ?? "") === "" ? config : member), {
        maxTokens: member.maxTokens ?? 16384,
        messages: [
          systemMessage(own === "" ? question : `${own}\n\n${question}`),
          userMessage(workflowInput("prompt")),
          { role: "assistant", message: outputOf(`${base}_coerce_result`, "result") },
        ],
        ...(transfers.specs.length === 0 ? {} : { tools: literal(transfers.specs) }),
      }),
      transferCheck(base, llm, transfers),
      messageTask(base, llm, transfers),
    ],
    outputParameters: {
      result: outputOf(inner, "result"),
      finishReason: "stop",
      ...transferOutput(base),
      context: outputOf(inner, "context"),
      tool_results: outputOf(inner, "tool_results"),
    },
  });
}

const messageTask = (base: string, llm: string, { targets }: Transfers): JsonObject =>
  inline(`${base}_transfer_msg`, scriptOf(transferMessage, { transfers: targets }), {
    tool_calls: outputOf(llm, "toolCalls"),
  });

const transferOutput = (base: string): JsonObject => ({
  is_transfer: outputOf(`${base}_check_transfer`, "result.is_transfer"),
  transfer_to: outputOf(`${base}_check_transfer`, "result.transfer_to"),
  transfer_message: outputOf(`${base}_transfer_msg`, "result"),
});

function transfersOf(config: AgentConfig, member: AgentConfig): Transfers {
  const peers = peersOf(config, member);
  return {
    specs: peers.map((peer) =>
      transferSpec(
        transferName(member.name, peer.name),
        `Hand the conversation over to ${peer.name}: ${describeAgent(peer)}. At most one handover each turn.`,
        {
          type: "object",
          properties: { message: { type: "string", description: `What ${peer.name} should know and do` } },
          required: ["message"],
        },
      ),
    ),
    targets: Object.fromEntries(peers.map(({ name }) => [transferName(member.name, name), name])),
  };
}
