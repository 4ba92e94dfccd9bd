import { isJsonObject, type JsonObject, ownMember } from "@downbeat/engine";
import { InvalidAgent } from "../invalid-agent.ts";
import { type CompiledPlan, compilePlan } from "./compile.ts";
import { textIn } from "./tool.ts";

/** What a plan would become under an agent, without running anything. Throws InvalidAgent. */
export function inspectPlan(request: JsonObject): Omit<CompiledPlan, "workflowName"> {
  const agentConfig = ownMember(request, "agentConfig");
  const plan = ownMember(request, "plan");
  if (!isJsonObject(agentConfig)) throw new InvalidAgent("inspectPlan: agentConfig is required");
  if (plan === undefined || plan === null) throw new InvalidAgent("inspectPlan: plan is required");
  const strategy = textIn(agentConfig, "strategy") ?? "handoff";
  if (strategy.toLowerCase() !== "plan_execute") {
    throw new InvalidAgent(`inspectPlan: agentConfig.strategy must be 'plan_execute', got '${strategy}'`);
  }
  const timeoutSeconds = ownMember(agentConfig, "timeoutSeconds");
  const { workflowDef, error, warnings, stats } = compilePlan({
    plan,
    parentName: textIn(agentConfig, "name") ?? "agent_inspect",
    model: textIn(agentConfig, "model"),
    timeoutSeconds: typeof timeoutSeconds === "number" ? timeoutSeconds : undefined,
    tools: listIn(agentConfig, "tools").filter(isJsonObject),
  });
  return { workflowDef, error, warnings, stats };
}

/** PLAN_AND_COMPILE: the input of the task, and its output. It always completes. */
export function planAndCompile(input: JsonObject): CompiledPlan {
  const timeoutSeconds = ownMember(input, "harnessTimeoutSeconds");
  return compilePlan({
    plan: ownMember(input, "planJson"),
    parentName: textIn(input, "parentName") ?? "agent",
    model: textIn(input, "model"),
    timeoutSeconds: typeof timeoutSeconds === "number" ? timeoutSeconds : undefined,
    tools: listIn(input, "parentTools").filter(isJsonObject),
    toolNames: listIn(input, "knownToolNames").filter((name) => typeof name === "string"),
  });
}

function listIn(object: JsonObject, name: string) {
  const value = ownMember(object, name);
  return Array.isArray(value) ? value : [];
}
