import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { below } from "./problem.ts";

/**
 * Paths, below the definition, of required fields that the caller left out or set to null: `name`, `tasks[0].type`.
 * Normalizing fills them in, and validation treats a field left out differently from an empty one.
 * Takes the JSON of a workflow definition or of a task definition, as it came.
 */
export function findMissingFields(json: unknown): ReadonlySet<string> {
  const missing = new Set<string>();
  if (!isJsonObject(json)) return missing;
  if (isAbsent(json["name"])) missing.add("name");
  const lists: TaskList[] = [{ path: "tasks", tasks: json["tasks"] }];
  for (let list = lists.pop(); list !== undefined; list = lists.pop()) {
    if (!Array.isArray(list.tasks)) continue;
    for (const [index, task] of list.tasks.entries()) {
      if (!isJsonObject(task)) continue;
      const path = below(list.path, `[${index}]`);
      for (const field of requiredFields) {
        if (isAbsent(task[field])) missing.add(`${path}.${field}`);
      }
      for (const nested of nestedLists(task, path)) lists.push(nested);
    }
  }
  return missing;
}

type TaskList = { readonly path: string; readonly tasks: Json | undefined };

const requiredFields = ["name", "taskReferenceName", "type"] as const;

function* nestedLists(task: JsonObject, path: string): Generator<TaskList> {
  const { decisionCases, defaultCase, forkTasks, loopOver } = task;
  if (isJsonObject(decisionCases)) {
    for (const [value, tasks] of Object.entries(decisionCases)) {
      yield { path: below(path, `.decisionCases[${value}].<map value>`), tasks };
    }
  }
  if (Array.isArray(forkTasks)) {
    for (const [index, tasks] of forkTasks.entries()) {
      yield { path: below(path, `.forkTasks[${index}].<list element>`), tasks };
    }
  }
  yield { path: below(path, ".defaultCase"), tasks: defaultCase };
  yield { path: below(path, ".loopOver"), tasks: loopOver };
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null;
}
