import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type ApiRequest, call, get, path } from "./client.ts";
import type { BulkJob, Execution, ExecutionSummary, Page } from "./types.ts";

export type ExecutionsQuery = {
  readonly query: string;
  readonly freeText: string;
  readonly sort: string;
  readonly start: number;
  readonly size: number;
  readonly topLevelOnly: boolean;
};

export const executionsRequest = (query: ExecutionsQuery): ApiRequest => ({
  method: "GET",
  path: "/workflow/search",
  query: {
    query: query.query === "" ? undefined : query.query,
    freeText: query.freeText === "" ? undefined : query.freeText,
    sort: query.sort,
    start: query.start,
    size: query.size,
    topLevelOnly: query.topLevelOnly ? true : undefined,
  },
});

export const executionsKey = ["executions"] as const;

/** A page of executions. `toQuery` is asked at every look: a range of time ends now, not when the page was opened. */
export function useExecutions(key: unknown, toQuery: () => ExecutionsQuery) {
  return useQuery({
    queryKey: [...executionsKey, key],
    queryFn: ({ signal }) => call<Page<ExecutionSummary>>(executionsRequest(toQuery()), signal),
    placeholderData: keepPreviousData,
  });
}

const PALETTE_HITS = 6;
const TYPING_MS = 150;

/** Executions that have a text anywhere in what their summary shows, newest first: for the palette. */
export function useFoundExecutions(text: string): readonly ExecutionSummary[] {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useQuery({
    queryKey: ["found-executions", settled],
    enabled: settled.length > 2,
    queryFn: ({ signal }) =>
      get<Page<ExecutionSummary>>(
        "/workflow/search",
        { freeText: settled, size: PALETTE_HITS, sort: "startTime:DESC" },
        signal,
      ),
  });
  return settled === text && settled.length > 2 ? (data?.results ?? nothing) : nothing;
}

const nothing: readonly ExecutionSummary[] = [];

export const executionKey = (id: string) => ["execution", id] as const;

/** One execution, without its tasks: those come by its event stream. */
export const useExecution = (id: string) =>
  useQuery({
    queryKey: executionKey(id),
    queryFn: ({ signal }) => get<Execution>(path`/workflow/${id}`, { includeTasks: false }, signal),
  });

export const jobsKey = ["jobs"] as const;

/** Background jobs, newest first. */
export const useJobs = () =>
  useQuery({ queryKey: jobsKey, queryFn: ({ signal }) => get<readonly BulkJob[]>("/workflow/bulk/jobs", {}, signal) });
