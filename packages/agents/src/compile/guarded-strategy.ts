import type { JsonObject } from "@downbeat/engine";
import { outputGuardrails, refName, turnsOf } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";
import { resolveOutput } from "../scripts/resolve-output.ts";
import { scriptOf } from "../scripts/script-of.ts";
import { resolveContextTask } from "./context-tasks.ts";
import { outputOf, variable, workflowInput } from "./expression.ts";
import { compileGuardrails } from "./guardrails.ts";
import { promptOf } from "./input-guardrails.ts";
import { all, any, isBelow, isNotStopped, wantsRetry } from "./loop-condition.ts";
import type { Orchestration } from "./strategies/shared.ts";
import { answer } from "./strategies/shared.ts";
import { doWhile, inline, setVariable, subWorkflow } from "./tasks.ts";

/** A team whose answer is guarded: the team as a workflow of its own, asked again while a guardrail sends it back. */
export function guardedStrategy(config: AgentConfig, strategyWorkflow: JsonObject): Orchestration {
  const base = refName(config.name);
  const [loop, strategy] = [`${base}_guardrail_loop`, `${base}_strategy`];
  const guarded = compileGuardrails(config, outputGuardrails(config), {
    position: "output",
    content: outputOf(strategy, "result"),
    toolCalls: outputOf(strategy, "toolCalls"),
    iteration: outputOf(loop, "iteration"),
    // The team has no memory of its last try: it is told with the request.
    onRetry: (message, suffix) => [
      setVariable(`${base}_guardrail_retry_set${suffix}`, {
        _guardrail_feedback: `\n\n${outputOf(message, "result")}`,
        _fixed_output: null,
        _human_edited_output: null,
      }),
    ],
  });
  const resolve = `${base}_resolve_output`;
  return {
    description: `Agent workflow for ${config.name}`,
    tasks: [
      resolveContextTask(`${base}_ctx_resolve`),
      setVariable(`${base}_init_state`, {
        _agent_state: outputOf(`${base}_ctx_resolve`, "result"),
        _guardrail_feedback: "",
        _stop_requested: false,
      }),
      doWhile({
        ref: loop,
        condition: all(isBelow(loop, turnsOf(config)), isNotStopped, any(...guarded.verdicts.map(wantsRetry))),
        inputs: {
          ...Object.fromEntries(guarded.verdicts.map((ref) => [ref, `\${${ref}}`])),
          _stop_requested: variable("_stop_requested"),
        },
        body: [
          subWorkflow(
            strategy,
            strategy,
            {
              prompt: `${promptOf(config)}${variable("_guardrail_feedback")}`,
              media: workflowInput("media"),
              session_id: workflowInput("session_id"),
              context: variable("_agent_state"),
              ...(config.strategy === "plan_execute"
                ? { cwd: workflowInput("cwd"), static_plan: workflowInput("static_plan") }
                : {}),
            },
            { name: config.name, version: 1, workflowDefinition: strategyWorkflow },
          ),
          ...guarded.tasks,
        ],
      }),
      inline(resolve, scriptOf(resolveOutput), {
        llm_result: outputOf(strategy, "result"),
        finish_reason: outputOf(strategy, "finishReason"),
        fixed_output: variable("_fixed_output"),
        edited_output: variable("_human_edited_output"),
      }),
    ],
    outputParameters: {
      ...answer(
        outputOf(resolve, "result.result"),
        outputOf(resolve, "result.finishReason"),
        outputOf(strategy, "context"),
      ),
      rejectionReason: outputOf(strategy, "rejectionReason"),
    },
  };
}
