import type { JsonObject } from "@downbeat/engine";
import type { AgentConfig } from "../config/types.ts";

/** What every part of the compiler is given beside the agent. */
export type Compiling = {
  /** Characters of agent state that go into a prompt, and of one value of it. */
  readonly contextMaxSize: number;
  readonly contextMaxValueSize: number;
  /** The version under which an agent that serves as a tool is registered. */
  readonly agentToolVersion: (workflowName: string) => number;
  /** The workflow of a sub-agent. Handed in, so that the strategies and the dispatch among them need not import each other. */
  readonly workflowOf: (config: AgentConfig) => JsonObject;
  readonly warn: (message: string) => void;
};
