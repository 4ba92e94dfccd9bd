import { adHocTaskDef } from "../definition/defaults.ts";
import { normalizeWorkflowDef } from "../definition/normalize.ts";
import type { TaskDef, WorkflowDef, WorkflowTask } from "../definition/types.ts";
import { compileTemplate } from "../expression/template.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Entry, EntryList, Plan, StateEvent } from "./plan.ts";

type Draft<T> = { -readonly [K in keyof T]: T[K] };
type EntryDraft = Omit<Draft<Entry>, "joinedBy"> & { joinedBy: Entry[] };

/** Compiles a definition whose entries carry their task definitions. Linear in its size. */
export function compilePlan(def: WorkflowDef): Plan {
  const entries = new Map<string, EntryDraft>();
  const root = compileList({ kind: "root", owner: undefined, tasks: def.tasks }, entries);
  linkJoins(entries);
  const output = Object.keys(def.outputParameters).length === 0 ? undefined : compileTemplate(def.outputParameters);
  const key = def.rateLimitConfig?.rateLimitKey;
  return { def, root, entries, output, rateLimitKey: key === undefined ? undefined : compileTemplate(key) };
}

/** A plan of one entry, for a task that a dynamic fork brought in: its successors are found in its own tree. */
export function compileTree(task: WorkflowTask): Plan {
  const entries = new Map<string, EntryDraft>();
  const root = compileList({ kind: "branch", owner: undefined, tasks: [task] }, entries);
  linkJoins(entries);
  return { def: treeDef, root, entries, output: undefined, rateLimitKey: undefined };
}

type ListSource = {
  readonly kind: EntryList["kind"];
  readonly owner: Entry | undefined;
  readonly tasks: readonly WorkflowTask[];
};

function compileList(source: ListSource, entries: Map<string, EntryDraft>): EntryList {
  const members: Entry[] = [];
  const list: EntryList = { kind: source.kind, owner: source.owner, entries: members };
  source.tasks.forEach((task, index) => {
    members.push(compileEntry(task, { list, index }, entries));
  });
  return list;
}

function compileEntry(
  task: WorkflowTask,
  place: { readonly list: EntryList; readonly index: number },
  entries: Map<string, EntryDraft>,
): Entry {
  const taskDef = task.taskDefinition ?? adHocTaskDef(task.name, task.type);
  const entry: EntryDraft = {
    ref: task.taskReferenceName,
    task,
    taskDef,
    list: place.list,
    index: place.index,
    input: compileTemplate(withInputTemplate(task.inputParameters, taskDef)),
    inputMembers: task.type === "DO_WHILE" ? compileMembers(task.inputParameters) : new Map(),
    inputFallback: Object.keys(taskDef.inputTemplate).length === 0 ? undefined : compileTemplate(taskDef.inputTemplate),
    joinedBy: [],
    cases: new Map(),
    defaultCase: undefined,
    branches: [],
    body: undefined,
    items: compileItems(task),
    subWorkflow: task.subWorkflowParam === undefined ? undefined : compileSubWorkflow(task),
    cacheKey: task.cacheConfig?.key === undefined ? undefined : compileTemplate(task.cacheConfig.key),
    sink: task.sink === undefined ? undefined : compileTemplate(task.sink),
    stateEvents: compileStateEvents(task),
  };
  entries.set(entry.ref, entry);
  const compile = (kind: EntryList["kind"], tasks: readonly WorkflowTask[]) =>
    compileList({ kind, owner: entry, tasks }, entries);
  switch (task.type) {
    case "SWITCH":
    case "DECISION":
      entry.cases = new Map(
        Object.entries(task.decisionCases).map(([value, tasks]) => [value, compile("case", tasks)]),
      );
      entry.defaultCase = compile("case", task.defaultCase);
      break;
    case "FORK_JOIN":
      entry.branches = task.forkTasks.map((tasks) => compile("branch", tasks));
      break;
    case "DO_WHILE":
      entry.body = compile("body", task.loopOver);
      break;
  }
  return entry;
}

/** Several transitions may share their events: `"onStart,onSuccess": [...]`. */
function compileStateEvents({ onStateChange }: WorkflowTask): Entry["stateEvents"] {
  const byTransition = new Map<string, StateEvent[]>();
  for (const [transitions, events] of Object.entries(onStateChange)) {
    const compiled = events.map(({ type = "", payload = {} }) => ({ type, payload: compileTemplate(payload) }));
    for (const name of transitions.split(",").map((part) => part.trim()))
      byTransition.set(name, [...(byTransition.get(name) ?? []), ...compiled]);
  }
  return byTransition.size === 0 ? undefined : byTransition;
}

/** Keys of the task definition's inputTemplate that the entry does not set itself. */
function withInputTemplate(inputParameters: JsonObject, taskDef: TaskDef): JsonObject {
  if (Object.keys(taskDef.inputTemplate).length === 0) return inputParameters;
  return { ...taskDef.inputTemplate, ...inputParameters };
}

const compileMembers = (inputParameters: JsonObject) =>
  new Map(Object.entries(inputParameters).map(([key, value]) => [key, compileTemplate(value)]));

function compileItems(task: WorkflowTask) {
  if (task.type !== "DO_WHILE") return undefined;
  const items: Json | undefined = task.items ?? task.inputParameters["_items"];
  return items === undefined || items === "" ? undefined : compileTemplate(items);
}

/** Everything of subWorkflowParam that may hold expressions; an inline definition object is taken as it is. */
function compileSubWorkflow(task: WorkflowTask) {
  const { workflowDefinition, ...param } = task.subWorkflowParam ?? {};
  const dynamic = typeof workflowDefinition === "string" ? { workflowDefinition } : {};
  return compileTemplate({ ...param, ...dynamic } as JsonObject);
}

function linkJoins(entries: ReadonlyMap<string, EntryDraft>): void {
  for (const entry of entries.values()) {
    if (entry.task.type !== "JOIN" && entry.task.type !== "EXCLUSIVE_JOIN") continue;
    const named = new Set([...entry.task.joinOn, ...entry.task.defaultExclusiveJoinTask]);
    for (const ref of named) entries.get(ref)?.joinedBy.push(entry);
  }
}

/** What a tree belongs to has no definition of its own. */
const treeDef = normalizeWorkflowDef({});
