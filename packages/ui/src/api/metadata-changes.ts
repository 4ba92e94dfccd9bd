import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { throttle } from "../lib/throttle.ts";
import { useEventStream } from "./event-stream.ts";
import type { StreamState } from "./server-events.ts";

/** What the server tells of when somebody stores or removes one. */
type MetadataKind = "workflowDef" | "taskDef" | "schedule" | "eventHandler" | "secret" | "skill";

const EVERY_MS = 500;

/** Reads what has this key again when anybody changed something of this kind. Give a key that stays the same. */
export function useFreshOnMetadata(kind: MetadataKind, queryKey: QueryKey): StreamState {
  return useFreshOnKinds(useMemo(() => ({ [kind]: queryKey }), [kind, queryKey]));
}

/** The same for pages that show several kinds, on one stream. Give an object that stays the same. */
export function useFreshOnKinds(keys: Readonly<Partial<Record<MetadataKind, QueryKey>>>): StreamState {
  const queryClient = useQueryClient();
  const refresh = useMemo(
    () =>
      throttle(() => {
        for (const queryKey of Object.values(keys)) void queryClient.invalidateQueries({ queryKey });
      }, EVERY_MS),
    [queryClient, keys],
  );
  useEffect(() => () => refresh.cancel(), [refresh]);
  const state = useEventStream("/api/admin/metadata/stream", {
    metadata: (data) => {
      if (Object.hasOwn(keys, (data as { readonly kind: string }).kind)) refresh();
    },
  });
  // Nothing is repeated for those who come back: what was changed meanwhile is looked for.
  const wasLive = useRef(false);
  useEffect(() => {
    if (state !== "live") return;
    if (wasLive.current) refresh();
    wasLive.current = true;
  }, [state, refresh]);
  return state;
}
