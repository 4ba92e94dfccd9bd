import { useQuery } from "@tanstack/react-query";
import { forEachEntry } from "../graph/progress.ts";
import { get } from "./client.ts";
import { useLatestDefinitions } from "./definitions.ts";
import { useEventHandlers } from "./event-handlers.ts";
import { schedulesKey } from "./schedules.ts";
import type { TaskEntry, WorkflowDefinition } from "./types.ts";

/** Something that uses a definition: `how` says by what. */
export type Use = { readonly name: string; readonly how: string };

export type Usage = {
  readonly definitions: readonly Use[];
  readonly schedules: readonly Use[];
  readonly handlers: readonly Use[];
};

/** Who starts a workflow: definitions (in their latest version), schedules, event handlers. */
export function useWorkflowUsage(name: string): Usage | undefined {
  const { data: definitions } = useLatestDefinitions();
  const { data: handlers } = useEventHandlers();
  const { data: schedules } = useQuery({
    queryKey: [...schedulesKey, "of", name],
    queryFn: ({ signal }) =>
      get<readonly { readonly name: string; readonly cronExpression?: string }[]>(
        "/scheduler/schedules",
        { workflowName: name },
        signal,
      ),
  });
  if (definitions === undefined) return undefined;
  return {
    definitions: definitions.flatMap((definition) => callsIn(definition, name)),
    schedules: (schedules ?? []).map((schedule) => ({ name: schedule.name, how: schedule.cronExpression ?? "" })),
    handlers: (handlers ?? [])
      .filter(({ actions }) => actions.some(({ start_workflow }) => start_workflow?.["name"] === name))
      .map((handler) => ({ name: handler.name, how: handler.event })),
  };
}

/** Definitions (in their latest version) that have tasks of a task definition. */
export function useTaskUsage(name: string): readonly Use[] | undefined {
  const { data: definitions } = useLatestDefinitions();
  return definitions?.flatMap((definition) => {
    const refs: string[] = [];
    forEachEntry(definition.tasks, (entry) => {
      if (entry.name === name) refs.push(entry.taskReferenceName);
    });
    return refs.length === 0 ? [] : [{ name: definition.name, how: refs.join(", ") }];
  });
}

function callsIn(definition: WorkflowDefinition, name: string): readonly Use[] {
  const refs: string[] = [];
  forEachEntry(definition.tasks, (entry) => {
    if (startedBy(entry) === name) refs.push(entry.taskReferenceName);
  });
  const uses: Use[] = refs.map((ref) => ({ name: definition.name, how: `task ${ref}` }));
  if (definition.failureWorkflow === name) uses.push({ name: definition.name, how: "failure workflow" });
  return uses;
}

function startedBy({ type, subWorkflowParam, inputParameters }: TaskEntry): unknown {
  if (type === "SUB_WORKFLOW") return subWorkflowParam?.name;
  const start = inputParameters?.["startWorkflow"];
  return type === "START_WORKFLOW" && typeof start === "object" && start !== null && "name" in start
    ? start.name
    : undefined;
}
