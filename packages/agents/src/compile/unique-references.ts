import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import type { TaskList } from "./tasks.ts";

/**
 * Gives a reference name that comes again a number behind it, and lets the expressions after it mean the new one: two
 * nodes of a graph may have the same worker.
 */
export function withUniqueReferences(
  tasks: TaskList,
  outputParameters: JsonObject,
): { readonly tasks: TaskList; readonly outputParameters: JsonObject } {
  const names = new Names();
  const renamed = tasks.map((task) => renameTask(task, names));
  return { tasks: renamed, outputParameters: names.rewrite(outputParameters) as JsonObject };
}

/** All reference names of these tasks and of those inside them. */
export function referencesIn(tasks: TaskList): readonly string[] {
  return tasks.flatMap((task) => [String(task["taskReferenceName"]), ...listsIn(task).flatMap(referencesIn)]);
}

/** The same value with other reference names: of its tasks, in its expressions and in its conditions. */
export function renameReferences(value: Json, names: ReadonlyMap<string, string>): Json {
  if (names.size === 0) return value;
  if (typeof value === "string") return renameInText(value, names);
  if (Array.isArray(value)) return value.map((item: Json) => renameReferences(item, names));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renameMember(key, member, names)]));
}

function renameMember(key: string, member: Json, names: ReadonlyMap<string, string>): Json {
  // A definition inside has names of its own.
  if (key === "workflowDefinition" && isJsonObject(member)) return member;
  if (key === "taskReferenceName" && typeof member === "string") return names.get(member) ?? member;
  if (key === "joinOn" && Array.isArray(member)) return member.map((ref: Json) => names.get(String(ref)) ?? ref);
  return renameReferences(member, names);
}

/** The names in `${name.…}` and, in conditions, in `$.name` and `$["name"]`. */
const renameInText = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replace(
    /(\$\{|\$\.|\$\[")([A-Za-z0-9_-]+)/g,
    (_whole, opening: string, name: string) => opening + (names.get(name) ?? name),
  );

class Names {
  readonly #taken = new Set<string>();
  /** What an old name means by now. */
  readonly #current = new Map<string, string>();

  take(ref: string): string {
    let name = ref;
    for (let number = 2; this.#taken.has(name); number++) name = `${ref}_${number}`;
    this.#taken.add(name);
    if (name !== ref) this.#current.set(ref, name);
    return name;
  }

  rewrite(value: Json): Json {
    return renameReferences(value, this.#current);
  }
}

const containers = ["loopOver", "decisionCases", "defaultCase", "forkTasks"];

/** A container takes the names of what it holds first: a loop's condition speaks of its body. */
function renameTask(task: JsonObject, names: Names): JsonObject {
  const ref = names.take(String(task["taskReferenceName"]));
  const inside = containers.flatMap((key) =>
    task[key] === undefined ? [] : [[key, renameLists(task[key], names)] as const],
  );
  const own = Object.fromEntries(
    Object.entries(task).filter(([key]) => !containers.includes(key) && key !== "taskReferenceName"),
  );
  return { ...(names.rewrite(own) as JsonObject), taskReferenceName: ref, ...Object.fromEntries(inside) };
}

/** Tasks, lists of tasks, or lists under the values of a switch. */
function renameLists(value: Json, names: Names): Json {
  if (Array.isArray(value))
    return value.map((item: Json) => (isTask(item) ? renameTask(item, names) : renameLists(item, names)));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, list]) => [key, renameLists(list, names)]));
}

const isTask = (value: Json): value is JsonObject => isJsonObject(value) && "taskReferenceName" in value;

const listsIn = (task: JsonObject): readonly TaskList[] =>
  containers.flatMap((key) => {
    const value = task[key];
    if (value === undefined) return [];
    const lists = isJsonObject(value)
      ? Object.values(value)
      : key === "forkTasks"
        ? (value as readonly Json[])
        : [value];
    return lists as unknown as readonly TaskList[];
  });
