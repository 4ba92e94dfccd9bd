import type { SkillMd } from "./skill-md.ts";

/** Instructions above this many characters are given in sections, which the agent reads when it needs them. */
const WHOLE_BODY_CHARACTERS = 50_000;

export type Section = { readonly slug: string; readonly heading: string };

/** What the agent is told at once, and the sections of the rest. */
export function splitBody({ body, description }: SkillMd): {
  readonly instructions: string;
  readonly sections: readonly Section[];
} {
  if (body.length <= WHOLE_BODY_CHARACTERS) return { instructions: body, sections: [] };
  const { preamble, headings } = findHeadings(body);
  if (headings.length === 0) return { instructions: body, sections: [] };
  const sections = nameSections(headings);
  const list = sections.map(({ slug, heading }) => `- skill_section:${slug} — ${heading}`);
  const note =
    "The rest of these instructions is kept in sections. Before you act on a subject, read its section with the " +
    "read_skill_file tool:";
  const parts = [description, preamble.trim(), [note, ...list].join("\n")];
  return { instructions: parts.filter((part) => part !== undefined && part !== "").join("\n\n"), sections };
}

/**
 * The second-level headings, and the text before the first. Also those inside a fence: the SDK that serves the sections
 * cuts there, and what it cuts off must be on the list.
 */
function findHeadings(body: string): { readonly preamble: string; readonly headings: readonly string[] } {
  const lines = body.split("\n");
  const first = lines.findIndex((line) => line.startsWith("## "));
  return {
    preamble: lines.slice(0, first === -1 ? undefined : first).join("\n"),
    headings: lines.filter((line) => line.startsWith("## ")).map((line) => line.slice(3).trim()),
  };
}

/** One for each slug: of two sections with the same the SDK serves one. A heading without a slug has no section. */
function nameSections(headings: readonly string[]): readonly Section[] {
  const bySlug = new Map(headings.map((heading) => [slugOf(heading), { slug: slugOf(heading), heading }]));
  bySlug.delete("");
  return [...bySlug.values()];
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9\s-]/g, "")
    .trim()
    .replace(/[\s-]+/g, "-")
    .replace(/^-|-$/g, "");
}
