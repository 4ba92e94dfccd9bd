import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { get, path } from "./client.ts";
import type { PollData, Task, TaskLog, TaskState } from "./types.ts";

/** A whole task. `version` changes when the task did. */
export const useTask = (taskId: string, version: string, isWanted = true) =>
  useQuery({
    queryKey: ["task", taskId, version],
    enabled: isWanted,
    queryFn: ({ signal }) => get<Task>(path`/tasks/${taskId}`, {}, signal),
    placeholderData: (before) => (before?.taskId === taskId ? before : undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What a task's worker wrote, oldest first: read again whenever the event stream tells of the task. */
export function useTaskLogs(taskId: string, told: TaskState | undefined) {
  const queryClient = useQueryClient();
  const heard = useRef(told);
  useEffect(() => {
    if (heard.current === told) return;
    heard.current = told;
    void queryClient.invalidateQueries({ queryKey: ["task-logs", taskId] });
  }, [told, taskId, queryClient]);
  return useQuery({
    queryKey: ["task-logs", taskId],
    queryFn: async ({ signal }) =>
      (await get<readonly TaskLog[] | undefined>(path`/tasks/${taskId}/log`, {}, signal)) ?? [],
  });
}

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
