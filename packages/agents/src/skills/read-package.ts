import { createHash } from "node:crypto";
import { InvalidAgent } from "../invalid-agent.ts";
import { contentTypeOf, isBinaryFile } from "./content-type.ts";
import { packagePath } from "./package-path.ts";
import { oversized, type PackageLimits, type ZipEntry, zipEntries } from "./zip-entries.ts";

export type PackageFile = {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly contentType: string;
};

/** What a skill package holds: the list of its files, and the texts an agent is made of. */
export type SkillPackage = {
  readonly files: readonly PackageFile[];
  readonly skillMd: string;
  /** Instructions of the sub-agents, by the agent's name. */
  readonly agentFiles: { readonly [agent: string]: string };
};

const AGENT_FILE = /^([^/]+)-agent\.md$/;

/** Reads a package, a zip with SKILL.md at its root. Only the texts stay in memory. Throws InvalidAgent. */
export async function readSkillPackage(bytes: Buffer, limits: PackageLimits): Promise<SkillPackage> {
  const files: PackageFile[] = [];
  const agents: [string, string][] = [];
  let skillMd: string | undefined;
  for await (const entry of zipEntries(bytes, limits)) {
    const agent = AGENT_FILE.exec(entry.path)?.[1];
    const isText = entry.path === "SKILL.md" || agent !== undefined;
    const { file, content } = await readFile(entry, isText ? limits.previewBytes : "none");
    files.push(file);
    if (entry.path === "SKILL.md") skillMd = decode(entry.path, content);
    else if (agent !== undefined) agents.push([agent, decode(entry.path, content)]);
  }
  if (skillMd === undefined) throw new InvalidAgent("Skill package is missing SKILL.md");
  return {
    files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    skillMd,
    agentFiles: Object.fromEntries(agents.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

export type PreviewFile = {
  readonly path: string;
  readonly contentType: string;
  readonly size: number;
} & ({ readonly binary: false; readonly content: string } | { readonly binary: true; readonly contentBase64: string });

/** One file of a package, to look at. Undefined when the package has no such file; throws InvalidAgent. */
export async function previewPackageFile(
  bytes: Buffer,
  path: string,
  limits: PackageLimits,
): Promise<PreviewFile | undefined> {
  if (path.trim() === "") throw new InvalidAgent("File path is required");
  const wanted = packagePath(path);
  for await (const entry of zipEntries(bytes, limits)) {
    if (entry.path !== wanted) continue;
    const content = await readUpTo(entry, limits.previewBytes);
    if (content === undefined) throw new InvalidAgent(`Skill file is too large to preview: ${wanted}`);
    const about = { path: wanted, contentType: contentTypeOf(wanted), size: content.length };
    return isBinaryFile(wanted, content)
      ? { ...about, binary: true, contentBase64: content.toString("base64") }
      : { ...about, binary: false, content: content.toString("utf8") };
  }
  return undefined;
}

async function readUpTo(entry: ZipEntry, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of entry.read()) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type ReadFile = { readonly file: PackageFile; readonly content: Buffer };

/** What the list says of a file; its content too, up to so many bytes. */
async function readFile(entry: ZipEntry, keep: number | "none"): Promise<ReadFile> {
  const hash = createHash("sha256");
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of entry.read()) {
    hash.update(chunk);
    size += chunk.length;
    if (keep === "none") continue;
    if (size > keep) throw oversized(entry.path);
    chunks.push(chunk);
  }
  const file = { path: entry.path, size, sha256: hash.digest("hex"), contentType: contentTypeOf(entry.path) };
  return { file, content: Buffer.concat(chunks) };
}

function decode(path: string, content: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch (error) {
    throw new InvalidAgent(`Skill file must be UTF-8 text: ${path}`, { cause: error });
  }
}
