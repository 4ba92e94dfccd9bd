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

/**
 * Where a task's entry comes from: its own in the definition, or one like others that a fork brought in. Then it has a
 * model, which differs in name and parameters alone, and the reference name is the task's, not the entry's.
 */
export type FoundEntry = { readonly entry: WorkflowTask; readonly entryModel?: WorkflowTask };

/** Finds the entries that the tasks of one execution were made from. */
export class EntryFinder {
  readonly #plan: Plan;
  readonly #findTaskDef: FindTaskDef;
  #alike: AlikeEntries | undefined;
  /** Entries of branches, and the JSON they were stored as around their names. */
  readonly #branches: { readonly before: string; readonly after: string; readonly found: FoundEntry }[] = [];
  /** With what is registered for them, by the models they came from. */
  readonly #models = new Map<WorkflowTask, WorkflowTask>();

  constructor(plan: Plan, findTaskDef: FindTaskDef) {
    this.#plan = plan;
    this.#findTaskDef = findTaskDef;
  }

  /** `root` is the root of the tree a dynamic fork brought in. */
  find(task: Task, root: Task | undefined): FoundEntry {
    if (task.status === "SKIPPED" && task.seq === 0) return { entry: passedEntry(task) };
    if (task.tree === 0) return { entry: this.#plan.entries.get(task.ref)?.task ?? bareEntry(task) };
    if (root?.entry === undefined) return { entry: bareEntry(task) };
    return root.ref === task.ref ? this.#branch(root.entry, task.ref) : this.#inside(root.entry, task);
  }

  /** The model of an entry that a fork brought in. */
  model({ model }: AlikeEntry): WorkflowTask {
    let registered = this.#models.get(model);
    if (registered === undefined) {
      registered = this.#withRegistered(model);
      this.#models.set(model, registered);
    }
    return registered;
  }

  /** Most branches of a fork differ in their names alone: then only the first is looked into. */
  #branch(stored: string, ref: string): FoundEntry {
    const name = JSON.stringify(ref);
    const known = this.#branches.find(({ before, after }) => isBetween(stored, before, name, after));
    if (known !== undefined) return known.found;
    const alike = this.#normalize(stored);
    const found = { entry: this.#withRegistered(alike.task), entryModel: this.model(alike) };
    const [before = "", after, ...more] = stored.split(name);
    if (
      this.#branches.length < MOST_BRANCHES &&
      before.endsWith(NAME_FIELD) &&
      after !== undefined &&
      more.length === 0
    )
      this.#branches.push({ before, after, found });
    return found;
  }

  #inside(stored: string, task: Task): FoundEntry {
    const entry = findInTree(this.#normalize(stored).task, task.ref);
    return { entry: entry === undefined ? bareEntry(task) : this.#withRegistered(entry) };
  }

  #normalize(stored: string): AlikeEntry {
    this.#alike ??= new AlikeEntries();
    return this.#alike.normalize(JSON.parse(stored) as JsonObject);
  }

  /** What a fork brought in shows a task definition only where one is registered. */
  #withRegistered(entry: WorkflowTask): WorkflowTask {
    const taskDefinition = entry.taskDefinition ?? this.#findTaskDef(entry.name);
    return taskDefinition === undefined ? entry : { ...entry, taskDefinition };
  }
}

const NAME_FIELD = '"taskReferenceName":';

/** With parameters of their own, branches are all different: each would be compared with all before it. */
const MOST_BRANCHES = 8;

const isBetween = (text: string, before: string, middle: string, after: string): boolean =>
  text.length === before.length + middle.length + after.length &&
  text.startsWith(before) &&
  text.startsWith(middle, before.length) &&
  text.endsWith(after);

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
