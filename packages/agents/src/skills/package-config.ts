import { posix } from "node:path";
import type { Json, JsonObject } from "@downbeat/engine";
import { InvalidAgent } from "../invalid-agent.ts";
import type { SkillPackage } from "./read-package.ts";
import { readSkillMd } from "./skill-md.ts";

/** The rawConfig of framework `skill` that a package stands for, before models, parameters and references are added. */
export function packageConfig({ files, skillMd, agentFiles }: SkillPackage): JsonObject {
  const paths = files.map(({ path }) => path);
  return {
    skillMd,
    agentFiles,
    scripts: scriptsIn(paths),
    resourceFiles: paths.filter((path) => isResource(path)),
    defaultParams: readSkillMd(skillMd).params,
  };
}

const RESOURCE_FOLDERS = ["references/", "examples/", "assets/"];

function isResource(path: string): boolean {
  if (path.includes("/")) return RESOURCE_FOLDERS.some((folder) => path.startsWith(folder));
  return path !== "SKILL.md" && !/.-agent\.md$/.test(path);
}

const languages: ReadonlyMap<string, string> = new Map([
  [".py", "python"],
  [".sh", "bash"],
  [".bat", "batch"],
  [".cmd", "batch"],
  [".js", "node"],
  [".mjs", "node"],
  [".ts", "node"],
  [".rb", "ruby"],
  [".go", "go"],
]);

/** One tool for each file of the scripts folder itself; hidden files are no scripts. */
function scriptsIn(paths: readonly string[]): JsonObject {
  const scripts = new Map<string, Json>();
  for (const path of paths) {
    const filename = /^scripts\/([^/.][^/]*)$/.exec(path)?.[1];
    if (filename === undefined) continue;
    const extension = posix.extname(filename);
    const tool = posix.basename(filename, extension);
    if (scripts.has(tool)) throw new InvalidAgent(`Skill package contains duplicate script tool name: ${tool}`);
    scripts.set(tool, { filename, language: languages.get(extension.toLowerCase()) ?? "bash" });
  }
  return Object.fromEntries(scripts);
}
