import type { JsonObject } from "@downbeat/engine";
import {
  describeAgent,
  instructionsText,
  isWorkerRef,
  refName,
  refPart,
  subAgents,
  turnsOf,
} from "../../config/questions.ts";
import type { AgentConfig } from "../../config/types.ts";
import { annotateRoute, normalizeRoute, nothing } from "../../scripts/route.ts";
import { escapeExpressions, scriptOf } from "../../scripts/script-of.ts";
import { agentModel } from "../agent-model.ts";
import { capabilitiesOf } from "../capabilities.ts";
import type { Compiling } from "../compiling.ts";
import { resolveContextTask } from "../context-tasks.ts";
import { authored, outputOf, variable } from "../expression.ts";
import { llmTask, systemMessage, userMessage } from "../llm-task.ts";
import { all, isBelow, isNotStopped } from "../loop-condition.ts";
import { callAgent } from "../sub-agent.ts";
import { doWhile, inline, setVariable, simple, subWorkflow, switchOn, type TaskList } from "../tasks.ts";
import { finalAnswer } from "./final-answer.ts";
import { addReplyTask, mergeContextTask, type Orchestration, openingOf } from "./shared.ts";

/** handoff and router: a coordinator names the next agent, until it says that all is done. */
export function handoff(config: AgentConfig, compiling: Compiling): Orchestration {
  const base = refName(config.name);
  const final = finalAnswer(config);
  const word = config.strategy === "router" ? "Router" : "Handoff";
  return {
    description: `${word} agent: ${config.name}`,
    tasks: [
      resolveContextTask(`${base}_ctx_resolve`),
      setVariable(`${base}_init`, {
        conversation: openingOf(config),
        _agent_state: outputOf(`${base}_ctx_resolve`, "result"),
      }),
      coordination(config, compiling),
      ...final.tasks,
    ],
    outputParameters: final.outputParameters,
  };
}

function coordination(config: AgentConfig, compiling: Compiling): JsonObject {
  const base = refName(config.name);
  const agents = subAgents(config);
  const norm = `${base}_route_norm`;
  const cases = Object.fromEntries(
    agents.map((agent, index) => [agent.name, caseTasks({ config, agent, index, suffix: "" }, compiling)]),
  );
  const [first] = agents;
  return doWhile({
    ref: `${base}_loop`,
    condition: all(isBelow(`${base}_loop`, turnsOf(config)), isNotStopped, `$.${norm}?.result !== 'DONE'`),
    inputs: { [norm]: `\${${norm}}`, _stop_requested: variable("_stop_requested") },
    body: [
      routerTask(config),
      inline(norm, scriptOf(normalizeRoute, { agents: agents.map(({ name }) => name) }), {
        raw: outputOf(`${base}_router`, "result"),
        ...(isFunctionRouter(config) ? { selected: outputOf(`${base}_router`, "selected_agent") } : {}),
      }),
      inline(`${base}_route_annotate`, scriptOf(annotateRoute), {
        prev: variable("conversation"),
        decision: outputOf(norm, "result"),
      }),
      setVariable(`${base}_route_set`, { conversation: outputOf(`${base}_route_annotate`, "result") }),
      switchOn(
        `${base}_switch`,
        outputOf(norm, "result"),
        { ...cases, DONE: [inline(`${base}_done_noop`, scriptOf(nothing))] },
        first === undefined ? [] : caseTasks({ config, agent: first, index: 0, suffix: "_default" }, compiling),
      ),
    ],
  });
}

type Case = {
  readonly config: AgentConfig;
  readonly agent: AgentConfig;
  readonly index: number;
  readonly suffix: string;
};

function caseTasks({ config, agent, index, suffix }: Case, compiling: Compiling): TaskList {
  const call = `${refPart(config.name)}_handoff_${index}_${refPart(agent.name)}${suffix}`;
  const ref = (word: string): string => `${refPart(config.name)}_${word}_${index}${suffix}`;
  return [
    callAgent(agent, { ref: call, prompt: variable("conversation"), context: variable("_agent_state") }, compiling),
    addReplyTask(ref("hconcat"), agent.name, call),
    mergeContextTask(ref("hctx_merge"), variable("_agent_state"), call),
    setVariable(ref("hset"), {
      conversation: outputOf(ref("hconcat"), "result"),
      _agent_state: outputOf(ref("hctx_merge"), "result"),
    }),
  ];
}

const isFunctionRouter = ({ strategy, router }: AgentConfig): boolean =>
  strategy === "router" && router !== undefined && isWorkerRef(router);

function routerTask(config: AgentConfig): JsonObject {
  const ref = `${refName(config.name)}_router`;
  const conversation = variable("conversation");
  const router = config.strategy === "router" ? config.router : undefined;
  if (router !== undefined && isWorkerRef(router)) {
    return simple(ref, router.taskName, { prompt: conversation, conversation });
  }
  return subWorkflow(
    ref,
    ref,
    { conversation },
    {
      name: `${ref}_wf`,
      version: 1,
      workflowDefinition: routerWorkflow(config, router ?? config),
    },
  );
}

/** A workflow of its own for one decision, so that earlier decisions are not its history. */
function routerWorkflow(config: AgentConfig, router: AgentConfig): JsonObject {
  const ref = `${refName(config.name)}_router`;
  return {
    name: `${ref}_wf`,
    description: `Router sub-workflow for ${ref}`,
    version: 1,
    schemaVersion: 2,
    inputParameters: ["conversation"],
    tasks: [
      llmTask(`${ref}_llm`, agentModel((router.model ?? "") === "" ? config : router), {
        maxTokens: 4096,
        messages: [systemMessage(coordinatorPrompt(config, router)), userMessage("${workflow.input.conversation}")],
        temperature: 0,
      }),
    ],
    outputParameters: { result: outputOf(`${ref}_llm`, "result") },
    metadata: { classifier: "AGENT", agent_capabilities: [...capabilitiesOf(config)] },
  };
}

function coordinatorPrompt(config: AgentConfig, router: AgentConfig): string {
  const agents = subAgents(config).map((agent) => `- ${agent.name}: ${escapeExpressions(describeAgent(agent))}`);
  const own = authored(instructionsText(router));
  return [
    ...(own === "" ? [] : [own]),
    `You coordinate a team. These are its agents:\n${agents.join("\n")}`,
    `Read the conversation and decide who goes next. When it holds a note addressed to ${config.name}, only the part delegated there is your team's. Parts that none of the agents can do are not your team's either.`,
    "Answer with one word: the name of the agent that should go next, or DONE when every part that is your team's has been answered.",
  ].join("\n\n");
}
