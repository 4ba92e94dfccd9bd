import { isJsonObject, type JsonObject } from "@downbeat/engine";
import { readAgentConfig } from "../config/read.ts";
import type { AgentConfig } from "../config/types.ts";
import { normaliseEmbedded } from "../frameworks/embedded.ts";
import { normaliseFramework } from "../frameworks/index.ts";
import { InvalidAgent } from "../invalid-agent.ts";
import type { AgentStartRequest } from "./start-request.ts";

/** An agent in our own terms, and what it was described with. */
export type Described = {
  readonly config: AgentConfig;
  readonly framework?: string;
  /** As it was sent. */
  readonly agentDef: JsonObject;
};

export type DescribeOptions = { readonly adkModel?: string };

/** The agent a request describes. Throws InvalidAgent. */
export function describedAgent(request: AgentStartRequest, options: DescribeOptions): Described {
  if (request.framework !== undefined) {
    const { framework, rawConfig } = request;
    if (rawConfig === undefined) throw new InvalidAgent(`rawConfig is required with the framework '${framework}'`);
    return fromFramework(framework, rawConfig, options);
  }
  if (request.agentConfig === undefined) {
    throw new InvalidAgent("agentConfig is required when framework is not specified");
  }
  return describe(request.agentConfig, options);
}

/** An agent given as JSON: native, or another framework's that says which. */
export function describe(agentConfig: JsonObject, options: DescribeOptions): Described {
  const framework = agentConfig["_framework"] ?? agentConfig["framework"];
  if (typeof framework === "string" && framework !== "") {
    const raw = agentConfig["rawConfig"];
    return fromFramework(framework, isJsonObject(raw) ? raw : agentConfig, options);
  }
  const config = readAgentConfig(normaliseEmbedded(agentConfig, options), "agentConfig");
  return { config: config.name === "" ? { ...config, name: UNNAMED } : config, agentDef: agentConfig };
}

const UNNAMED = "agent_plan";

function fromFramework(framework: string, rawConfig: JsonObject, options: DescribeOptions): Described {
  const config = readAgentConfig(normaliseFramework(framework, rawConfig, options), "rawConfig");
  return { config, framework, agentDef: rawConfig };
}
