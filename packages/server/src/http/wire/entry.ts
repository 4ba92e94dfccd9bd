import {
  adHocTaskDef,
  normalizeWorkflowTask,
  type Plan,
  type Task,
  type TaskDef,
  type WorkflowTask,
} from "@downbeat/engine";

type FindTaskDef = (name: string) => TaskDef | undefined;

/** The definition's entry a task was made from. `root` is the root of the tree a dynamic fork brought in. */
export function findEntry(plan: Plan, task: Task, root: Task | undefined, findTaskDef: FindTaskDef): WorkflowTask {
  if (task.status === "SKIPPED" && task.seq === 0) return passedEntry(task);
  if (task.tree === 0) return plan.entries.get(task.ref)?.task ?? bareEntry(task);
  if (root?.entry === undefined) return bareEntry(task);
  const tree = normalizeWorkflowTask(JSON.parse(root.entry));
  const entry = findInTree(tree, task.ref);
  return entry === undefined ? bareEntry(task) : withRegistered(entry, findTaskDef);
}

/** What a fork brought in shows a task definition only where one is registered. */
function withRegistered(entry: WorkflowTask, findTaskDef: FindTaskDef): WorkflowTask {
  const taskDefinition = entry.taskDefinition ?? findTaskDef(entry.name);
  return taskDefinition === undefined ? entry : { ...entry, taskDefinition };
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
