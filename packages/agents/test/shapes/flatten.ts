import type { Json, JsonObject, WorkflowDef, WorkflowTask } from "@downbeat/engine";

/** A definition as facts: for each task where it stands, what it is and every leaf of its input; the same for workflows. */
export type Shape = {
  readonly tasks: ReadonlyMap<string, TaskShape>;
  /** Leaves of the workflows, of the one inside a task under that task's name. */
  readonly workflow: ReadonlyMap<string, Json>;
};

export type TaskShape = {
  readonly type: string;
  /** The container: the loop, the case of a switch, the branch of a fork; empty at the top. */
  readonly in: string;
  /** References that stand before it in the same container. */
  readonly after: readonly string[];
  readonly leaves: ReadonlyMap<string, Json>;
};

export function flatten(def: WorkflowDef): Shape {
  const tasks = new Map<string, TaskShape>();
  const workflow = new Map<string, Json>();
  addWorkflow(def, "", { tasks, workflow });
  return { tasks, workflow };
}

type Facts = { readonly tasks: Map<string, TaskShape>; readonly workflow: Map<string, Json> };

/** Kept by whoever stores the definition, or only a copy of what was sent. */
const leftOut = new Set(["agentDef", "normalizedAgentDef", "_graph_structure", "agent_sdk"]);

function addWorkflow(def: WorkflowDef, scope: string, facts: Facts): void {
  const { tasks, metadata, ...rest } = def;
  const kept = Object.fromEntries(Object.entries(metadata).filter(([key]) => !leftOut.has(key)));
  for (const [path, leaf] of leavesOf({ ...rest, metadata: kept } as unknown as JsonObject)) {
    facts.workflow.set(`${scope}@${path}`, leaf);
  }
  addTasks(tasks, "", scope, facts);
}

function addTasks(list: readonly WorkflowTask[], container: string, scope: string, facts: Facts): void {
  list.forEach((task, index) => {
    const {
      taskReferenceName: ref,
      type,
      decisionCases,
      defaultCase,
      forkTasks,
      loopOver,
      subWorkflowParam,
      ...rest
    } = task;
    const { workflowDefinition: inner, ...param } = subWorkflowParam ?? {};
    const own = {
      ...rest,
      ...(subWorkflowParam === undefined ? {} : { subWorkflowParam: param }),
      ...(typeof inner === "string" ? { workflowDefinition: inner } : {}),
    };
    facts.tasks.set(scope + ref, {
      type,
      in: container,
      after: list.slice(0, index).map((before) => before.taskReferenceName),
      leaves: leavesOf(own as unknown as JsonObject),
    });
    for (const [value, tasks] of Object.entries(decisionCases)) addTasks(tasks, `${ref}[${value}]`, scope, facts);
    addTasks(defaultCase, `${ref}[default]`, scope, facts);
    for (const [number, branch] of forkTasks.entries()) addTasks(branch, `${ref}[${number}]`, scope, facts);
    addTasks(loopOver, ref, scope, facts);
    if (typeof inner === "object") addWorkflow(inner, `${scope}${ref}>`, facts);
  });
}

function leavesOf(value: Json, path = "", found = new Map<string, Json>()): ReadonlyMap<string, Json> {
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  if (typeof value !== "object" || value === null || isEmpty) {
    found.set(path, value);
    return found;
  }
  for (const [key, member] of Object.entries(value)) {
    const name = Array.isArray(value) ? `[${key}]` : path === "" ? key : `.${key}`;
    leavesOf(member as Json, path + name, found);
  }
  return found;
}
