import { isJsonObject, type Json, type JsonObject, ownMember } from "@downbeat/engine";
import { parse } from "yaml";
import { InvalidAgent } from "../invalid-agent.ts";

/** What a SKILL.md says: its front matter and the instructions below it. */
export type SkillMd = {
  readonly name: string;
  readonly description?: string;
  readonly metadata?: JsonObject;
  /** The parameters with their defaults. */
  readonly params: JsonObject;
  readonly body: string;
};

/** Reads a SKILL.md. Throws InvalidAgent. */
export function readSkillMd(text: string): SkillMd {
  const { front, body } = splitFrontMatter(text);
  const matter = parseFrontMatter(front);
  const description = scalarText(ownMember(matter, "description"));
  const metadata = ownMember(matter, "metadata");
  return {
    name: skillName(matter),
    ...(description === undefined ? {} : { description }),
    ...(isJsonObject(metadata) && Object.keys(metadata).length > 0 ? { metadata } : {}),
    params: defaultsOf(ownMember(matter, "params")),
    body: body.trim(),
  };
}

/** Front matter is what stands between the first line, `---`, and the next such line. */
function splitFrontMatter(text: string): { readonly front: string; readonly body: string } {
  const lines = text
    .replace(/^\uFEFF/, "")
    .trimStart()
    .split(/\r?\n/);
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (lines[0]?.trimEnd() !== "---" || end === -1) {
    throw new InvalidAgent("SKILL.md is missing required YAML frontmatter");
  }
  return { front: lines.slice(1, end).join("\n"), body: lines.slice(end + 1).join("\n") };
}

function parseFrontMatter(front: string): JsonObject {
  let matter: unknown;
  try {
    // By way of JSON, so that what YAML knows and JSON does not is gone.
    matter = JSON.parse(JSON.stringify(parse(front) ?? null));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidAgent(`Invalid SKILL.md frontmatter: ${reason}`, { cause: error });
  }
  if (!isJsonObject(matter)) throw new InvalidAgent("SKILL.md frontmatter must be a mapping");
  return matter;
}

const SKILL_NAME = /^[A-Za-z0-9._-]{1,128}$/;

function skillName(matter: JsonObject): string {
  const name = scalarText(ownMember(matter, "name"));
  if (name === undefined) throw new InvalidAgent("Missing required field: name");
  if (SKILL_NAME.test(name)) return name;
  throw new InvalidAgent(`Invalid skill name '${name}'. Use 1-128 characters: letters, numbers, '.', '_' or '-'.`);
}

/** A parameter is its default, or an object that holds the default among other things. */
function defaultsOf(params: Json | undefined): JsonObject {
  if (!isJsonObject(params)) return {};
  const defaults = Object.entries(params).flatMap(([name, param]): [string, Json][] => {
    if (!isJsonObject(param)) return [[name, param]];
    const value = ownMember(param, "default");
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(defaults);
}

function scalarText(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
