import {
  AlikeEntries,
  type AlikeEntry,
  adHocTaskDef,
  type JsonObject,
  normalizeWorkflowTask,
  type Plan,
  type Task,
  type TaskDef,
  type WorkflowTask,
} from "@downbeat/engine";

type FindTaskDef = (name: string) => TaskDef | undefined;

/** Where a task's entry comes from: its own in the definition, or one like others that a fork brought in. */
export type FoundEntry = { readonly entry: WorkflowTask; readonly entryModel?: WorkflowTask };

/** Finds the entries that the tasks of one execution were made from. */
export class EntryFinder {
  readonly #plan: Plan;
  readonly #findTaskDef: FindTaskDef;
  #alike: AlikeEntries | undefined;

  constructor(plan: Plan, findTaskDef: FindTaskDef) {
    this.#plan = plan;
    this.#findTaskDef = findTaskDef;
  }

  /** `root` is the root of the tree a dynamic fork brought in. */
  find(task: Task, root: Task | undefined): FoundEntry {
    if (task.status === "SKIPPED" && task.seq === 0) return { entry: passedEntry(task) };
    if (task.tree === 0) return { entry: this.#plan.entries.get(task.ref)?.task ?? bareEntry(task) };
    if (root?.entry === undefined) return { entry: bareEntry(task) };
    this.#alike ??= new AlikeEntries();
    const tree = this.#alike.normalize(JSON.parse(root.entry) as JsonObject);
    if (tree.task.taskReferenceName === task.ref) return this.forked(tree);
    const entry = findInTree(tree.task, task.ref);
    return { entry: entry === undefined ? bareEntry(task) : this.#withRegistered(entry) };
  }

  /** An entry that a fork brought in. */
  forked({ task, model }: AlikeEntry): Required<FoundEntry> {
    return { entry: this.#withRegistered(task), entryModel: model };
  }

  /** What a fork brought in shows a task definition only where one is registered. */
  #withRegistered(entry: WorkflowTask): WorkflowTask {
    const taskDefinition = entry.taskDefinition ?? this.#findTaskDef(entry.name);
    return taskDefinition === undefined ? entry : { ...entry, taskDefinition };
  }
}

function findInTree(entry: WorkflowTask, ref: string): WorkflowTask | undefined {
  if (entry.taskReferenceName === ref) return entry;
  const lists = [...Object.values(entry.decisionCases), entry.defaultCase, ...entry.forkTasks, entry.loopOver];
  for (const inner of lists.flat()) {
    const found = findInTree(inner, ref);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A task that was skipped ahead of time shows its names and nothing else of its entry. */
const passedEntry = (task: Task): WorkflowTask =>
  normalizeWorkflowTask({ name: task.taskDefName, taskReferenceName: task.ref });

const bareEntry = (task: Task): WorkflowTask =>
  normalizeWorkflowTask({
    name: task.taskDefName,
    taskReferenceName: task.ref,
    type: task.taskType,
    taskDefinition: adHocTaskDef(task.taskDefName, task.taskType),
  });
