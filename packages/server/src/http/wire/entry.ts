import {
  adHocTaskDef,
  embedTaskDef,
  normalizeWorkflowTask,
  type Plan,
  type Task,
  type TaskDef,
  type WorkflowTask,
} from "@downbeat/engine";

type FindTaskDef = (name: string) => TaskDef | undefined;

/** The definition's entry a task was made from. `root` is the root of the tree a dynamic fork brought in. */
export function findEntry(plan: Plan, task: Task, root: Task | undefined, findTaskDef: FindTaskDef): WorkflowTask {
  if (task.tree === 0) return plan.entries.get(task.ref)?.task ?? bareEntry(task);
  if (root?.entry === undefined) return bareEntry(task);
  const tree = embedTaskDef(normalizeWorkflowTask(JSON.parse(root.entry)), findTaskDef);
  return findInTree(tree, task.ref) ?? bareEntry(task);
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

const bareEntry = (task: Task): WorkflowTask =>
  normalizeWorkflowTask({
    name: task.taskDefName,
    taskReferenceName: task.ref,
    type: task.taskType,
    taskDefinition: adHocTaskDef(task.taskDefName, task.taskType),
  });
