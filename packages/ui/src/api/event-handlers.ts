import { useQuery } from "@tanstack/react-query";
import { get, path } from "./client.ts";
import type { Json, JsonObject, Page } from "./types.ts";

export type EventHandler = {
  readonly name: string;
  readonly event: string;
  readonly condition?: string;
  readonly active: boolean;
  readonly actions: readonly EventAction[];
};

export type EventAction = { readonly action: string; readonly start_workflow?: JsonObject };

export type EventExecution = {
  readonly id: string;
  readonly messageId: string;
  readonly name: string;
  readonly event: string;
  readonly created: number;
  readonly status: string;
  readonly action: string | null;
  readonly output: JsonObject;
  readonly statusDescription?: string;
  readonly payload?: Json;
};

export type DeadLetter = {
  readonly id: string;
  readonly event: string;
  readonly messageId: string;
  readonly created: number;
  readonly reason: string;
  readonly payload: Json;
};

type HandledEvents = {
  readonly name: string;
  readonly numberOfMessages: number;
  readonly numberOfActions: number;
};

export type DryRun = {
  readonly handlers: readonly {
    readonly name: string;
    readonly active: boolean;
    readonly isMet: boolean;
    readonly error?: string;
    readonly actions: readonly { readonly action: string; readonly would?: JsonObject; readonly error?: string }[];
  }[];
};

export const eventHandlersKey = ["event-handlers"] as const;
export const eventRecordsKey = ["event-records"] as const;

/** All event handlers, oldest first. */
export const useEventHandlers = () =>
  useQuery({
    queryKey: eventHandlersKey,
    queryFn: ({ signal }) => get<readonly EventHandler[]>("/event", {}, signal),
  });

export const useEventHandler = (name: string) =>
  useQuery({
    queryKey: [...eventHandlersKey, name],
    queryFn: ({ signal }) => get<EventHandler>(path`/event/handler/${name}`, {}, signal),
  });

// A message that starts and ends nothing is no news of an execution, and no stream tells of it: then it is seen when the
// reader comes back to the page.
const asOfNow = { refetchOnWindowFocus: true } as const;

/** How many messages each handler had, and how much it did. */
export const useHandledEvents = () =>
  useQuery({
    ...asOfNow,
    queryKey: [...eventRecordsKey, "counts"],
    queryFn: ({ signal }) => get<Page<HandledEvents>>("/event/message", {}, signal),
    select: ({ results }) => new Map(results.map((one) => [one.name, one])),
  });

const MOST_RECORDS = 200;

/** What a handler did, newest first. */
export const useEventExecutions = (handler: string) =>
  useQuery({
    ...asOfNow,
    queryKey: [...eventRecordsKey, "of", handler],
    queryFn: ({ signal }) =>
      get<readonly EventExecution[]>(path`/event/execution/${handler}`, { size: MOST_RECORDS }, signal),
  });

/** Messages that could not be handled, newest first. */
export const useDeadLetters = () =>
  useQuery({
    ...asOfNow,
    queryKey: [...eventRecordsKey, "dead"],
    queryFn: ({ signal }) => get<Page<DeadLetter>>("/event/dead-letter", { size: MOST_RECORDS }, signal),
  });
