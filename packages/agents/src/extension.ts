import type { Extension } from "@downbeat/server";
import { openAgentFetch } from "./agent-tasks/agent-fetch.ts";
import { watchCancellations } from "./agent-tasks/cancellations.ts";
import { agentCallExecutors, agentCallTypes } from "./agent-tasks/executors.ts";
import type { AgentTaskServices } from "./agent-tasks/services.ts";
import { ModelCosts } from "./cost/model-costs.ts";
import { a2aRoutes } from "./http/a2a.ts";
import { a2aClientRoutes } from "./http/a2a-client.ts";
import { bulkRoutes } from "./http/bulk.ts";
import { controlRoutes } from "./http/control.ts";
import { defineRoutes } from "./http/define.ts";
import { executionRoutes } from "./http/executions.ts";
import { skillRoutes } from "./http/skills.ts";
import { startRoutes } from "./http/start.ts";
import { streamRoutes } from "./http/stream.ts";
import { trackingRoutes } from "./http/tracking.ts";
import { Agents } from "./run/agents.ts";
import { agentExecutors, agentTaskTypes } from "./run/executors.ts";
import { startAgentAction } from "./run/start-action.ts";
import { Starts } from "./run/starts.ts";
import { SkillRegistry } from "./skills/registry/skill-registry.ts";
import { RunStreams } from "./stream/run-streams.ts";

/** Agents: deployed, run, watched and operated through the server's interface. */
export const extension: Extension = {
  name: "agents",
  taskTypes: [...agentTaskTypes, ...agentCallTypes],
  open(runtime) {
    const skills = runtime.config["service.skills.enabled"] ? new SkillRegistry(runtime) : undefined;
    const agents = new Agents(runtime, skills);
    const starts = new Starts(runtime, agents);
    const streams = new RunStreams(runtime);
    const costs = new ModelCosts(runtime.config);
    const outbound = openAgentFetch(runtime.config);
    const services: AgentTaskServices = { runtime, starts, fetch: outbound.fetch };
    let endWatch = (): void => undefined;
    return {
      executors: [...agentExecutors(runtime.config), ...agentCallExecutors(services)],
      eventActions: { start_agent: startAgentAction(runtime, agents) },
      routes(of) {
        defineRoutes(of("Agents"), runtime, agents);
        startRoutes(of("Agents"), starts);
        executionRoutes(of("Runs of agents"), runtime, costs);
        controlRoutes(of("Operating agents"), runtime);
        bulkRoutes(of("Operating agents"), runtime);
        streamRoutes(of("Watching agents"), runtime, streams);
        trackingRoutes(of("Runs of frameworks"), runtime);
        a2aClientRoutes(of("A2A"), services);
        if (runtime.config["service.a2a.server.enabled"]) a2aRoutes(of("A2A"), runtime, starts);
        if (skills !== undefined) skillRoutes(of("Skills"), skills, agents);
      },
      async start() {
        endWatch = watchCancellations(services);
        await streams.start();
      },
      async close() {
        endWatch();
        await streams.close();
        await outbound.close();
      },
    };
  },
};
