import type { Task } from "../execution/task.ts";
import { ownMember } from "../json.ts";
import type { Entry } from "../plan/plan.ts";
import type { Transition } from "./transition.ts";

const NO_DOMAIN = "NO_DOMAIN";

/** The domain of a worker task, chosen once: the first of the list with an active poller, else the last. */
export function chooseDomain(t: Transition, taskType: string): string | undefined {
  const { taskToDomain } = t.head;
  const list = ownMember(taskToDomain, taskType) ?? taskToDomain["*"];
  if (list === undefined) return undefined;
  const domains = list
    .split(",")
    .map((domain) => domain.trim())
    .filter((domain) => domain !== "");
  const isNone = (domain: string | undefined) => domain === undefined || domain.toUpperCase() === NO_DOMAIN;
  const active = domains.find((domain) => !isNone(domain) && t.context.isDomainActive(taskType, domain));
  const chosen = active ?? domains.at(-1);
  return isNone(chosen) ? undefined : chosen;
}

export type QueueParts = {
  readonly taskType: string;
  readonly domain?: string | undefined;
  readonly executionNameSpace?: string | undefined;
  readonly isolationGroupId?: string | undefined;
};

/** `[domain:]taskType[@executionNameSpace][-isolationGroupId]` */
export function formatQueueName({ taskType, domain, executionNameSpace, isolationGroupId }: QueueParts): string {
  let name = domain === undefined || domain === "" ? taskType : `${domain}:${taskType}`;
  if (executionNameSpace !== undefined && executionNameSpace !== "") name += `@${executionNameSpace}`;
  if (isolationGroupId !== undefined && isolationGroupId !== "") name += `-${isolationGroupId}`;
  return name;
}

/** Where the work of a task waits. What the server does itself has one queue for each type: groups are for workers. */
export const queueName = (task: Task, entry: Entry, mode: "worker" | "outside"): string =>
  mode === "outside"
    ? task.taskType
    : formatQueueName({
        taskType: task.taskType,
        domain: task.domain,
        executionNameSpace: entry.taskDef.executionNameSpace,
        isolationGroupId: entry.taskDef.isolationGroupId,
      });

/**
 * Tasks the engine runs itself and whose definition has limits stand in this queue first: the server claims them as a
 * worker would, which is where limits are enforced, and sends `begin`.
 */
export const LIMITED_QUEUE = "_limited";
