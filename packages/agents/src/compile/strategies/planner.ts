import type { JsonObject } from "@downbeat/engine";
import { refName } from "../../config/questions.ts";
import type { AgentConfig, PlannerContextEntry } from "../../config/types.ts";
import { coerceText } from "../../scripts/coerce-text.ts";
import { buildPlannerContext, plannerRoute } from "../../scripts/plan.ts";
import { nothing } from "../../scripts/route.ts";
import { escapeExpressions, scriptOf } from "../../scripts/script-of.ts";
import type { Compiling } from "../compiling.ts";
import { outputOf, secretHeaders, variable, workflowInput } from "../expression.ts";
import { promptOf } from "../input-guardrails.ts";
import { staticCall } from "../static-call.ts";
import { callAgent } from "../sub-agent.ts";
import { forkJoin, inline, join, setVariable, systemTask, type TaskList } from "../tasks.ts";
import { toolsOf } from "../tools.ts";
import { mergeContextTask } from "./shared.ts";

/** Asks the planner for a plan, unless the caller brought one. */
export function plannerTasks(config: AgentConfig, compiling: Compiling): TaskList {
  const base = refName(config.name);
  const gate = `${base}_planner_gate`;
  return [
    inline(gate, scriptOf(plannerRoute), { staticPlan: workflowInput("static_plan") }),
    {
      name: `${base}_planner_route`,
      taskReferenceName: `${base}_planner_route`,
      type: "SWITCH",
      inputParameters: { route: outputOf(gate, "result") },
      evaluatorType: "value-param",
      expression: "route",
      decisionCases: { skip: [inline(`${base}_planner_skipped`, scriptOf(nothing))] },
      defaultCase: planning(config, compiling),
    },
  ];
}

function planning(config: AgentConfig, compiling: Compiling): TaskList {
  const base = refName(config.name);
  const { planner } = config;
  if (planner === undefined) return [];
  const call = { ref: `${base}_planner`, prompt: plannerPrompt(config), context: variable("context") };
  return [
    ...contextTasks(config),
    callAgent(planner, call, compiling),
    mergeContextTask(`${base}_planner_ctx_merge`, variable("context"), `${base}_planner`),
    setVariable(`${base}_planner_ctx_set`, { context: outputOf(`${base}_planner_ctx_merge`, "result") }),
    inline(`${base}_planner_coerce`, scriptOf(coerceText), { raw: outputOf(`${base}_planner`, "result") }),
  ];
}

/** Documents the planner should know, fetched side by side. */
function contextTasks(config: AgentConfig): TaskList {
  const entries = config.plannerContext ?? [];
  if (entries.length === 0) return [];
  const base = refName(config.name);
  const refOf = (index: number): string => `${base}_ctx_fetch_${index}`;
  const fetches = entries.flatMap((entry, index) => (entry.url === undefined ? [] : [fetchTask(refOf(index), entry)]));
  const refs = fetches.map((task) => String(task["taskReferenceName"]));
  return [
    ...(fetches.length < 2
      ? fetches
      : [
          forkJoin(
            `${base}_ctx_fork`,
            fetches.map((task) => [task]),
          ),
          join(`${base}_ctx_join`, refs),
        ]),
    inline(`${base}_ctx_build`, scriptOf(buildPlannerContext), {
      entries: entries.map((entry, index) => builtEntry(entry, refOf(index))),
    }),
  ];
}

const fetchTask = (ref: string, entry: PlannerContextEntry): JsonObject => ({
  ...systemTask(ref, "PLANNER_CONTEXT_FETCH", {
    url: entry.url ?? "",
    headers: secretHeaders(entry.headers ?? {}),
    required: entry.required,
    maxBytes: entry.maxBytes,
    ttl_seconds: entry.ttlSeconds,
  }),
  ...(entry.required ? {} : { optional: true }),
});

function builtEntry(entry: PlannerContextEntry, ref: string): JsonObject {
  if (entry.url === undefined) return { type: "text", text: escapeExpressions(entry.text ?? "") };
  return {
    type: "url",
    url: entry.url,
    required: entry.required,
    maxBytes: entry.maxBytes,
    body: outputOf(ref, "response.body"),
    statusCode: outputOf(ref, "response.statusCode"),
  };
}

function plannerPrompt(config: AgentConfig): string {
  const base = refName(config.name);
  const tools = toolsOf(config).map(({ name, description = "", inputSchema = {} }) => {
    const text = `- ${name}: ${description}\n  arguments: ${JSON.stringify(inputSchema)}`;
    return escapeExpressions(text);
  });
  return [
    promptOf(config),
    ...((config.plannerContext ?? []).length === 0 ? [] : [outputOf(`${base}_ctx_build`, "result")]),
    `# Tools of the plan\n${tools.join("\n")}`,
    planFormat,
  ].join("\n\n");
}

const planFormat = `# Form of the plan
Answer with a plan as a JSON object in a fenced json block:
{"steps": [{"id": "a", "depends_on": [], "parallel": false, "operations": [{"tool": "name", "args": {}}]}],
 "validation": [{"tool": "name", "args": {}, "success_condition": "$.passed == true"}],
 "on_success": [{"tool": "name", "args": {}}], "on_failure": []}
- A step runs after the steps in its depends_on. Operations of a step with "parallel": true run side by side, others one after the other.
- {"$ref": "id"} anywhere in args stands for the output of that step, which must be in depends_on.
- Where the arguments have to be written by a model, give an operation "generate": {"instructions": "...", "output_schema": "{...an example object...}", "context": {}} in place of "args".
- validation, on_success and on_failure may be left out. Use only the tools above.`;

type PlanReader = { readonly tasks: TaskList; readonly content: string };

/** Asks a tool for the plan: where a planner writes it into a file, say. */
export function planReader(config: AgentConfig, compiling: Compiling): PlanReader {
  const source = config.planSource;
  if (source === undefined) return { tasks: [], content: "" };
  const ref = `${refName(config.name)}_plan_reader`;
  const { task, result } = staticCall(config, compiling, { ref, toolName: source.tool, args: source.args });
  const forced = task["type"] === "SIMPLE" ? runInputs : {};
  const inputParameters = { ...(task["inputParameters"] as JsonObject), ...forced };
  return { tasks: [{ ...task, inputParameters, optional: true }], content: result };
}

const runInputs: JsonObject = {
  session_id: workflowInput("session_id"),
  cwd: workflowInput("cwd"),
  media: workflowInput("media"),
};
