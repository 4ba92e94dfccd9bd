import { useQuery } from "@tanstack/react-query";
import { get, path } from "./client.ts";

export type TaskDefinition = {
  readonly name: string;
  readonly description?: string;
  readonly ownerEmail?: string;
  readonly retryCount: number;
  readonly retryLogic: string;
  readonly retryDelaySeconds: number;
  readonly timeoutSeconds: number;
  readonly timeoutPolicy: string;
  readonly responseTimeoutSeconds: number;
  readonly concurrentExecLimit?: number;
  readonly rateLimitPerFrequency?: number;
  readonly updateTime?: number;
  readonly createTime?: number;
};

export const taskDefinitionsKey = ["task-definitions"] as const;

/** All task definitions, by name. */
export const useTaskDefinitions = () =>
  useQuery({
    queryKey: taskDefinitionsKey,
    queryFn: ({ signal }) => get<readonly TaskDefinition[]>("/metadata/taskdefs", {}, signal),
  });

export const useTaskDefinition = (name: string) =>
  useQuery({
    queryKey: [...taskDefinitionsKey, name],
    queryFn: ({ signal }) => get<TaskDefinition>(path`/metadata/taskdefs/${name}`, {}, signal),
  });
