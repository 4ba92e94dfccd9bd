import type { Normaliser } from "./agent.ts";
import { passthrough } from "./passthrough.ts";

export const claudeAgentSdk: Normaliser = (raw) =>
  passthrough(raw, { title: "Claude Agent SDK", agent: "claude_agent_sdk_agent" });
