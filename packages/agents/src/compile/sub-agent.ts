import type { JsonObject } from "@downbeat/engine";
import { isReference } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";
import type { Compiling } from "./compiling.ts";
import { workflowInput } from "./expression.ts";
import { subWorkflow } from "./tasks.ts";

type Call = {
  readonly ref: string;
  readonly prompt: string;
  /** Expression of the context the sub-agent starts with. */
  readonly context: string;
};

/** Runs a sub-agent: its workflow stands in the definition, unless it is only named. */
export function callAgent(agent: AgentConfig, { ref, prompt, context }: Call, compiling: Compiling): JsonObject {
  const startsAlone = agent.includeContents === "none";
  const inputs = {
    prompt,
    media: workflowInput("media"),
    session_id: workflowInput("session_id"),
    context: startsAlone ? {} : context,
    ...(startsAlone ? { include_contents: "none" } : {}),
  };
  return subWorkflow(ref, agent.name, inputs, subWorkflowParam(agent, compiling));
}

const subWorkflowParam = (agent: AgentConfig, compiling: Compiling): JsonObject =>
  isReference(agent)
    ? { name: agent.name }
    : { name: agent.name, version: 1, workflowDefinition: compiling.workflowOf(agent) };
