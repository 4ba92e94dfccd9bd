import type { Normaliser } from "./agent.ts";
import { extractedOrWhole } from "./extracted.ts";

/** LangChain: an agent with a model and tools, or an executor that runs as a whole in one worker. */
export const langchain: Normaliser = (raw, options) =>
  extractedOrWhole(raw, { title: "LangChain", agent: "langchain_agent" }, (agent) => langchain(agent, options));
