import { isJsonObject, type JsonObject, referenceTaskName, type TaskResult, type TaskType } from "@downbeat/engine";
import type { GuardedFetch, OutsideCall, Runtime } from "@downbeat/server";
import type { Starts } from "../run/starts.ts";

/** What tasks on agents use. */
export type AgentTaskServices = {
  readonly runtime: Runtime;
  readonly starts: Starts;
  /** The way out to remote agents. */
  readonly fetch: GuardedFetch["fetch"];
};

/** One task type on agents: a file of its own, listed in `executors.ts`. What `run` throws becomes the task's failure. */
export type AgentTask = {
  readonly type: string;
  /** How often it is tried again by default. */
  readonly taskDef?: TaskType["taskDef"];
  readonly run: (call: OutsideCall, services: AgentTaskServices) => Promise<TaskResult>;
};

/** What the task has told of so far: where a run that goes on begins. */
export async function outputSoFar({ runtime }: AgentTaskServices, { head, task }: OutsideCall): Promise<JsonObject> {
  const raw = await runtime.store.executions.payload(head.id, task.no, "output");
  const { value } = await runtime.payloads.whole(raw);
  return isJsonObject(value) ? value : {};
}

/** The same for every attempt at a task, so that whoever is asked twice knows it. */
export const callKey = ({ head, task }: OutsideCall): string =>
  `${head.id}:${referenceTaskName(task)}:${task.iteration}`;
