import { ownMember } from "@downbeat/engine";
import { parseCondition } from "./condition.ts";
import { type Action, InvalidPlan, type Operation, type Plan, type Step } from "./plan.ts";
import { referenceIn, referencesIn } from "./references.ts";
import { argumentSchema, type Tool } from "./tool.ts";

export type Tools = ReadonlyMap<string, Tool>;

/** Finds everything that is wrong with what a plan says, and tells all of it at once. Throws InvalidPlan. */
export function validatePlan(plan: Plan, tools: Tools): void {
  const problems = [
    ...duplicates(plan.steps),
    ...plan.steps.flatMap((step) => checkStep(step, tools)),
    ...plan.steps.flatMap((step) => checkReferences(step, plan, tools)),
    ...checkActions("Validation", plan.validation, plan, tools),
    ...checkActions("on_success", plan.onSuccess, plan, tools),
    ...checkActions("on_failure", plan.onFailure, plan, tools),
    ...checkCallCounts(plan, tools),
  ];
  if (problems.length > 0) throw new InvalidPlan(`Plan validation: ${problems.join("; ")}`);
  checkConditions(plan);
}

function duplicates(steps: readonly Step[]): readonly string[] {
  const seen = new Set<string>();
  return steps.flatMap(({ id }) => {
    if (seen.has(id)) return [`Duplicate step id: ${id}`];
    seen.add(id);
    return [];
  });
}

function checkStep({ id, operations }: Step, tools: Tools): readonly string[] {
  if (operations.length === 0) return [`Step ${id} has no operations`];
  return operations.flatMap((operation, index) => checkOperation(operation, `Step ${id} op ${index}`, tools));
}

function checkOperation({ tool, args, generate }: Operation, where: string, tools: Tools): readonly string[] {
  if (tool === undefined) return [`${where} missing tool`];
  return [
    ...checkTool(tool, where, tools),
    ...(args === undefined && generate === undefined ? [`${where} needs args or generate`] : []),
  ];
}

function checkTool(name: string, where: string, tools: Tools): readonly string[] {
  const tool = tools.get(name);
  if (tool === undefined) return [`${where} uses unknown tool '${name}'`];
  // What such a tool calls is found by asking its server when a run starts; a plan is compiled without asking.
  return tool.type === "api" ? [`${where} uses tool '${name}' of type api, which a plan cannot call`] : [];
}

function checkReferences(step: Step, plan: Plan, tools: Tools): readonly string[] {
  const used = new Set<string>();
  for (const { args, generate } of step.operations) {
    referencesIn(args, used);
    referencesIn(generate?.["context"], used);
  }
  const problems = [...used].flatMap((ref) => checkReference(step, ref, plan));
  return [
    ...problems,
    ...step.operations.flatMap((operation, index) => checkLists(operation, index, step, plan, tools)),
  ];
}

function checkReference({ id, dependsOn }: Step, ref: string, { steps }: Plan): readonly string[] {
  if (ref === id) return [`Step ${id} has self-referential $ref to '${ref}'`];
  if (!steps.some((step) => step.id === ref)) return [`Step ${id} has $ref to unknown step '${ref}'`];
  return dependsOn.includes(ref) ? [] : [`Step ${id} $refs step '${ref}' but does not declare it in depends_on`];
}

/** The output of a parallel step is a list, which an argument of another type cannot take. */
function checkLists(
  { tool, args = {} }: Operation,
  index: number,
  { id }: Step,
  { steps }: Plan,
  tools: Tools,
): readonly string[] {
  const known = tools.get(tool ?? "");
  if (known === undefined) return [];
  return Object.entries(args).flatMap(([name, value]) => {
    const ref = referenceIn(value);
    if (ref === undefined) return [];
    const type = ownMember(argumentSchema(known, name), "type");
    const takesList = type === undefined || [type].flat().includes("array");
    if (takesList || !steps.some((step) => step.id === ref && step.isParallel)) return [];
    return [
      `Step ${id} op ${index} $refs parallel step '${ref}' (output is an array) into arg '${name}' of tool '${tool}' ` +
        `which declares type='${[type].flat().join("|")}' — either remove parallel=true on '${ref}', drop the Ref into ` +
        "an array-typed consumer, or aggregate first",
    ];
  });
}

/** Validators and actions come after every step, so they may use the output of each. */
function checkActions(what: string, actions: readonly Action[], { steps }: Plan, tools: Tools): readonly string[] {
  return actions.flatMap(({ tool, args }, index) => {
    const where = `${what} ${index}`;
    const unknown = [...referencesIn(args)].filter((ref) => !steps.some((step) => step.id === ref));
    return [
      ...(tool === undefined ? [`${where} missing tool`] : checkTool(tool, where, tools)),
      ...unknown.map((ref) => `${where} has $ref to unknown step '${ref}'`),
    ];
  });
}

/** on_success and on_failure never run both: the longer of the two counts. */
function checkCallCounts(plan: Plan, tools: Tools): readonly string[] {
  const before = [...plan.steps.flatMap(({ operations }) => operations), ...plan.validation];
  return [...tools.values()].flatMap(({ name, maxCalls }) => {
    if (maxCalls === undefined || maxCalls <= 0) return [];
    const count = (calls: readonly { readonly tool: string | undefined }[]) =>
      calls.filter(({ tool }) => tool === name).length;
    const calls = count(before) + Math.max(count(plan.onSuccess), count(plan.onFailure));
    return calls > maxCalls ? [`Tool '${name}' is called ${calls} times, its maximum is ${maxCalls} calls`] : [];
  });
}

function checkConditions({ validation }: Plan): void {
  validation.forEach(({ condition }, index) => {
    if (condition === undefined) return;
    try {
      parseCondition(condition);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new InvalidPlan(`Validation ${index} has unsafe success_condition: ${reason}`, { cause: error });
    }
  });
}
