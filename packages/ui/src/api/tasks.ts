import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get, path } from "./client.ts";
import type { PollData, Task, TaskLog } from "./types.ts";

/** A whole task. `version` changes when the task did. */
export const useTask = (taskId: string, version: string, isWanted = true) =>
  useQuery({
    queryKey: ["task", taskId, version],
    enabled: isWanted,
    queryFn: ({ signal }) => get<Task>(path`/tasks/${taskId}`, {}, signal),
    placeholderData: (before) => (before?.taskId === taskId ? before : undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What a task's worker wrote, oldest first. */
export const useTaskLogs = (taskId: string, version: string) =>
  useQuery({
    queryKey: ["task-logs", taskId, version],
    queryFn: async ({ signal }) =>
      (await get<readonly TaskLog[] | undefined>(path`/tasks/${taskId}/log`, {}, signal)) ?? [],
    placeholderData: keepPreviousData,
  });

/** Who asks for tasks of a type, and how many wait. */
export const useQueueOf = (taskType: string, isWanted: boolean) =>
  useQuery({
    queryKey: ["queue", taskType],
    enabled: isWanted,
    queryFn: async ({ signal }) => {
      const [polls, size] = await Promise.all([
        get<readonly PollData[]>("/tasks/queue/polldata", { taskType }, signal),
        get<number>("/tasks/queue/size", { taskType }, signal),
      ]);
      return { polls, size };
    },
  });
