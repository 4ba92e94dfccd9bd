import type { TaskType } from "@downbeat/engine";
import type { Executor } from "@downbeat/server";
import { agent } from "./agent.ts";
import { cancelAgent } from "./cancel-agent.ts";
import { failed } from "./failure.ts";
import { getAgentCard } from "./get-agent-card.ts";
import type { AgentTask, AgentTaskServices } from "./services.ts";

const tasks: readonly AgentTask[] = [agent, cancelAgent, getAgentCard];

export const agentCallTypes: readonly TaskType[] = tasks.map(({ type, taskDef }) => ({
  type,
  mode: "outside",
  initialStatus: "SCHEDULED",
  ...(taskDef === undefined ? {} : { taskDef }),
}));

/** Who runs them on this server. */
export const agentCallExecutors = (services: AgentTaskServices): readonly Executor[] =>
  tasks.map(({ type, run }) => ({
    type,
    concurrency: services.runtime.config["service.ai.concurrency"],
    run: (call) => run(call, services).catch((error: unknown) => failed(error)),
  }));
