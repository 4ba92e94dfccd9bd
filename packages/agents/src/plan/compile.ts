import { type Json, type JsonObject, normalizeWorkflowDef, validateWorkflowDef } from "@downbeat/engine";
import { newBuild, safeName, type Task } from "./build.ts";
import { inOrder } from "./order.ts";
import { InvalidPlan, type Plan, readPlan } from "./plan.ts";
import { stepTasks } from "./steps.ts";
import { readTool } from "./tool.ts";
import { type Tools, validatePlan } from "./validate.ts";
import { validationTasks } from "./validation.ts";

export type PlanRequest = {
  /** The plan, or its JSON text. */
  readonly plan: Json | undefined;
  /** The agent that asks for it. */
  readonly parentName: string;
  /** For generated arguments: `provider/model`. */
  readonly model?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly tools: readonly JsonObject[];
  /** Tools that may be called though nothing more is known of them: workers. */
  readonly toolNames?: readonly string[];
};

/** Mistakes in a plan are an answer, not a failure: whoever made the plan is told, or a fallback takes over. */
export type CompiledPlan = {
  readonly workflowDef: JsonObject | null;
  readonly workflowName: string;
  readonly error: string | null;
  readonly warnings: readonly string[];
  readonly stats: JsonObject;
};

const DEFAULT_MODEL = "openai/gpt-4o-mini";
const DEFAULT_TIMEOUT_SECONDS = 600;

/** A plan as a workflow definition that runs it. Pure, and it never throws. */
export function compilePlan(request: PlanRequest): CompiledPlan {
  const workflowName = `pe_${safeName(request.parentName)}_plan`;
  const warnings: string[] = [];
  try {
    const plan = readPlan(request.plan, warnings);
    const tools = toolsOf(request);
    validatePlan(plan, tools);
    const workflowDef = buildDefinition(plan, tools, { ...request, workflowName });
    const problem = findProblem(workflowDef);
    if (problem !== undefined) throw new Error(problem);
    const stats = { stepCount: plan.steps.length, taskCount: (workflowDef["tasks"] as readonly Json[]).length };
    return { workflowDef, workflowName, error: null, warnings, stats };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const told = error instanceof InvalidPlan ? message : `Compiler internal error: ${message}`;
    return { workflowDef: null, workflowName, error: told, warnings, stats: {} };
  }
}

function toolsOf({ tools, toolNames = [] }: PlanRequest): Tools {
  const known = tools.map((raw) => readTool(raw));
  const workers = toolNames.map((name) => readTool({ name }));
  return new Map([...workers, ...known].map((tool) => [tool.name, tool]));
}

function buildDefinition(
  plan: Plan,
  tools: Tools,
  request: PlanRequest & { readonly workflowName: string },
): JsonObject {
  const { model, timeoutSeconds = 0, workflowName } = request;
  const outputs = new Map<string, string>();
  const build = newBuild(tools, model || DEFAULT_MODEL, outputs);
  const tasks: Task[] = [];
  let result = "";
  for (const step of inOrder(plan.steps)) {
    const built = stepTasks(step, build);
    tasks.push(...built.tasks);
    outputs.set(step.id, built.output);
    result = built.output;
  }
  let status = "completed";
  if (plan.validation.length > 0) {
    const validation = validationTasks(plan, build);
    tasks.push(...validation.tasks);
    result = validation.output;
    status = validation.output;
  }
  return {
    name: workflowName,
    version: 1,
    tasks,
    outputParameters: { result, status },
    timeoutPolicy: "TIME_OUT_WF",
    timeoutSeconds: timeoutSeconds > 0 ? timeoutSeconds : DEFAULT_TIMEOUT_SECONDS,
    schemaVersion: 2,
  };
}

/** What the engine has against a definition: better said here than when the plan is to run. */
function findProblem(workflowDef: JsonObject): string | undefined {
  const [problem] = validateWorkflowDef(normalizeWorkflowDef(workflowDef), { prefix: "workflowDef", strict: true });
  return problem === undefined ? undefined : `${problem.path}: ${problem.message}`;
}
