import type { Normaliser } from "./agent.ts";
import { passthrough } from "./passthrough.ts";

export const langchain: Normaliser = (raw) => passthrough(raw, { title: "LangChain", agent: "langchain_agent" });
