import { skillAgent } from "../skills/skill-agent.ts";
import type { Normaliser } from "./agent.ts";

/** A skill: instructions, sub-agents, scripts and files in one package. */
export const skill: Normaliser = (raw) => skillAgent(raw);
