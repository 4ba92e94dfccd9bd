import type { JsonObject } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import { normaliseFramework, referencedSkills, withParameters } from "../../src/index.ts";
import { hasFixtures, listFixtures, readFixture } from "../recorded/compare.ts";

const md = (name: string, body = "Text.") => `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}`;

type Tool = { name: string; inputSchema: { properties: { path: { enum: string[] } } }; config: JsonObject };
const toolsOf = (agent: JsonObject) => agent["tools"] as unknown as Tool[];

describe.skipIf(!hasFixtures)("the recorded skills", () => {
  test.each(hasFixtures ? listFixtures("skills") : [])("%s becomes an agent", (name) => {
    const raw = readFixture(`skills/${name}`) as JsonObject;
    const agent = normaliseFramework("skill", raw);
    expect(raw["skillMd"]).toContain(`name: ${agent["name"]}`);
    expect(agent).toMatchObject({ model: raw["model"], maxTurns: 100 });
  });

  test("a large one keeps its sections for later", () => {
    const raw = readFixture("skills/large-skill") as JsonObject;
    const agent = normaliseFramework("skill", raw);
    const instructions = String(agent["instructions"]);
    expect(instructions.length).toBeLessThan(2000);
    expect(instructions).toContain("A large skill for testing section splitting.");
    expect(instructions).toContain("These rules apply to ALL sections below.");
    expect(instructions).toContain("skill_section:monitoring-alerts — Monitoring & Alerts");
    expect(instructions).not.toContain("scenario 1");
    const [reader] = toolsOf(agent);
    expect(reader?.name).toBe("large-skill__read_skill_file");
    expect(reader?.inputSchema.properties.path.enum).toHaveLength(1 + 8);
    expect(reader?.inputSchema.properties.path.enum.slice(0, 2)).toEqual([
      "references/api-reference.md",
      "skill_section:workflow-definitions",
    ]);
  });
});

describe("a skill", () => {
  test("that refers to itself by way of another is refused", () => {
    const raw = {
      model: "m",
      skillMd: md("a"),
      crossSkillRefs: { b: { skillMd: md("b"), crossSkillRefs: { a: { skillMd: md("a") } } } },
    };
    expect(() => normaliseFramework("skill", raw)).toThrow(
      "Circular skill reference detected: 'a' is reached by way of a -> b -> a",
    );
  });

  test("hands its model to the skills inside it that have none", () => {
    const agent = normaliseFramework("skill", {
      model: "openai/gpt-4o",
      skillMd: md("a"),
      crossSkillRefs: { b: { skillMd: md("b") } },
    });
    expect(toolsOf(agent)[0]?.config).toMatchObject({ agentConfig: { name: "b", model: "openai/gpt-4o" } });
  });

  test("is not cut because its parameters were written into it", () => {
    const body = `## One\n${"x".repeat(49_990)}`;
    const skillMd = md("a", withParameters(body, { depth: 3 }));
    const agent = normaliseFramework("skill", { model: "m", skillMd, params: { depth: 3 } });
    expect(agent).not.toHaveProperty("tools");
    expect(agent["instructions"]).toBe(`${body}\n\n[Skill Parameters]\ndepth: 3`);
  });

  test("whose workspace is turned off has no workspace tools", () => {
    const raw = { model: "m", skillMd: md("a"), workspace: { enabled: false, roots: [{ name: "r" }] } };
    expect(normaliseFramework("skill", raw)).not.toHaveProperty("tools");
  });

  test("with hostile front matter is refused, quickly", () => {
    const laughs = `---\nname: a\na: &a [x, x]\n${"bcdefghijklmnop"
      .split("")
      .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghijklmnop"[i]}`).join(",")}]`)
      .join("\n")}\n---\n`;
    expect(() => normaliseFramework("skill", { skillMd: laughs })).toThrow("Invalid SKILL.md frontmatter: ");
    expect(() => normaliseFramework("skill", { skillMd: "---\na: [\n---\n" })).toThrow(
      "Invalid SKILL.md frontmatter: ",
    );
    expect(() => normaliseFramework("skill", { skillMd: "---\n".concat("\n".repeat(500_000)) })).toThrow(
      "SKILL.md is missing required YAML frontmatter",
    );
  });
});

test("parameters are written in order, and again in place of the earlier ones", () => {
  const once = withParameters("Body.", { b: 2, a: "x" });
  expect(once).toBe("Body.\n\n[Skill Parameters]\na: x\nb: 2");
  expect(withParameters(once, { c: { d: [1] } })).toBe('Body.\n\n[Skill Parameters]\nc: {"d":[1]}');
  expect(withParameters("Body.", { a: "one\n\ntwo" })).toBe('Body.\n\n[Skill Parameters]\na: "one\\n\\ntwo"');
  expect(withParameters("Body.", {})).toBe("Body.");
});

test("other skills are found by the phrases that call them", () => {
  const body =
    "First invoke the writing-plans skill. Then USE review.v2 skill, call `lint` skill. Use self skill. skill.";
  expect(referencedSkills(md("self", body))).toEqual(["writing-plans", "review.v2", "lint"]);
});
