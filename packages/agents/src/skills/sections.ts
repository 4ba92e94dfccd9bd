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

/** The second-level headings, and the text before the first. Lines inside a fence are code, whatever they begin with. */
function findHeadings(body: string): { readonly preamble: string; readonly headings: readonly string[] } {
  const preamble: string[] = [];
  const headings: string[] = [];
  let isCode = false;
  for (const line of body.split("\n")) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : /^## +(.*)$/.exec(line)?.[1]?.trim();
    if (heading) headings.push(heading);
    if (headings.length === 0) preamble.push(line);
  }
  return { preamble: preamble.join("\n"), headings };
}

function nameSections(headings: readonly string[]): readonly Section[] {
  const taken = new Set<string>();
  return headings.map((heading) => {
    const base = slugOf(heading);
    let slug = base;
    for (let count = 2; taken.has(slug); count++) slug = `${base}-${count}`;
    taken.add(slug);
    return { slug, heading };
  });
}

function slugOf(heading: string): string {
  const slug = heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return slug === "" ? "section" : slug;
}
