import { compilePlan, normalizeWorkflowDef, validateWorkflowDef, type WorkflowDef } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import { compileAgent, InvalidAgent, readAgentConfig } from "../../src/index.ts";
import { hasFixtures, namesIn, readFixture } from "../support/fixtures.ts";
import { differences } from "./compare.ts";
import deviations from "./deviations.json" with { type: "json" };
import { flatten } from "./flatten.ts";

type Recorded =
  | { readonly workflowDef: unknown; readonly simpleTaskNames: readonly string[] }
  | { readonly error: string };

const extra = namesIn("configs/extra").map((name) => ["extra", name] as const);
const javascript = namesIn("configs/javascript").map((name) => ["javascript", name] as const);
const python = namesIn("configs/python").map((name) => ["python", name] as const);

/** Deviations of one agent, in the order the comparison gives them. */
function expected(name: string): readonly string[] {
  const byRule = (deviations.agents as Record<string, Record<string, readonly string[]>>)[name] ?? {};
  return Object.values(byRule).flat().sort();
}

describe.runIf(hasFixtures)("the shape of a compiled agent", () => {
  test.each([...javascript, ...extra])(
    "is the recorded one, apart from the listed deviations: %s/%s",
    (folder, name) => {
      const recorded = readFixture(`shapes/${name}`) as Recorded;
      expect(compared(readFixture(`configs/${folder}/${name}`), recorded)).toEqual(expected(name));
    },
  );

  test.each([...javascript, ...extra, ...python])("passes the engine's own checks: %s/%s", (folder, name) => {
    const def = compiledOrError(readFixture(`configs/${folder}/${name}`));
    if (typeof def === "string") return;
    for (const inner of [def, ...definitionsIn(def)]) {
      expect(validateWorkflowDef(inner, { prefix: "", strict: true })).toEqual([]);
      compilePlan(inner);
    }
  });

  test.each(python)("is the same for an agent that comes from Python: %s/%s", (folder, name) => {
    const ours = compiledOrError(readFixture(`configs/${folder}/${name}`)) as WorkflowDef;
    const other = compiledOrError(readFixture(`configs/javascript/${name}`)) as WorkflowDef;
    const places = (def: WorkflowDef) => [...flatten(def).tasks].map(([ref, task]) => [ref, task.type, task.in]);
    expect(places(ours)).toEqual(places(other));
  });

  test("has no deviation of an agent that is not there, and none without a rule", () => {
    const known = new Set([...javascript, ...extra].map(([, name]) => name));
    const rules = new Set(Object.keys(deviations.rules));
    const agents = Object.entries(deviations.agents as Record<string, Record<string, readonly string[]>>);
    expect(agents.map(([name]) => name).filter((name) => !known.has(name))).toEqual([]);
    expect(agents.flatMap(([, byRule]) => Object.keys(byRule)).filter((rule) => !rules.has(rule))).toEqual([]);
  });
});

function compared(config: unknown, recorded: Recorded): readonly string[] {
  const def = compiledOrError(config);
  if ("error" in recorded) {
    const message = typeof def === "string" ? def : "none";
    return message === recorded.error ? [] : [`error = ${message}`];
  }
  if (typeof def === "string") return [`error = ${def}`];
  const shape = normalizeWorkflowDef(recorded.workflowDef);
  const names = [...new Set(simpleNames(def))];
  return [
    ...differences(flatten(def), flatten(shape)),
    ...(JSON.stringify(names) === JSON.stringify(recorded.simpleTaskNames)
      ? []
      : [`simpleTaskNames = ${names.join(", ")}`]),
  ].sort();
}

function compiledOrError(config: unknown): WorkflowDef | string {
  try {
    return compileAgent(readAgentConfig(config)).workflowDef;
  } catch (error) {
    if (error instanceof InvalidAgent) return error.message;
    throw error;
  }
}

const simpleNames = (def: WorkflowDef): readonly string[] =>
  [...flatten(def).tasks.values()]
    .filter(({ type }) => type === "SIMPLE")
    .map(({ leaves }) => String(leaves.get("name")));

function definitionsIn(def: WorkflowDef): readonly WorkflowDef[] {
  const inside = def.tasks.flatMap(function find(task): WorkflowDef[] {
    const inner = task.subWorkflowParam?.workflowDefinition;
    const lists = [...Object.values(task.decisionCases), task.defaultCase, ...task.forkTasks, task.loopOver];
    return [...(typeof inner === "object" ? [inner] : []), ...lists.flat().flatMap(find)];
  });
  return inside.flatMap((inner) => [inner, ...definitionsIn(inner)]);
}
