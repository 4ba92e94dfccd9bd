import type { JsonObject } from "@downbeat/engine";
import { exitTools, outputGuardrails, refName, turnsOf } from "../config/questions.ts";
import type { AgentConfig, GuardrailConfig } from "../config/types.ts";
import { formatToolCalls } from "../scripts/format-tool-calls.ts";
import { injectContext } from "../scripts/inject-context.ts";
import { checkRequiredTools } from "../scripts/required-tools.ts";
import { resolveOutput } from "../scripts/resolve-output.ts";
import { scriptOf } from "../scripts/script-of.ts";
import { synthOutput } from "../scripts/synth-output.ts";
import { approvalGate, needsApproval } from "./approval.ts";
import { callback } from "./callbacks.ts";
import type { Compiling } from "./compiling.ts";
import { resolveContextTask } from "./context-tasks.ts";
import { discoveryTasks } from "./discovery.ts";
import { countsCalls, dispatchChain } from "./dispatch.ts";
import { exitOf } from "./exit-loop.ts";
import { outputOf, variable } from "./expression.ts";
import { compileGuardrails, type Guarded } from "./guardrails.ts";
import { instructionsTasks } from "./instructions.ts";
import { all, any, callsNoneOf, callsTools, isBelow, isNotStopped, wantsRetry, wasCutOff } from "./loop-condition.ts";
import { prefillTasks } from "./prefill.ts";
import { doWhile, inline, setVariable, switchBy, type TaskList } from "./tasks.ts";
import { type Stops, stopTasks } from "./termination.ts";
import { ownTools, toolSpec, toolsOf } from "./tools.ts";
import { type Transfers, transferCheck } from "./transfers.ts";
import { agentTurn } from "./turn.ts";

export type LoopOptions = {
  /** Agents the model can hand over to, with the tools it does that by. */
  readonly transfers?: Transfers;
  /** A member of a swarm: returns as soon as one of these tools has been called, and keeps all tool results. */
  readonly member?: { readonly returnsAfter: readonly string[] };
  readonly guardrails?: readonly GuardrailConfig[];
};

export type AgentLoop = {
  readonly tasks: TaskList;
  /** Expressions of the run's answer and of how it ended. */
  readonly result: string;
  readonly finishReason: string;
  /** Whether it ended the loop around it, of an agent that can. */
  readonly exit: JsonObject;
};

/** An agent by itself: a loop of model turns, each followed by the tools it asked for, until there are none. */
export function agentLoop(config: AgentConfig, compiling: Compiling, options: LoopOptions = {}): AgentLoop {
  const base = refName(config.name);
  const guardrails = options.guardrails ?? outputGuardrails(config);
  const loop = turnLoop(config, compiling, { ...options, guardrails });
  const isMember = options.member !== undefined;
  // Who may hand over leaves it to those around it what an empty answer means.
  const end = options.transfers === undefined ? answerTasks(base, guardrails) : resolveTasks(base, guardrails);
  const exit = exitOf(config, end.result);
  return {
    tasks: [
      ...callback(config, "before_agent"),
      ...discoveryTasks(config, options.transfers?.specs ?? []),
      ...instructionsTasks(config),
      resolveContextTask(`${base}_ctx_resolve`),
      setVariable(`${base}_init_state`, initialVariables(config, isMember)),
      ...prefillTasks(config, compiling),
      ...withRequiredTools(config, loop),
      ...callback(config, "after_agent"),
      ...end.tasks,
      ...exit.tasks,
    ],
    result: exit.result,
    finishReason: end.finishReason,
    exit: exit.outputParameters,
  };
}

function initialVariables(config: AgentConfig, isMember: boolean): JsonObject {
  return {
    _agent_state: outputOf(`${refName(config.name)}_ctx_resolve`, "result"),
    _last_tool_results: [],
    ...(isMember ? {} : { _stop_requested: false, _signal_injection: "" }),
    ...(needsApproval(config) ? { _human_feedback: "" } : {}),
    ...(countsCalls(config) ? { _tool_call_counts: {} } : {}),
  };
}

type Turns = LoopOptions & { readonly guardrails: readonly GuardrailConfig[] };

function turnLoop(config: AgentConfig, compiling: Compiling, options: Turns): JsonObject {
  const base = refName(config.name);
  const [loop, llm] = [`${base}_loop`, `${base}_llm`];
  const iteration = outputOf(loop, "iteration");
  const toolCalls = outputOf(llm, "toolCalls");
  const onAnswer = compileGuardrails(config, options.guardrails, {
    position: "output",
    content: outputOf(llm, "result"),
    toolCalls,
    iteration,
  });
  const onTools = compileGuardrails(config, toolGuardrails(config), {
    position: "tool",
    content: outputOf(`${base}_format_tool_calls`, "result.formatted"),
    iteration,
  });
  const stops = stopTasks(config, {
    result: outputOf(llm, "result"),
    iteration,
    messages: `\${${llm}.input.messages}`,
  });
  const offered = [...ownTools(config).map(toolSpec), ...(options.transfers?.specs ?? [])];
  const feedback = [...onAnswer.retries, ...onTools.retries];
  return doWhile({
    ref: loop,
    condition: loopCondition(config, options, { onAnswer, stops }),
    inputs: {
      [llm]: `\${${llm}}`,
      ...(options.member === undefined ? { _stop_requested: variable("_stop_requested") } : {}),
      ...(options.transfers === undefined ? {} : { [`${base}_check_transfer`]: `\${${base}_check_transfer}` }),
      ...Object.fromEntries([...onAnswer.verdicts, ...onTools.verdicts].map((ref) => [ref, `\${${ref}}`])),
      ...stops.inputs,
    },
    body: [
      ...forgetChanges(base, options.guardrails),
      injectTask(config, compiling),
      ...callback(config, "before_model"),
      agentTurn(config, compiling, { tools: offered, feedback }),
      ...callback(config, "after_model"),
      ...(options.transfers === undefined ? [] : [transferCheck(base, llm, options.transfers)]),
      ...onAnswer.tasks,
      ...(toolsOf(config).length === 0 && options.transfers === undefined
        ? []
        : [toolRouter(config, compiling, options, onTools)]),
      ...stops.tasks,
    ],
  });
}

type Endings = { readonly onAnswer: Guarded; readonly stops: Stops };

function loopCondition(config: AgentConfig, options: Turns, { onAnswer, stops }: Endings): string {
  const base = refName(config.name);
  const [loop, llm] = [`${base}_loop`, `${base}_llm`];
  const { member, transfers } = options;
  // An agent without tools and guardrails has one turn: a second would answer with the second half alone.
  const returnsAfter = [...(member?.returnsAfter ?? []), ...exitTools(config)];
  const mayGoOn = toolsOf(config).length > 0 || transfers !== undefined || onAnswer.verdicts.length > 0;
  return all(
    isBelow(loop, turnsOf(config)),
    ...(member === undefined ? [isNotStopped] : []),
    any(...(mayGoOn ? [wasCutOff(llm)] : []), callsTools(llm), ...onAnswer.verdicts.map(wantsRetry)),
    ...(transfers === undefined ? [] : [`$.${base}_check_transfer?.result?.is_transfer !== true`]),
    ...(returnsAfter.length === 0 ? [] : [callsNoneOf(llm, returnsAfter)]),
    ...stops.conditions,
  );
}

/** With several guardrails one may change an answer and another send it back: the change was of the old answer. */
function forgetChanges(base: string, guardrails: readonly GuardrailConfig[]): TaskList {
  const changes = guardrails.some(({ onFail }) => onFail === "fix" || onFail === "human");
  if (guardrails.length < 2 || !changes) return [];
  return [setVariable(`${base}_guardrail_reset`, { _fixed_output: null, _human_edited_output: null })];
}

function injectTask(config: AgentConfig, compiling: Compiling): JsonObject {
  const requires = (config.requiredTools ?? []).length > 0;
  return inline(`${refName(config.name)}_ctx_inject`, scriptOf(injectContext), {
    state: variable("_agent_state"),
    signals: variable("_signal_injection"),
    // Not for the prompt: it shows who reads the run what the turn came after.
    toolResults: variable("_last_tool_results"),
    maxSize: compiling.contextMaxSize,
    maxValueSize: compiling.contextMaxValueSize,
    ...(requires ? { required: variable("_required_tools_message") } : {}),
  });
}

const toolGuardrails = (config: AgentConfig): readonly GuardrailConfig[] =>
  toolsOf(config).flatMap(({ guardrails = [] }) => guardrails);

function toolRouter(config: AgentConfig, compiling: Compiling, options: Turns, guarded: Guarded): JsonObject {
  const base = refName(config.name);
  const isTransfer = outputOf(`${base}_check_transfer`, "result.is_transfer");
  const keepsEarlierResults = options.member !== undefined;
  const calls = needsApproval(config)
    ? approvalGate(config, compiling, { keepsEarlierResults })
    : dispatchChain(config, compiling, { prefix: "", keepsEarlierResults });
  return switchBy({
    ref: `${base}_tool_router`,
    name: "SWITCH",
    script: "($.toolCalls || []).length > 0 && $.isTransfer !== true ? 'tool_call' : 'default'",
    inputs: {
      toolCalls: outputOf(`${base}_llm`, "toolCalls"),
      ...(options.transfers === undefined ? {} : { isTransfer }),
    },
    cases: {
      tool_call: [
        ...callback(config, "before_tool"),
        ...guardedCalls(config, guarded, [...calls, ...callback(config, "after_tool")]),
      ],
    },
  });
}

/** Tool calls that a guardrail sends back to the model are not made. */
function guardedCalls(config: AgentConfig, guarded: Guarded, calls: TaskList): TaskList {
  if (guarded.tasks.length === 0) return calls;
  const base = refName(config.name);
  const check = inline(`${base}_format_tool_calls`, scriptOf(formatToolCalls), {
    tool_calls: outputOf(`${base}_llm`, "toolCalls"),
  });
  const canSendBack = toolGuardrails(config).some(({ onFail }) => onFail === "retry");
  if (!canSendBack) return [check, ...guarded.tasks, ...calls];
  const names = guarded.verdicts.map((_ref, index) => `v${index}`);
  return [
    check,
    ...guarded.tasks,
    switchBy({
      ref: `${base}_tool_guard_gate`,
      script: `${names.map((name) => `$.${name} === true`).join(" || ")} ? 'sent_back' : 'call'`,
      inputs: Object.fromEntries(
        guarded.verdicts.map((ref, index) => [`v${index}`, outputOf(ref, "result.should_continue")]),
      ),
      cases: { call: calls },
    }),
  ];
}

/** Sends the model back, with a word about it, while tools it must call have not been called. Three rounds at most. */
function withRequiredTools(config: AgentConfig, loop: JsonObject): TaskList {
  const required = config.requiredTools ?? [];
  if (required.length === 0) return [loop];
  const base = refName(config.name);
  const [outer, check] = [`${base}_required_tools_loop`, `${base}_required_tools_check`];
  return [
    doWhile({
      ref: outer,
      condition: all(`$.${check}?.result?.satisfied !== true`, isBelow(outer, 3), isNotStopped),
      inputs: { [check]: `\${${check}}`, _stop_requested: variable("_stop_requested") },
      body: [
        loop,
        inline(check, scriptOf(checkRequiredTools, { required }), { callCounts: variable("_tool_call_counts") }),
        setVariable(`${base}_required_tools_note`, { _required_tools_message: outputOf(check, "result.message") }),
      ],
    }),
  ];
}

type End = { readonly tasks: TaskList; readonly result: string; readonly finishReason: string };

/** What the run answers: the model's last words, after the guardrails. */
function answerTasks(base: string, guardrails: readonly GuardrailConfig[]): End {
  const resolved = resolveTasks(base, guardrails);
  const synth = inline(`${base}_synth_output`, scriptOf(synthOutput), {
    llm_result: resolved.result,
    tool_calls: outputOf(`${base}_llm`, "toolCalls"),
  });
  return { ...resolved, tasks: [...resolved.tasks, synth], result: outputOf(`${base}_synth_output`, "result") };
}

function resolveTasks(base: string, guardrails: readonly GuardrailConfig[]): End {
  const [result, finishReason] = [outputOf(`${base}_llm`, "result"), outputOf(`${base}_llm`, "finishReason")];
  if (guardrails.length === 0) return { tasks: [], result, finishReason };
  const ref = `${base}_resolve_output`;
  const task = inline(ref, scriptOf(resolveOutput), {
    llm_result: result,
    finish_reason: finishReason,
    fixed_output: variable("_fixed_output"),
    edited_output: variable("_human_edited_output"),
  });
  return { tasks: [task], result: outputOf(ref, "result.result"), finishReason: outputOf(ref, "result.finishReason") };
}
