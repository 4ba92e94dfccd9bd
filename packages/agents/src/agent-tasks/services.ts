import { isJsonObject, type JsonObject, referenceTaskName } from "@downbeat/engine";
import type { GuardedFetch, OutsideCall, Runtime } from "@downbeat/server";
import type { Starts } from "../run/starts.ts";

/** What tasks on agents use. */
export type AgentTaskServices = {
  readonly runtime: Runtime;
  readonly starts: Starts;
  /** The way out to remote agents. */
  readonly fetch: GuardedFetch["fetch"];
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
