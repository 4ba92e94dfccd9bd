import { readSkillMd } from "./skill-md.ts";

const PHRASE = /\b(?:invoke|use|call)\s+(?:the\s+)?[`"']?([A-Za-z0-9._-]+)[`"']?\s+skill\b/gi;

/** Names of other skills that a SKILL.md asks to "invoke the <name> skill", each once. Not all need exist. */
export function referencedSkills(skillMd: string): readonly string[] {
  const { name, body } = readSkillMd(skillMd);
  const names = [...body.matchAll(PHRASE)].map((match) => match[1] ?? "");
  return [...new Set(names)].filter((other) => other !== name);
}
