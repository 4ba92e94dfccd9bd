import { isJsonObject, type Task } from "@downbeat/engine";
import { type Committed, fillSecrets } from "@downbeat/server";
import { agent } from "./agent.ts";
import { textOfError } from "./failure.ts";
import { readHeaders } from "./input.ts";
import { RemoteAgent } from "./remote-agent.ts";
import type { AgentTaskServices } from "./services.ts";

const CANCEL_MS = 30_000;

/**
 * An AGENT task that is cancelled takes the task of its remote agent with it, as well as that can be told: it is over in
 * any case. A run of this server ends with the task by itself, as every child does.
 */
export function watchCancellations(services: AgentTaskServices): () => void {
  const { feed, log } = services.runtime;
  return feed.watchOwn((committed) => {
    for (const { id, task } of cancelledIn(committed)) {
      cancelAgentOf(services, id, task).catch((error: unknown) =>
        log.warn("The agent of a cancelled task could not be told", { id, no: task.no, error: textOfError(error) }),
      );
    }
  });
}

function cancelledIn(committed: Committed): readonly { readonly id: string; readonly task: Task }[] {
  if (committed.kind !== "changes") return [];
  const { id, changedTasks } = committed.changes;
  return changedTasks
    .filter(({ taskType, status }) => taskType === agent.type && status === "CANCELED")
    .map((task) => ({ id, task }));
}

async function cancelAgentOf(services: AgentTaskServices, id: string, task: Task): Promise<void> {
  const output = await payloadOf(services, id, task, "output");
  const { taskId, a2aEndpoint, state } = output;
  if (state === "canceled" || typeof taskId !== "string" || typeof a2aEndpoint !== "string") return;
  const input = await payloadOf(services, id, task, "input");
  const headers = readHeaders(fillSecrets(task, { value: input }, services.runtime.secrets));
  const remote = new RemoteAgent(services.fetch, a2aEndpoint, headers, AbortSignal.timeout(CANCEL_MS));
  await remote.call("tasks/cancel", { id: taskId });
}

async function payloadOf({ runtime }: AgentTaskServices, id: string, task: Task, slot: "input" | "output") {
  const { value } = await runtime.payloads.whole(await runtime.store.executions.payload(id, task.no, slot));
  return isJsonObject(value) ? value : {};
}
