import { type JsonObject, ownMember } from "@downbeat/engine";
import { refName, refPart, subAgents, turnsOf } from "../../config/questions.ts";
import type { AgentConfig } from "../../config/types.ts";
import { selectAgent } from "../../scripts/rotation.ts";
import { scriptOf } from "../../scripts/script-of.ts";
import type { Compiling } from "../compiling.ts";
import { resolveContextTask } from "../context-tasks.ts";
import { outputOf, variable } from "../expression.ts";
import { formInputs } from "../human.ts";
import { all, isBelow, isNotStopped } from "../loop-condition.ts";
import { callAgent } from "../sub-agent.ts";
import { doWhile, human, inline, setVariable, simple, switchOn, type TaskList } from "../tasks.ts";
import { stopTasks } from "../termination.ts";
import { addReplyTask, answer, mergeContextTask, type Orchestration, openingOf } from "./shared.ts";

const descriptions: { readonly [strategy: string]: string } = {
  round_robin: "Round-Robin discussion",
  random: "Random discussion",
  manual: "Manual selection",
};

/** round_robin, random and manual: one agent speaks each turn, chosen by order, by chance or by a person. */
export function rotation(config: AgentConfig, compiling: Compiling): Orchestration {
  const base = refName(config.name);
  const loop = `${base}_loop`;
  const stops = stopTasks(config, { result: variable("conversation"), iteration: outputOf(loop, "iteration") });
  const chosen = config.strategy === "manual" ? pickByHand(config) : pickByScript(config);
  return {
    description: `${descriptions[config.strategy] ?? "Discussion"}: ${config.name}`,
    tasks: [
      resolveContextTask(`${base}_ctx_resolve`),
      setVariable(`${base}_init`, {
        conversation: openingOf(config),
        ...(remembersSpeaker(config) ? { last_agent: "0" } : {}),
        _agent_state: outputOf(`${base}_ctx_resolve`, "result"),
      }),
      doWhile({
        ref: loop,
        condition: all(isBelow(loop, turnsOf(config)), isNotStopped, ...stops.conditions),
        inputs: { ...stops.inputs, _stop_requested: variable("_stop_requested") },
        body: [
          ...chosen.tasks,
          switchOn(
            `${base}_switch`,
            chosen.index,
            Object.fromEntries(
              subAgents(config).map((agent, index) => [String(index), turnTasks(config, agent, index, compiling)]),
            ),
          ),
          ...stops.tasks,
        ],
      }),
    ],
    outputParameters: answer(variable("conversation"), "STOP", variable("_agent_state")),
  };
}

type Choice = { readonly tasks: TaskList; readonly index: string };

const remembersSpeaker = ({ strategy, allowedTransitions }: AgentConfig): boolean =>
  strategy !== "manual" && allowedTransitions !== undefined;

function pickByScript(config: AgentConfig): Choice {
  const base = refName(config.name);
  const names = subAgents(config).map(({ name }) => name);
  const next = config.allowedTransitions;
  const known = {
    count: names.length,
    order: config.strategy === "random" ? ("random" as const) : ("round_robin" as const),
    ...(next === undefined
      ? {}
      : {
          next: names.map((name) =>
            (ownMember(next, name) ?? []).map((one) => names.indexOf(one)).filter((index) => index >= 0),
          ),
        }),
  };
  const task = inline(`${base}_select`, scriptOf(selectAgent, known), {
    iteration: outputOf(`${base}_loop`, "iteration"),
    ...(remembersSpeaker(config) ? { last_agent: variable("last_agent") } : {}),
  });
  return { tasks: [task], index: outputOf(`${base}_select`, "result") };
}

function pickByHand(config: AgentConfig): Choice {
  const base = refName(config.name);
  const names = subAgents(config).map(({ name }) => name);
  const pick = `${base}_pick_agent`;
  const form = formInputs({
    displayName: `${config.name}: Select next agent`,
    fields: {
      selected: {
        type: "string",
        title: "Select Agent",
        description: "The agent that speaks next",
        widget: "select",
        choices: names,
      },
    },
    required: ["selected"],
  });
  const process = `${base}_process_selection`;
  return {
    tasks: [
      human(pick, {
        ...form,
        agent_options: Object.fromEntries(names.map((name, index) => [name, String(index)])),
        conversation: variable("conversation"),
      }),
      simple(process, `${config.name}_process_selection`, { human_output: `\${${pick}.output}` }),
    ],
    index: outputOf(process, "selected"),
  };
}

function turnTasks(config: AgentConfig, agent: AgentConfig, index: number, compiling: Compiling): TaskList {
  const call = `${refPart(config.name)}_agent_${index}_${refPart(agent.name)}`;
  const ref = (word: string): string => `${refPart(config.name)}_${word}_${index}`;
  const variables: JsonObject = {
    conversation: outputOf(ref("concat"), "result"),
    ...(remembersSpeaker(config) ? { last_agent: String(index) } : {}),
    _agent_state: outputOf(ref("rctx_merge"), "result"),
  };
  return [
    callAgent(agent, { ref: call, prompt: variable("conversation"), context: variable("_agent_state") }, compiling),
    addReplyTask(ref("concat"), agent.name, call),
    mergeContextTask(ref("rctx_merge"), variable("_agent_state"), call),
    setVariable(ref("set"), variables),
  ];
}
