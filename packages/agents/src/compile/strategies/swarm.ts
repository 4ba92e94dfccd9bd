import type { JsonObject } from "@downbeat/engine";
import { refName, refPart, turnsOf } from "../../config/questions.ts";
import type { AgentConfig } from "../../config/types.ts";
import { addSwarmReply } from "../../scripts/conversation.ts";
import { scriptOf } from "../../scripts/script-of.ts";
import { checkHandoff, type HandoffRule } from "../../scripts/swarm.ts";
import type { Compiling } from "../compiling.ts";
import { resolveContextTask } from "../context-tasks.ts";
import { outputOf, variable, workflowInput } from "../expression.ts";
import { all, isBelow, isNotStopped } from "../loop-condition.ts";
import { doWhile, inline, setVariable, simple, subWorkflow, switchOn, type TaskList } from "../tasks.ts";
import { finalAnswer } from "./final-answer.ts";
import { mergeContextTask, type Orchestration, openingOf } from "./shared.ts";
import { memberWorkflow, swarmMembers } from "./swarm-member.ts";

/** swarm: one member works at a time and hands over by itself, or because a rule says so. Member 0 is the parent. */
export function swarm(config: AgentConfig, compiling: Compiling): Orchestration {
  const base = refName(config.name);
  const [loop, check] = [`${base}_loop`, `${base}_handoff_check`];
  const final = finalAnswer(config);
  const members = swarmMembers(config);
  return {
    description: `Swarm orchestration: ${config.name}`,
    tasks: [
      resolveContextTask(`${base}_ctx_resolve`),
      setVariable(`${base}_init`, {
        conversation: openingOf(config),
        active_agent: "0",
        last_response: "",
        is_transfer: false,
        transfer_to: "",
        _last_tool_results: [],
        _agent_state: outputOf(`${base}_ctx_resolve`, "result"),
      }),
      doWhile({
        ref: loop,
        condition: all(isBelow(loop, turnsOf(config)), isNotStopped, `$.${check}?.result?.handoff === true`),
        inputs: { [check]: `\${${check}.output}`, _stop_requested: variable("_stop_requested") },
        body: [
          switchOn(
            `${base}_switch`,
            variable("active_agent"),
            Object.fromEntries(
              members.map((member, index) => [String(index), memberTasks(config, member, index, compiling)]),
            ),
          ),
          ...conditionTasks(config),
          handoffCheck(config, members),
          setVariable(`${base}_update_active`, { active_agent: outputOf(check, "result.active_agent") }),
        ],
      }),
      ...final.tasks,
    ],
    outputParameters: final.outputParameters,
  };
}

function memberTasks(config: AgentConfig, member: AgentConfig, index: number, compiling: Compiling): TaskList {
  const call = `${refPart(config.name)}_agent_${index}_${refPart(member.name)}`;
  const ref = (word: string): string => `${refPart(config.name)}_${word}_${index}`;
  const inputs = {
    prompt: variable("conversation"),
    media: workflowInput("media"),
    session_id: workflowInput("session_id"),
    context: variable("_agent_state"),
  };
  const definition = memberWorkflow(config, member, compiling);
  return [
    subWorkflow(call, member.name, inputs, {
      name: String(definition["name"]),
      version: 1,
      workflowDefinition: definition,
    }),
    inline(ref("concat"), scriptOf(addSwarmReply, { agent: member.name }), {
      prev: variable("conversation"),
      response: outputOf(call, "result"),
      is_transfer: outputOf(call, "is_transfer"),
      transfer_to: outputOf(call, "transfer_to"),
      transfer_message: outputOf(call, "transfer_message"),
    }),
    mergeContextTask(ref("sctx_merge"), variable("_agent_state"), call),
    setVariable(ref("set"), {
      conversation: outputOf(ref("concat"), "result"),
      last_response: outputOf(call, "result"),
      is_transfer: outputOf(call, "is_transfer"),
      transfer_to: outputOf(call, "transfer_to"),
      _last_tool_results: outputOf(call, "tool_results"),
      _agent_state: outputOf(ref("sctx_merge"), "result"),
    }),
  ];
}

/** Workers that decide about a handover. */
const conditionTasks = (config: AgentConfig): TaskList =>
  (config.handoffs ?? []).flatMap(({ type, taskName = "" }, index) =>
    type === "on_condition"
      ? [
          simple(`${refName(config.name)}_handoff_condition_${index}`, taskName, {
            result: variable("last_response"),
            conversation: variable("conversation"),
            context: variable("_agent_state"),
            active_agent: variable("active_agent"),
            tool_results: variable("_last_tool_results"),
          }),
        ]
      : [],
  );

function handoffCheck(config: AgentConfig, members: readonly AgentConfig[]): JsonObject {
  const base = refName(config.name);
  const names = members.map(({ name }) => name);
  const rules = (config.handoffs ?? []).map(
    ({ type, target = "", text, toolName, resultContains }, index): HandoffRule => ({
      type: type as HandoffRule["type"], // checked by validateAgent
      target: names.indexOf(target),
      ...(text === undefined ? {} : { text }),
      ...(toolName === undefined ? {} : { toolName }),
      ...(resultContains === undefined ? {} : { resultContains }),
      ...(type === "on_condition" ? { key: `condition_${index}` } : {}),
    }),
  );
  const conditions = (config.handoffs ?? []).flatMap(({ type }, index) =>
    type === "on_condition" ? [[`condition_${index}`, `\${${base}_handoff_condition_${index}.output}`] as const] : [],
  );
  return inline(
    `${base}_handoff_check`,
    scriptOf(checkHandoff, { members: names, rules }),
    {
      result: variable("last_response"),
      active_agent: variable("active_agent"),
      conversation: variable("conversation"),
      is_transfer: variable("is_transfer"),
      transfer_to: variable("transfer_to"),
      tool_results: variable("_last_tool_results"),
      ...Object.fromEntries(conditions),
    },
    "INLINE",
  );
}
