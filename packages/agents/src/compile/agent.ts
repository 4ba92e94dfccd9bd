import type { JsonObject } from "@downbeat/engine";
import { isCodingAgent, isGraph, isPassthrough, outputGuardrails, subAgents } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";
import { agentLoop } from "./agent-loop.ts";
import { teamCallback } from "./callbacks.ts";
import type { Compiling } from "./compiling.ts";
import { variable } from "./expression.ts";
import { graphWorkflow } from "./graph/graph.ts";
import { guardedStrategy } from "./guarded-strategy.ts";
import { inputGuardrailTasks } from "./input-guardrails.ts";
import { passthroughWorkflow } from "./passthrough.ts";
import { handoff } from "./strategies/handoff.ts";
import { hybrid } from "./strategies/hybrid.ts";
import { parallel } from "./strategies/parallel.ts";
import { planExecute } from "./strategies/plan-execute.ts";
import { rotation } from "./strategies/rotation.ts";
import { sequential } from "./strategies/sequential.ts";
import { answer, type Orchestration } from "./strategies/shared.ts";
import { swarm } from "./strategies/swarm.ts";
import { toolsOf } from "./tools.ts";
import { agentWorkflow } from "./workflow.ts";

/** The workflow of an agent that `validateAgent` has nothing against. */
export function compileWorkflow(config: AgentConfig, compiling: Compiling): JsonObject {
  if (isPassthrough(config) || isCodingAgent(config)) return passthroughWorkflow(config);
  if (isGraph(config)) return graphWorkflow(config, compiling);
  const hasTeam = subAgents(config).length > 0 || config.planner !== undefined;
  if (!hasTeam) return wrap(config, single(config, compiling));
  if (outputGuardrails(config).length === 0) return wrap(config, withCallbacks(config, strategy(config, compiling)));
  // Around the team stands what looks at its answer; the team itself knows nothing of it.
  const { guardrails: _guardrails, callbacks: _callbacks, ...team } = config;
  const { metadata: _metadata, ...teamWorkflow } = wrap(team, strategy(team, compiling));
  return wrap(config, withCallbacks(config, guardedStrategy(config, teamWorkflow)));
}

function wrap(config: AgentConfig, { description, tasks, outputParameters }: Orchestration): JsonObject {
  return agentWorkflow(config, { description, tasks: [...inputGuardrailTasks(config), ...tasks], outputParameters });
}

/** A team's workers are told of its beginning and end; an agent with tools and sub-agents tells them in its own loop. */
function withCallbacks(config: AgentConfig, team: Orchestration): Orchestration {
  const isHybrid = config.strategy === "handoff" && toolsOf(config).length > 0;
  if (isHybrid) return team;
  const { result } = team.outputParameters;
  const told = typeof result === "string" ? result : "";
  return {
    ...team,
    tasks: [...teamCallback(config, "before_agent", told), ...team.tasks, ...teamCallback(config, "after_agent", told)],
  };
}

function single(config: AgentConfig, compiling: Compiling): Orchestration {
  const loop = agentLoop(withoutIdleStops(config), compiling);
  return {
    description: `Agent workflow for ${config.name}`,
    tasks: loop.tasks,
    outputParameters: { ...answer(loop.result, loop.finishReason, variable("_agent_state")), ...loop.exit },
  };
}

/** Without tools there is one turn, so there is nobody to ask whether there should be another. */
function withoutIdleStops(config: AgentConfig): AgentConfig {
  if (toolsOf(config).length > 0) return config;
  const { stopWhen: _predicate, termination: _conditions, requiredTools: _tools, ...rest } = config;
  return rest;
}

function strategy(config: AgentConfig, compiling: Compiling): Orchestration {
  switch (config.strategy) {
    case "handoff":
      return toolsOf(config).length > 0 ? hybrid(config, compiling) : handoff(config, compiling);
    case "router":
      return handoff(config, compiling);
    case "sequential":
      return sequential(config, compiling);
    case "parallel":
      return parallel(config, compiling);
    case "round_robin":
    case "random":
    case "manual":
      return rotation(config, compiling);
    case "swarm":
      return swarm(config, compiling);
    case "plan_execute":
      return planExecute(config, compiling);
  }
}
