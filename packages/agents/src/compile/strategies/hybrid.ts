import { describeAgent, refName, subAgents } from "../../config/questions.ts";
import type { AgentConfig } from "../../config/types.ts";
import { agentLoop } from "../agent-loop.ts";
import type { Compiling } from "../compiling.ts";
import { outputOf, variable } from "../expression.ts";
import { promptOf } from "../input-guardrails.ts";
import { callAgent } from "../sub-agent.ts";
import { switchOn } from "../tasks.ts";
import { type Transfers, transferSpec } from "../transfers.ts";
import type { Orchestration } from "./shared.ts";

/** An agent with tools and sub-agents: it works by itself, and may hand the whole request to one of them. */
export function hybrid(config: AgentConfig, compiling: Compiling): Orchestration {
  const base = refName(config.name);
  const loop = agentLoop(config, compiling, { transfers: transfersOf(config), guardrails: [] });
  const callOf = (agent: AgentConfig): string => `${base}_transfer_${refName(agent.name)}`;
  const cases = subAgents(config).map((agent) => {
    const call = { ref: callOf(agent), prompt: promptOf(config), context: variable("_agent_state") };
    return [agent.name, [callAgent(agent, call, compiling)]] as const;
  });
  return {
    description: `Hybrid agent: ${config.name}`,
    tasks: [
      ...loop.tasks,
      switchOn(
        `${base}_transfer_check`,
        outputOf(`${base}_check_transfer`, "result.transfer_to"),
        Object.fromEntries(cases),
      ),
    ],
    outputParameters: {
      result: {
        direct: loop.result,
        ...Object.fromEntries(subAgents(config).map((agent) => [agent.name, outputOf(callOf(agent), "result")])),
      },
      finishReason: loop.finishReason,
      rejectionReason: variable("rejectionReason"),
      context: variable("_agent_state"),
      ...loop.exit,
    },
  };
}

function transfersOf(config: AgentConfig): Transfers {
  const nameOf = (agent: AgentConfig): string => `${refName(config.name)}_transfer_to_${refName(agent.name)}`;
  return {
    specs: subAgents(config).map((agent) =>
      transferSpec(nameOf(agent), `Hand the request over to ${agent.name}: ${describeAgent(agent)}`, {
        type: "object",
        properties: {},
        required: [],
      }),
    ),
    targets: Object.fromEntries(subAgents(config).map((agent) => [nameOf(agent), agent.name])),
  };
}
