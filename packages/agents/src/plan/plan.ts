import { isJsonObject, type Json, type JsonObject, ownMember } from "@downbeat/engine";

/** A plan as a planner writes it. */
export type Plan = {
  readonly steps: readonly Step[];
  readonly validation: readonly Validator[];
  readonly onSuccess: readonly Action[];
  readonly onFailure: readonly Action[];
};

export type Step = {
  readonly id: string;
  /** The steps of the plan it waits for. */
  readonly dependsOn: readonly string[];
  readonly isParallel: boolean;
  readonly operations: readonly Operation[];
};

/** A call of a tool. Its arguments are in the plan, or a model writes them. */
export type Operation = {
  readonly tool: string | undefined;
  readonly args: JsonObject | undefined;
  readonly generate: JsonObject | undefined;
};

export type Action = { readonly tool: string | undefined; readonly args: JsonObject };
export type Validator = Action & { readonly condition: string | undefined };

/** A plan that cannot be used; the message is for whoever wrote it. */
export class InvalidPlan extends Error {
  override readonly name = "InvalidPlan";
}

/** More than a planner writes: a plan beyond this is one that went wrong. */
const MAX_STEPS = 1000;
const MAX_OPERATIONS = 2000;

/** Reads a plan, given as an object or as its JSON text. Says in `warnings` what it mended; throws InvalidPlan. */
export function readPlan(planJson: Json | undefined, warnings: string[]): Plan {
  const plan = typeof planJson === "string" ? parse(planJson) : planJson;
  if (!isJsonObject(plan)) throw new InvalidPlan("Plan must be a JSON object");
  const steps = ownMember(plan, "steps");
  if (!Array.isArray(steps) || steps.length === 0) throw new InvalidPlan("Plan must have a non-empty steps array");
  if (steps.length > MAX_STEPS) throw new InvalidPlan(`Plan must have at most ${MAX_STEPS} steps, got ${steps.length}`);
  const read = readSteps(steps, warnings);
  const operations = read.reduce((sum, step) => sum + step.operations.length, 0);
  if (operations > MAX_OPERATIONS) {
    throw new InvalidPlan(`Plan must have at most ${MAX_OPERATIONS} operations, got ${operations}`);
  }
  return {
    steps: read,
    validation: objectsIn(plan, "validation").map((raw) => ({
      ...readAction(raw),
      condition: textIn(raw, "success_condition"),
    })),
    onSuccess: objectsIn(plan, "on_success").map(readAction),
    onFailure: objectsIn(plan, "on_failure").map(readAction),
  };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidPlan(`Invalid plan JSON: ${reason}`, { cause: error });
  }
}

function readSteps(raws: readonly Json[], warnings: string[]): readonly Step[] {
  const ids = raws.map((raw, index) => {
    const id = isJsonObject(raw) ? idOf(raw) : undefined;
    if (id === undefined) warnings.push(`Auto-generated id for step at index ${index}: step_${index}`);
    return id ?? `step_${index}`;
  });
  const known = new Set(ids);
  return raws.map((raw, index) => readStep(isJsonObject(raw) ? raw : {}, ids[index] ?? "", { known, warnings }));
}

function readStep(
  raw: JsonObject,
  id: string,
  { known, warnings }: { readonly known: ReadonlySet<string>; readonly warnings: string[] },
): Step {
  const dependsOn = [...new Set(listIn(raw, "depends_on").map(stepName))];
  for (const dep of dependsOn) {
    if (!known.has(dep)) warnings.push(`Step ${id} dropped unknown dep: ${dep}`);
  }
  return {
    id,
    dependsOn: dependsOn.filter((dep) => known.has(dep)),
    isParallel: ownMember(raw, "parallel") === true,
    operations: listIn(raw, "operations").map(readOperation),
  };
}

/** What stands for a step: a text, or a number a model wrote for one. */
const stepName = (dep: Json): string => (typeof dep === "string" ? dep : JSON.stringify(dep));

function readOperation(raw: Json): Operation {
  const operation = isJsonObject(raw) ? raw : {};
  return {
    tool: textIn(operation, "tool"),
    args: objectIn(operation, "args"),
    generate: objectIn(operation, "generate"),
  };
}

const readAction = (raw: JsonObject): Action => ({ tool: textIn(raw, "tool"), args: objectIn(raw, "args") ?? {} });

function idOf(raw: JsonObject): string | undefined {
  const id = ownMember(raw, "id");
  return typeof id === "number" ? String(id) : textIn(raw, "id");
}

function textIn(raw: JsonObject, name: string): string | undefined {
  const value = ownMember(raw, name);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function objectIn(raw: JsonObject, name: string): JsonObject | undefined {
  const value = ownMember(raw, name);
  return isJsonObject(value) ? value : undefined;
}

/** A single value counts as a list of one. */
function listIn(raw: JsonObject, name: string): readonly Json[] {
  const value = ownMember(raw, name);
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

const objectsIn = (raw: JsonObject, name: string): readonly JsonObject[] => listIn(raw, name).filter(isJsonObject);
