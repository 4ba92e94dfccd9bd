import type { JsonObject } from "@downbeat/engine";
import { InvalidAgent } from "../invalid-agent.ts";
import type { NormaliseOptions, Normaliser } from "./agent.ts";
import { claudeAgentSdk } from "./claude-agent-sdk.ts";
import { googleAdk } from "./google-adk.ts";
import { langchain } from "./langchain.ts";
import { langgraph } from "./langgraph.ts";
import { openai } from "./openai.ts";
import { skill } from "./skill.ts";
import { vercelAi } from "./vercel-ai.ts";

const frameworks: ReadonlyMap<string, Normaliser> = new Map([
  ["openai", openai],
  ["langgraph", langgraph],
  ["google_adk", googleAdk],
  ["langchain", langchain],
  ["skill", skill],
  ["claude_agent_sdk", claudeAgentSdk],
  ["vercel_ai", vercelAi],
]);

/** The AgentConfig of an agent that another framework describes. Throws InvalidAgent. */
export function normaliseFramework(
  framework: string,
  rawConfig: JsonObject,
  options: NormaliseOptions = {},
): JsonObject {
  const normalise = frameworks.get(framework);
  if (normalise === undefined) {
    const supported = [...frameworks.keys()].join(", ");
    throw new InvalidAgent(`Unsupported agent framework: '${framework}'. Supported frameworks: [${supported}]`);
  }
  return normalise(rawConfig, options);
}
