import { useQuery } from "@tanstack/react-query";
import { type ApiRequest, get, path } from "./client.ts";
import type { JsonObject } from "./types.ts";

type SkillFields = {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  /** SHA-256 of the package. */
  readonly checksum: string;
  readonly createdAt: number;
  readonly packageSize: number;
  readonly fileCount: number;
};

/** A registered version of a skill. */
export type SkillSummary = SkillFields & {
  readonly scriptCount: number;
  readonly subAgentCount: number;
  readonly resourceCount: number;
};

type SkillFile = { readonly path: string; readonly size: number; readonly contentType: string };

export type SkillDetail = SkillFields & {
  readonly files: readonly SkillFile[];
  /** What an agent is made of. */
  readonly rawConfig: JsonObject;
};

type FileContent = {
  readonly path: string;
  readonly contentType: string;
  readonly size: number;
  /** Absent where the file is no text. */
  readonly content?: string;
  readonly contentBase64?: string;
};

export const skillsKey = ["skills"] as const;

/** All versions of all registered skills, by name and version. Refused with 404 while the registry is off. */
export const useSkillVersions = () =>
  useQuery({
    queryKey: [...skillsKey, "all"],
    queryFn: ({ signal }) => get<readonly SkillSummary[]>("/skills", { allVersions: true }, signal),
    retry: false,
  });

/** All there is of a version. Versions never change: what was read stays true. */
export const useSkill = ({ name, version, checksum }: SkillSummary) =>
  useQuery({
    queryKey: ["skill", name, version, checksum],
    queryFn: ({ signal }) => get<SkillDetail>(path`/skills/${name}/versions/${version}`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** A file of a version. */
export const useSkillFile = ({ name, version, checksum }: SkillDetail, file: string) =>
  useQuery({
    queryKey: ["skill-file", checksum, file],
    queryFn: ({ signal }) => get<FileContent>(path`/skills/${name}/versions/${version}/files`, { path: file }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** Versions of skills as the server orders them: the one that was registered last is the latest. */
export const newestFirst = (versions: readonly SkillSummary[]): readonly SkillSummary[] =>
  versions.toSorted((a, b) => b.createdAt - a.createdAt || (a.version < b.version ? 1 : -1));

/** A version by its name, or by the beginning of its checksum as the server takes it; the first when none is given. */
export const findVersion = (versions: readonly SkillSummary[], wanted: string | undefined): SkillSummary | undefined =>
  wanted === undefined
    ? versions[0]
    : (versions.find(({ version }) => version === wanted) ??
      versions.find(({ checksum }) => wanted.length >= 6 && checksum.startsWith(wanted)));

export const registerSkill = (manifest: object, zip: File): ApiRequest => ({
  method: "POST",
  path: "/skills/register",
  form: { manifest: JSON.stringify(manifest), package: zip },
});

export const deploySkill = (name: string, version: string, model: string): ApiRequest => ({
  method: "POST",
  path: path`/skills/${name}/versions/${version}/deploy`,
  body: model === "" ? {} : { model },
});

export const deleteSkill = (name: string, version: string): ApiRequest => ({
  method: "DELETE",
  path: path`/skills/${name}/versions/${version}`,
});

/** Where the package of a version is had from. */
export const packageOf = (name: string, version: string): string =>
  path`/api/skills/${name}/versions/${version}/package`;
