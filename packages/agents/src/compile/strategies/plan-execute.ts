import type { JsonObject } from "@downbeat/engine";
import { refName } from "../../config/questions.ts";
import type { AgentConfig } from "../../config/types.ts";
import {
  compileStatus,
  executionStatus,
  extractPlan,
  fallbackPrompt,
  hasPlan,
  resultText,
} from "../../scripts/plan.ts";
import { scriptOf } from "../../scripts/script-of.ts";
import type { Compiling } from "../compiling.ts";
import { resolveContextTask } from "../context-tasks.ts";
import { literal, outputOf, variable, workflowInput } from "../expression.ts";
import { promptOf } from "../input-guardrails.ts";
import { callAgent } from "../sub-agent.ts";
import { inline, setVariable, subWorkflow, switchOn, systemTask, type TaskList, terminate } from "../tasks.ts";
import { toolsOf } from "../tools.ts";
import { plannerTasks, planReader } from "./planner.ts";
import { answer, type Orchestration } from "./shared.ts";

/**
 * plan_execute: a planner writes a plan, the server compiles it into a workflow and runs that. Where a plan is missing,
 * cannot be compiled or fails, a fallback agent takes over, if there is one.
 */
export function planExecute(config: AgentConfig, compiling: Compiling): Orchestration {
  const base = refName(config.name);
  const reader = planReader(config, compiling);
  const extract = `${base}_extract_json`;
  return {
    description: `Plan-Execute harness: ${config.name}`,
    tasks: [
      resolveContextTask(`${base}_ctx_resolve`),
      setVariable(`${base}_ctx_init`, { context: outputOf(`${base}_ctx_resolve`, "result") }),
      ...plannerTasks(config, compiling),
      ...reader.tasks,
      inline(extract, scriptOf(extractPlan), {
        staticPlan: workflowInput("static_plan"),
        rawResult: outputOf(`${base}_planner`, "result"),
        coercedResult: outputOf(`${base}_planner_coerce`, "result"),
        planReaderContent: reader.content,
      }),
      inline(`${base}_has_json`, scriptOf(hasPlan), { json: outputOf(extract, "result.plan_json") }),
      switchOn(
        `${base}_plan_route`,
        outputOf(`${base}_has_json`, "result"),
        { has_plan: planTasks(config, compiling) },
        fallback(config, compiling, {
          prompt: "np_prompt",
          call: "noplan_fallback",
          refuse: terminate(`${base}_noplan_term`, "FAILED", "No JSON plan found and no fallback agent configured"),
        }),
      ),
      inline(`${base}_output_select`, scriptOf(resultText), { r: variable("final_result") }),
    ],
    outputParameters: answer(outputOf(`${base}_output_select`, "result"), "STOP", variable("context")),
  };
}

function planTasks(config: AgentConfig, compiling: Compiling): TaskList {
  const base = refName(config.name);
  const compile = `${base}_plan_and_compile`;
  const status = `${base}_compile_status`;
  const tools = toolsOf(config);
  return [
    systemTask(
      compile,
      "PLAN_AND_COMPILE",
      {
        planJson: outputOf(`${base}_extract_json`, "result.plan_json"),
        parentName: config.name,
        ...(config.model === undefined ? {} : { model: config.model }),
        ...(config.timeoutSeconds > 0 ? { harnessTimeoutSeconds: config.timeoutSeconds } : {}),
        knownToolNames: tools.map(({ name }) => name),
        parentTools: literal(tools as unknown as readonly JsonObject[]),
      },
      "plan_and_compile",
    ),
    inline(status, scriptOf(compileStatus), {
      wfDef: outputOf(compile, "workflowDef"),
      err: outputOf(compile, "error"),
    }),
    switchOn(
      `${base}_compile_gate`,
      outputOf(status, "result"),
      {
        compile_failed: fallback(config, compiling, {
          prompt: "compile_fb_prompt",
          call: "compile_fallback",
          errors: `\${${compile}.output}`,
          refuse: terminate(`${base}_compile_fail`, "FAILED", `Plan compilation failed: ${outputOf(compile, "error")}`),
        }),
      },
      executionTasks(config, compiling),
    ),
  ];
}

function executionTasks(config: AgentConfig, compiling: Compiling): TaskList {
  const base = refName(config.name);
  const exec = `${base}_plan_exec`;
  const status = `${base}_exec_status`;
  const name = `pe_${base}_plan`;
  const inputs = {
    prompt: promptOf(config),
    session_id: workflowInput("session_id"),
    context: variable("context"),
    cwd: workflowInput("cwd"),
    media: workflowInput("media"),
  };
  return [
    {
      ...subWorkflow(exec, name, inputs, {
        name,
        version: 1,
        workflowDefinition: outputOf(`${base}_plan_and_compile`, "workflowDef"),
      }),
      optional: true,
    },
    inline(status, scriptOf(executionStatus), { taskStatus: `\${${exec}.status}` }),
    switchOn(
      `${base}_exec_route`,
      outputOf(status, "result"),
      {
        failed: fallback(config, compiling, {
          prompt: "fb_prompt",
          call: "fallback",
          errors: `\${${exec}.output}`,
          refuse: terminate(
            `${base}_no_fallback_term`,
            "FAILED",
            "Plan execution failed and no fallback agent configured",
          ),
        }),
      },
      [setVariable(`${base}_exec_success_set`, { final_result: outputOf(exec, "result") })],
    ),
  ];
}

type Fallback = {
  readonly prompt: string;
  readonly call: string;
  /** Expression of what went wrong with the plan. */
  readonly errors?: string;
  /** What happens where there is no fallback agent. */
  readonly refuse: JsonObject;
};

function fallback(config: AgentConfig, compiling: Compiling, { prompt, call, errors, refuse }: Fallback): TaskList {
  if (config.fallback === undefined) return [refuse];
  const base = refName(config.name);
  const turns = config.fallbackMaxTurns;
  const agent = turns === undefined || turns <= 0 ? config.fallback : { ...config.fallback, maxTurns: turns };
  const callRef = `${base}_${call}`;
  return [
    inline(`${base}_${prompt}`, scriptOf(fallbackPrompt), {
      originalPrompt: promptOf(config),
      plan: outputOf(`${base}_extract_json`, "result.markdown_plan"),
      ...(errors === undefined ? {} : { execOutput: errors }),
    }),
    callAgent(
      agent,
      { ref: callRef, prompt: outputOf(`${base}_${prompt}`, "result"), context: variable("context") },
      compiling,
    ),
    setVariable(`${callRef}_set`, { final_result: outputOf(callRef, "result") }),
  ];
}
