import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { throttle } from "../lib/throttle.ts";
import { useEventStream } from "./event-stream.ts";
import type { StreamState } from "./server-events.ts";

const EVERY_MS = 2000;

/** Reads what has these keys again when the server tells that something was committed. Give keys that stay the same. */
export function useFreshOnChange(keys: readonly QueryKey[]): StreamState {
  const queryClient = useQueryClient();
  const refresh = useMemo(
    () =>
      throttle(() => {
        for (const queryKey of keys) void queryClient.invalidateQueries({ queryKey });
      }, EVERY_MS),
    [queryClient, keys],
  );
  useEffect(() => () => refresh.cancel(), [refresh]);
  return useEventStream("/api/admin/overview/stream", { overview: refresh });
}
