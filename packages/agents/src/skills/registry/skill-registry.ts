import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject, ownMember } from "@downbeat/engine";
import { notFound, type Runtime } from "@downbeat/server";
import { findObject, findText, withoutUndefined } from "../../frameworks/raw.ts";
import { InvalidAgent } from "../../invalid-agent.ts";
import { referencedSkills } from "../cross-references.ts";
import { packageConfig } from "../package-config.ts";
import { type PreviewFile, previewPackageFile, readSkillPackage } from "../read-package.ts";
import { readSkillMd } from "../skill-md.ts";
import type { PackageLimits } from "../zip-entries.ts";
import { readManifest } from "./manifest.ts";
import { PackageStore } from "./package-store.ts";
import type { SkillRecord } from "./skill-record.ts";

const COLLECTION = "skills";
/** Whoever watches what is stored hears of it by this name. */
const TOPIC = "skill";
const PAGE = 100;
/** A version is also named by the beginning of its checksum, no shorter than this. */
const LEAST_PREFIX = 6;

/** Registered skills. Every version stays as it is until it is removed. */
export class SkillRegistry {
  readonly #runtime: Runtime;
  readonly #packages: PackageStore;
  readonly limits: PackageLimits;

  constructor(runtime: Runtime) {
    const { config } = runtime;
    this.#runtime = runtime;
    this.#packages = new PackageStore(runtime);
    this.limits = {
      packageBytes: config["service.skills.max-package-bytes"],
      previewBytes: config["service.skills.max-preview-bytes"],
      uncompressedBytes: config["service.skills.max-uncompressed-bytes"],
      fileCount: config["service.skills.max-file-count"],
    };
  }

  /** Resolves when the package and what is known of it are on disk. Throws InvalidAgent. */
  async register(manifestText: string, bytes: Buffer): Promise<SkillRecord> {
    const manifest = readManifest(manifestText);
    const content = await readSkillPackage(bytes, this.limits);
    const { name, description, metadata } = readSkillMd(content.skillMd);
    if (manifest.name !== undefined && manifest.name !== name) {
      throw new InvalidAgent(`Skill manifest name '${manifest.name}' does not match package SKILL.md name '${name}'`);
    }
    const checksum = createHash("sha256").update(bytes).digest("hex");
    const version = manifest.version ?? checksum.slice(0, 12);
    const known = await this.#load(name, version);
    if (known !== undefined) return sameOrThrow(known, checksum);
    const now = this.#runtime.clock();
    const record: SkillRecord = {
      name,
      version,
      ...withoutUndefined({ description: manifest.description ?? description }),
      checksum,
      createdAt: now,
      updatedAt: now,
      packageSize: bytes.length,
      files: content.files,
      metadata: { ...metadata, ...manifest.metadata },
      rawConfig: {
        agentModels: {},
        ...manifest.models,
        ...packageConfig(content),
        crossSkillRefs: {},
        crossSkillRefsPinned: await this.#pin(content.skillMd),
        params: {},
      },
    };
    await this.#packages.write(keyOf(record), bytes);
    const document = { collection: COLLECTION, id: idOf(name, version), body: JSON.stringify(record), mustBeNew: true };
    const { kind } = await this.#runtime.store.commit({ kind: "put-documents", documents: [document] });
    // Another was faster.
    if (kind !== "done") return sameOrThrow(await this.find(name, version), checksum);
    await this.#runtime.peers.changed(TOPIC, name);
    return record;
  }

  /** By name and version; of each name the latest, or all. */
  async list(allVersions: boolean): Promise<readonly SkillRecord[]> {
    const all = await this.#all("");
    const latest = new Map<string, SkillRecord>();
    for (const record of all) latest.set(record.name, later(latest.get(record.name), record));
    return allVersions ? all : [...latest.values()];
  }

  /** A version by its name, `latest`, or the beginning of its checksum. Throws a 404. */
  async find(name: string, version = "latest"): Promise<SkillRecord> {
    const exact = version === "latest" ? undefined : await this.#load(name, version);
    if (exact !== undefined) return exact;
    const all = (await this.#all(`${name}/`)).filter((record) => record.name === name);
    const fits = ({ checksum }: SkillRecord) => version.length >= LEAST_PREFIX && checksum.startsWith(version);
    const found = (version === "latest" ? all : all.filter(fits)).reduce<SkillRecord | undefined>(later, undefined);
    if (found === undefined) throw notFound(`Skill not found: ${name}${version === "latest" ? "" : `@${version}`}`);
    return found;
  }

  bytesOf(record: SkillRecord): Promise<Buffer> {
    return this.#packages.read(keyOf(record), record.packageSize);
  }

  async preview(record: SkillRecord, path: string): Promise<PreviewFile> {
    const found = await previewPackageFile(await this.bytesOf(record), path, this.limits);
    if (found === undefined) throw notFound(`Skill file not found: ${path}`);
    return found;
  }

  async remove({ name, version, ...record }: SkillRecord): Promise<void> {
    const ids = [idOf(name, version)];
    await this.#runtime.store.commit({ kind: "delete-documents", collection: COLLECTION, ids });
    await this.#packages.remove(keyOf({ name, version, ...record }), record.packageSize);
    await this.#runtime.peers.changed(TOPIC, name);
  }

  /** The rawConfig a reference stands for, with the skills it refers to inside. Throws InvalidAgent, or a 404. */
  async rawConfig(ref: JsonObject, outer: readonly string[] = []): Promise<JsonObject> {
    const name = findText(ref, "name");
    if (name === undefined) throw new InvalidAgent("skillRef.name is required");
    const record = await this.find(name, findText(ref, "version"));
    const place = `${record.name}@${record.version}`;
    if (outer.includes(place)) throw new InvalidAgent(`Circular skill reference detected: ${place}`);
    const raw = record.rawConfig;
    const others: [string, JsonObject][] = [];
    for (const [other, version] of Object.entries(findObject(raw, "crossSkillRefsPinned") ?? {})) {
      others.push([other, await this.rawConfig({ name: other, version }, [...outer, place])]);
    }
    return {
      ...raw,
      ...withoutUndefined({ model: findText(ref, "model"), workspace: ownMember(ref, "workspace") }),
      agentModels: { ...findObject(raw, "agentModels"), ...findObject(ref, "agentModels") },
      crossSkillRefs: Object.fromEntries(others),
      params: { ...findObject(raw, "params"), ...findObject(ref, "params") },
    };
  }

  /** The skills a text refers to that there are, each in the version it has now. */
  async #pin(skillMd: string): Promise<JsonObject> {
    const pinned: [string, string][] = [];
    for (const name of referencedSkills(skillMd)) {
      const versions = (await this.#all(`${name}/`)).filter((record) => record.name === name);
      const latest = versions.reduce<SkillRecord | undefined>(later, undefined);
      if (latest !== undefined) pinned.push([name, latest.version]);
    }
    return Object.fromEntries(pinned);
  }

  async #load(name: string, version: string): Promise<SkillRecord | undefined> {
    const body = await this.#runtime.store.documents.find(COLLECTION, idOf(name, version));
    return body === undefined ? undefined : readRecord(body);
  }

  /** All of those whose ids begin so. */
  async #all(prefix: string): Promise<SkillRecord[]> {
    const found: SkillRecord[] = [];
    let from = prefix;
    for (;;) {
      const page = await this.#runtime.store.documents.list(COLLECTION, { start: 0, limit: PAGE, from });
      const own = page.filter(({ id }) => id.startsWith(prefix));
      found.push(...own.map(({ body }) => readRecord(body)));
      const last = own.at(-1);
      if (last === undefined || own.length < PAGE) return found;
      // The next one after it.
      from = `${last.id} `;
    }
  }
}

const idOf = (name: string, version: string): string => `${name}/${version}`;
const keyOf = ({ name, version, checksum }: SkillRecord): string => `${name}/${version}/${checksum}`;

function readRecord(body: string): SkillRecord {
  const record: unknown = JSON.parse(body);
  if (!isJsonObject(record)) throw new Error("Expected a stored skill to be an object");
  return record as unknown as SkillRecord;
}

function later(one: SkillRecord | undefined, other: SkillRecord): SkillRecord {
  if (one === undefined || other.createdAt !== one.createdAt) {
    return one === undefined || other.createdAt > one.createdAt ? other : one;
  }
  return other.version > one.version ? other : one;
}

function sameOrThrow(known: SkillRecord, checksum: string): SkillRecord {
  if (known.checksum === checksum) return known;
  throw new InvalidAgent(`Skill ${known.name} version ${known.version} already exists with a different checksum`);
}
