import { expect, test } from "vitest";
import type { AgentSummary } from "../../api/agents.ts";
import type { SkillSummary } from "../../api/skills.ts";
import { toSkillRows } from "./skill-rows.ts";

const skill = (name: string, version: string, createdAt: number): SkillSummary => ({
  name,
  version,
  createdAt,
  description: `${name} ${version}`,
  checksum: "",
  packageSize: 1,
  fileCount: 1,
  scriptCount: 0,
  subAgentCount: 0,
  resourceCount: 0,
});

const agent = (name: string, type: string): AgentSummary => ({
  name,
  type,
  version: 3,
  tags: [],
  createTime: 1,
  updateTime: 1,
  description: "deployed",
});

test("a skill is one row, whether it is registered, deployed or both", () => {
  const rows = toSkillRows(
    [skill("b", "10", 1), skill("b", "2", 2), skill("c", "1", 1)],
    [agent("b", "skill"), agent("a", "skill"), agent("other", "conductor")],
  );
  const told = rows.map(({ name, description, latest, versions, agent: deployed }) => [
    name,
    description,
    latest?.version,
    versions,
    deployed?.version,
  ]);
  expect(told).toEqual([
    ["a", "deployed", undefined, 0, 3],
    // The latest is the one that came last, whatever it is called.
    ["b", "b 2", "2", 2, 3],
    ["c", "c 1", "1", 1, undefined],
  ]);
});
