import type { AgentSummary } from "../../api/agents.ts";
import { newestFirst, type SkillSummary } from "../../api/skills.ts";

/** A skill by its name: what is registered of it, and the agent it is deployed as. One of both there is. */
export type SkillRow = {
  readonly name: string;
  readonly description: string | undefined;
  readonly latest: SkillSummary | undefined;
  readonly versions: number;
  readonly agent: AgentSummary | undefined;
};

/** Registered skills and those that are deployed, by name. */
export function toSkillRows(registered: readonly SkillSummary[], agents: readonly AgentSummary[]): readonly SkillRow[] {
  const versions = Map.groupBy(registered, ({ name }) => name);
  const deployed = new Map(agents.filter(({ type }) => type === "skill").map((agent) => [agent.name, agent]));
  return [...new Set([...versions.keys(), ...deployed.keys()])].sort().map((name) => {
    const own = versions.get(name) ?? [];
    const latest = newestFirst(own)[0];
    const agent = deployed.get(name);
    return { name, description: latest?.description ?? agent?.description, latest, versions: own.length, agent };
  });
}
