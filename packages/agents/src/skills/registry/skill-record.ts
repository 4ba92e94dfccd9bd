import type { JsonObject } from "@downbeat/engine";
import type { PackageFile } from "../read-package.ts";

/** A registered version of a skill, as it is stored. */
export type SkillRecord = {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  /** SHA-256 of the package. */
  readonly checksum: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly packageSize: number;
  readonly files: readonly PackageFile[];
  readonly metadata: JsonObject;
  readonly rawConfig: JsonObject;
};

const count = (value: unknown): number => Object.keys((value ?? {}) as object).length;

/** SkillSummary. */
export const summaryOfSkill = ({ files, metadata: _, rawConfig, ...record }: SkillRecord): object => ({
  ...record,
  status: "READY",
  fileCount: files.length,
  scriptCount: count(rawConfig["scripts"]),
  subAgentCount: count(rawConfig["agentFiles"]),
  resourceCount: count(rawConfig["resourceFiles"]),
});

/** SkillDetail. */
export const detailOfSkill = (record: SkillRecord): object => ({
  ...record,
  status: "READY",
  packageFileHandleId: `skill:${record.name}:${record.version}`,
  storageType: "database",
  fileCount: record.files.length,
});
