import { useQuery } from "@tanstack/react-query";
import { call, get, path } from "./client.ts";
import type { JsonObject, WorkflowDefinition } from "./types.ts";

type DefinitionSummary = {
  readonly name: string;
  readonly version: number;
  readonly createTime?: number;
  readonly updateTime?: number;
};

/** A definition with the parts that only its own pages read. */
export type FullDefinition = WorkflowDefinition & {
  readonly inputTemplate?: JsonObject;
  readonly inputSchema?: { readonly data?: JsonObject };
};

/** The latest of a definition, and how many versions there are. */
export type DefinitionRow = { readonly definition: WorkflowDefinition; readonly versions: number };

/** Everything that changes when a definition is saved or removed. */
export const definitionsKey = ["definitions"] as const;

const summariesQuery = {
  queryKey: [...definitionsKey, "names"],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    get<Readonly<Record<string, readonly DefinitionSummary[]>>>("/metadata/workflow/names-and-versions", {}, signal),
  staleTime: 60_000,
};

/** Names of all workflow definitions, sorted. */
export function useDefinitionNames(): readonly string[] {
  const { data } = useQuery({ ...summariesQuery, select: (byName) => Object.keys(byName).sort() });
  return data ?? noNames;
}

const noNames: readonly string[] = [];

/** The versions of a definition, ascending. */
export function useVersions(name: string): readonly number[] {
  const { data } = useQuery({
    ...summariesQuery,
    select: (byName) => (Object.hasOwn(byName, name) ? (byName[name] ?? []) : []).map(({ version }) => version),
  });
  return data ?? noVersions;
}

const noVersions: readonly number[] = [];

const latestQuery = {
  queryKey: [...definitionsKey, "latest"],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    get<readonly WorkflowDefinition[]>("/metadata/workflow/latest-versions", {}, signal),
};

/** Every definition, latest versions, by name. */
export const useLatestDefinitions = () => useQuery(latestQuery);

/** Every definition with its number of versions, by name. */
export function useDefinitionRows() {
  const latest = useLatestDefinitions();
  const { data: counts } = useQuery(summariesQuery);
  const rows = latest.data?.map((definition): DefinitionRow => {
    const versions = counts !== undefined && Object.hasOwn(counts, definition.name) ? counts[definition.name] : [];
    return { definition, versions: versions?.length ?? 0 };
  });
  return { rows, error: latest.error, refetch: latest.refetch };
}

/** One definition; the latest version when none is given. */
export const useDefinition = (name: string, version: number | undefined) =>
  useQuery({
    queryKey: [...definitionsKey, "one", name, version ?? "latest"],
    queryFn: ({ signal }) => get<FullDefinition>(path`/metadata/workflow/${name}`, { version }, signal),
  });

/** Refused with what is wrong, and where. */
export const checkDefinition = (definition: unknown) =>
  call({ method: "POST", path: "/metadata/workflow/validate", body: definition });
