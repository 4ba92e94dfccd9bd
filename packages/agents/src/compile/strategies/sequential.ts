import type { JsonObject } from "@downbeat/engine";
import { isRepeated, mayExitLoop, refName, refPart, subAgents, turnsOf } from "../../config/questions.ts";
import type { AgentConfig } from "../../config/types.ts";
import { coerceText } from "../../scripts/coerce-text.ts";
import { lastSaid } from "../../scripts/exit-loop.ts";
import { scriptOf } from "../../scripts/script-of.ts";
import { gateDecision, selectOutput, textGate } from "../../scripts/sequence.ts";
import type { Compiling } from "../compiling.ts";
import { resolveContextTask } from "../context-tasks.ts";
import { EXIT_LOOP, exitOfTeam } from "../exit-loop.ts";
import { outputOf, variable } from "../expression.ts";
import { promptOf } from "../input-guardrails.ts";
import { all, isBelow, isNotStopped } from "../loop-condition.ts";
import { callAgent } from "../sub-agent.ts";
import { doWhile, inline, setVariable, simple, switchOn, type TaskList } from "../tasks.ts";
import { answer, mergeContextTask, type Orchestration } from "./shared.ts";

/** sequential: each agent goes on with what the one before it said. A gate may end the line early. */
export function sequential(config: AgentConfig, compiling: Compiling): Orchestration {
  const base = refName(config.name);
  const agents = subAgents(config);
  const hasGates = agents.some(({ gate }, index) => gate !== undefined && index < agents.length - 1);
  const exiting = isRepeated(config) ? [] : agents.map((agent) => mayExitLoop(agent));
  const steps = agents.map((agent, index) => stepRef(config, agent, index));
  const last = steps.at(-1) ?? "";
  const exit = exitOfTeam(
    config,
    steps.filter((_, index) => exiting[index]),
  );
  const isSelected = hasGates || exit.tasks.length > 0;
  const selector = inline(
    `${base}_output_selector`,
    scriptOf(selectOutput, { steps: steps.length }),
    Object.fromEntries(steps.map((step, index) => [`s${index}`, outputOf(step, "result")])),
  );
  const context = variable("context");
  return {
    description: `Sequential pipeline: ${config.name}`,
    tasks: [
      resolveContextTask(`${base}_ctx_init_resolve`),
      setVariable(`${base}_ctx_init`, {
        context: outputOf(`${base}_ctx_init_resolve`, "result"),
        ...(isRepeated(config) ? { _previous: "", ...(mayEndEarly(config) ? { _said: {} } : {}) } : {}),
      }),
      ...(isRepeated(config)
        ? [repeated(config, stepsFrom(config, 0, compiling), last)]
        : stepsFrom(config, 0, compiling)),
      ...(isSelected ? [selector] : []),
      ...exit.tasks,
    ],
    outputParameters: isSelected
      ? {
          ...answer(outputOf(`${base}_output_selector`, "result"), "STOP", context),
          ...exit.outputParameters,
        }
      : answerOf(config, last),
  };
}

function answerOf(config: AgentConfig, last: string): JsonObject {
  const of = (field: string): string => (mayEndEarly(config) ? variable(`_said.${field}`) : outputOf(last, field));
  return {
    ...answer(of("result"), of("finishReason"), variable("context")),
    rejectionReason: of("rejectionReason"),
  };
}

/** A loop that one of its agents may end: its answer is what was said last, whoever said it. */
const mayEndEarly = (config: AgentConfig): boolean => isRepeated(config) && subAgents(config).some(mayExitLoop);

const stepRef = (config: AgentConfig, agent: AgentConfig, index: number): string =>
  `${refName(config.name)}_step_${index}_${refPart(agent.name)}`;

/** The line over and over: its first step goes on with what the last one said the time before. */
function repeated(config: AgentConfig, steps: TaskList, last: string): JsonObject {
  const base = refName(config.name);
  const [loop, said] = [`${base}_loop`, `${base}_loop_said`];
  return doWhile({
    ref: loop,
    condition: all(
      isBelow(loop, turnsOf(config)),
      isNotStopped,
      ...(mayEndEarly(config) ? ["$._said?.decision !== 'exit'"] : []),
    ),
    inputs: {
      _stop_requested: variable("_stop_requested"),
      ...(mayEndEarly(config) ? { _said: variable("_said") } : {}),
    },
    body: [
      ...steps,
      inline(said, scriptOf(coerceText), {
        raw: mayEndEarly(config) ? variable("_said.result") : outputOf(last, "result"),
      }),
      setVariable(`${base}_loop_set`, { _previous: afterPrompt(outputOf(said, "result")) }),
    ],
  });
}

const afterPrompt = (said: string): string => `\n\nPrevious agent output:\n${said}`;

/** A step and all that follow it: behind a gate they are inside it. */
function stepsFrom(config: AgentConfig, index: number, compiling: Compiling): TaskList {
  const base = refName(config.name);
  const agents = subAgents(config);
  const agent = agents[index];
  if (agent === undefined) return [];
  const step = stepRef(config, agent, index);
  const isLast = index === agents.length - 1;
  const own = [
    callAgent(agent, { ref: step, prompt: promptOfStep(config, index), context: variable("context") }, compiling),
    mergeContextTask(`${base}_ctx_merge_${index}`, variable("context"), step),
    setVariable(`${base}_ctx_set_${index}`, { context: outputOf(`${base}_ctx_merge_${index}`, "result") }),
    ...(isLast ? [] : [inline(`${step}_coerce`, scriptOf(coerceText), { raw: outputOf(step, "result") })]),
    ...(mayEndEarly(config) ? saidTasks(config, agent, index) : []),
  ];
  const rest = stepsFrom(config, index + 1, compiling);
  if (!isLast && isRepeated(config) && mayExitLoop(agent)) {
    const decision = outputOf(`${step}_said`, "result.decision");
    return [...own, switchOn(`${base}_exit_switch_${index}`, decision, { continue: rest })];
  }
  if (isLast || agent.gate === undefined) return [...own, ...rest];
  return [...own, ...gateTasks(config, agent, index, rest)];
}

/** Keeps what the step said, and whether the loop ends with it. */
function saidTasks(config: AgentConfig, agent: AgentConfig, index: number): TaskList {
  const step = stepRef(config, agent, index);
  return [
    inline(`${step}_said`, scriptOf(lastSaid), {
      result: outputOf(step, "result"),
      finishReason: outputOf(step, "finishReason"),
      rejectionReason: outputOf(step, "rejectionReason"),
      exits: mayExitLoop(agent) ? outputOf(step, EXIT_LOOP) : false,
      before: variable("_said"),
    }),
    setVariable(`${refName(config.name)}_said_set_${index}`, { _said: outputOf(`${step}_said`, "result") }),
  ];
}

function promptOfStep(config: AgentConfig, index: number): string {
  const before = subAgents(config)[index - 1];
  if (before === undefined)
    return isRepeated(config) ? `${promptOf(config)}${variable("_previous")}` : promptOf(config);
  return `${promptOf(config)}${afterPrompt(outputOf(`${stepRef(config, before, index - 1)}_coerce`, "result"))}`;
}

function gateTasks(config: AgentConfig, agent: AgentConfig, index: number, rest: TaskList): TaskList {
  const base = refName(config.name);
  const result = outputOf(`${stepRef(config, agent, index)}_coerce`, "result");
  const ref = `${base}_gate_${index}`;
  const { taskName, text = "", caseSensitive = true } = agent.gate ?? {};
  const gate: JsonObject[] =
    taskName === undefined
      ? [inline(ref, scriptOf(textGate, { text, caseSensitive }), { result })]
      : [
          simple(ref, taskName, { result }),
          inline(`${ref}_decision`, scriptOf(gateDecision), { output: `\${${ref}.output}` }),
        ];
  const decision = outputOf(taskName === undefined ? ref : `${ref}_decision`, "result.decision");
  return [...gate, switchOn(`${base}_gate_switch_${index}`, decision, { continue: rest })];
}
