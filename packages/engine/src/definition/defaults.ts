import { normalizeTaskDef } from "./normalize.ts";
import type { TaskDef, WorkflowDef, WorkflowTask } from "./types.ts";

const plain = normalizeTaskDef({});

/** The task definition of an entry that has none of its own and whose name is not registered. Only workers are retried. */
export function adHocTaskDef(name: string, type: string): TaskDef {
  return { ...plain, name, retryCount: type === "SIMPLE" ? plain.retryCount : 0 };
}

/**
 * A copy of the definition in which every entry carries its task definition: its own, else the registered one of its
 * name, else an ad hoc one. An execution runs such a copy, so later changes of task definitions do not reach it.
 */
export function embedTaskDefs(def: WorkflowDef, find: FindTaskDef): WorkflowDef {
  return { ...def, tasks: embedInList(def.tasks, find) };
}

/** The same for a single task entry and the entries inside it. */
export function embedTaskDef(task: WorkflowTask, find: FindTaskDef): WorkflowTask {
  const cases = Object.entries(task.decisionCases);
  return {
    ...task,
    taskDefinition: task.taskDefinition ?? find(task.name) ?? adHocTaskDef(task.name, task.type),
    decisionCases: Object.fromEntries(cases.map(([value, tasks]) => [value, embedInList(tasks, find)])),
    defaultCase: embedInList(task.defaultCase, find),
    forkTasks: task.forkTasks.map((tasks) => embedInList(tasks, find)),
    loopOver: embedInList(task.loopOver, find),
  };
}

type FindTaskDef = (name: string) => TaskDef | undefined;

function embedInList(tasks: readonly WorkflowTask[], find: FindTaskDef): readonly WorkflowTask[] {
  return tasks.map((task) => embedTaskDef(task, find));
}
