import { useQuery } from "@tanstack/react-query";
import { get } from "./client.ts";

/** Names of all workflow definitions, sorted. */
export function useDefinitionNames(): readonly string[] {
  const { data } = useQuery({
    queryKey: ["definition-names"],
    queryFn: ({ signal }) =>
      get<Readonly<Record<string, unknown>>>("/metadata/workflow/names-and-versions", {}, signal),
    select: (byName) => Object.keys(byName).sort(),
    staleTime: 60_000,
  });
  return data ?? nothing;
}

const nothing: readonly string[] = [];
