import { InvalidAgent } from "../invalid-agent.ts";
import { findSchemaProblem } from "../plan/tool-schema.ts";
import type { AgentConfig } from "./types.ts";

/** What plan_execute asks for beside a planner: a source, context, tools and guardrails a plan can be made of. */
export function checkPlanExecute(config: AgentConfig): void {
  if (config.planner === undefined) {
    throw new InvalidAgent(
      "PLAN_EXECUTE strategy requires ``planner=<Agent>`` on the parent agent. The legacy ``agents=[planner, fallback]`` positional shape is no longer accepted — set the named slots ``planner=`` (required) and ``fallback=`` (optional) instead.",
    );
  }
  checkSource(config);
  checkContext(config);
  checkToolGuardrails(config);
  for (const { name, inputSchema } of config.tools ?? []) {
    // Arguments that a model writes in a plan are checked by a small validator: schemas may say no more than it knows.
    const problem = inputSchema === undefined ? undefined : findSchemaProblem(inputSchema);
    if (problem !== undefined) throw new InvalidAgent(`tool '${name}' inputSchema: ${problem}`);
  }
}

function checkSource({ name, planSource, tools = [] }: AgentConfig): void {
  if (planSource === undefined) return;
  if (planSource.tool.trim() === "") throw new InvalidAgent("plan_source must include a non-empty 'tool' field");
  if (tools.some((tool) => tool.name === planSource.tool)) return;
  const known = tools.map((tool) => tool.name).join(", ");
  throw new InvalidAgent(
    `plan_source.tool '${planSource.tool}' is not registered as a harness-level tool on '${name}'. Tools it has: ${known === "" ? "none" : known}`,
  );
}

function checkContext({ plannerContext = [] }: AgentConfig): void {
  for (const { headers = {} } of plannerContext) {
    for (const [header, value] of Object.entries(headers)) {
      if (/[\r\n]/.test(header + value)) {
        throw new InvalidAgent(
          `plannerContext header '${header.replace(/[\r\n]/g, " ")}' contains CR/LF, which no header may`,
        );
      }
    }
  }
}

/** A plan's tool that a guardrail stops can only be tried again by a fallback agent. */
function checkToolGuardrails({ name, fallback, tools = [] }: AgentConfig): void {
  if (fallback !== undefined) return;
  const offenders = tools.flatMap((tool) =>
    (tool.guardrails ?? [])
      .filter(({ onFail }) => onFail !== "raise")
      .map((guardrail) => `${tool.name}:${guardrail.name} (on_fail=${guardrail.onFail})`),
  );
  if (offenders.length === 0) return;
  throw new InvalidAgent(
    `PLAN_EXECUTE harness '${name}' has guardrails with on_fail=retry|fix|human but no fallback agent, which is who would act on them. Set fallback, or on_fail=raise on: ${offenders.join(", ")}`,
  );
}
