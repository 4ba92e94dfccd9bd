import { mayExitLoop, refName, refPart, subAgents } from "../../config/questions.ts";
import type { AgentConfig } from "../../config/types.ts";
import { aggregateResults, mergeParallelContexts } from "../../scripts/conversation.ts";
import { scriptOf } from "../../scripts/script-of.ts";
import type { Compiling } from "../compiling.ts";
import { resolveContextTask } from "../context-tasks.ts";
import { exitOfTeam } from "../exit-loop.ts";
import { outputOf, variable } from "../expression.ts";
import { promptOf } from "../input-guardrails.ts";
import { callAgent } from "../sub-agent.ts";
import { forkJoin, inline, join, setVariable } from "../tasks.ts";
import { answer, type Orchestration } from "./shared.ts";

/** parallel: all agents answer the same prompt side by side; their answers stand one under the other. */
export function parallel(config: AgentConfig, compiling: Compiling): Orchestration {
  const base = refName(config.name);
  const agents = subAgents(config);
  const refs = agents.map(({ name }, index) => `${base}_parallel_${index}_${refPart(name)}`);
  const context = variable("context");
  const calls = agents.map((agent, index) => [
    callAgent(agent, { ref: refs[index] ?? "", prompt: promptOf(config), context }, compiling),
  ]);
  const exit = exitOfTeam(
    config,
    refs.filter((_, index) => agents[index] !== undefined && mayExitLoop(agents[index])),
  );
  return {
    description: `Parallel agents: ${config.name}`,
    tasks: [
      resolveContextTask(`${base}_ctx_resolve`),
      setVariable(`${base}_ctx_init`, { context: outputOf(`${base}_ctx_resolve`, "result") }),
      forkJoin(`${base}_fork`, calls, refs),
      join(`${base}_fork_join`, refs),
      inline(`${base}_aggregate`, scriptOf(aggregateResults), {
        agentResults: Object.fromEntries(
          agents.map(({ name }, index) => [name, outputOf(refs[index] ?? "", "result")]),
        ),
      }),
      inline(`${base}_ctx_merge`, scriptOf(mergeParallelContexts), {
        parentCtx: context,
        agentNames: agents.map(({ name }) => name),
        ...Object.fromEntries(refs.map((ref, index) => [`child_${index}`, outputOf(ref, "context")])),
      }),
      setVariable(`${base}_ctx_set`, { context: outputOf(`${base}_ctx_merge`, "result") }),
      ...exit.tasks,
    ],
    outputParameters: {
      ...answer(outputOf(`${base}_aggregate`, "result.result"), "STOP", context),
      subResults: outputOf(`${base}_aggregate`, "result.subResults"),
      ...exit.outputParameters,
    },
  };
}
