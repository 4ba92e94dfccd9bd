import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import type { TaskList } from "./tasks.ts";

/**
 * Gives a reference name that comes again a number behind it, and lets the expressions after it mean the new one: names
 * that differ only in characters a reference name cannot hold become the same.
 */
export function withUniqueReferences(
  tasks: TaskList,
  outputParameters: JsonObject,
): { readonly tasks: TaskList; readonly outputParameters: JsonObject } {
  const names = new Names();
  const renamed = tasks.map((task) => renameTask(task, names));
  return { tasks: renamed, outputParameters: names.rewrite(outputParameters) as JsonObject };
}

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

  current(ref: string): string {
    return this.#current.get(ref) ?? ref;
  }

  rewrite(value: Json): Json {
    if (this.#current.size === 0) return value;
    if (typeof value === "string") return this.#rewriteText(value);
    if (Array.isArray(value)) return value.map((item: Json) => this.rewrite(item));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.rewrite(member)]));
  }

  #rewriteText(text: string): string {
    // The names in `${name.…}` and, in conditions, in `$.name`.
    return text.replace(/(\$\{|\$\.)([A-Za-z0-9_-]+)/g, (whole, opening: string, name: string) => {
      const current = this.#current.get(name);
      return current === undefined ? whole : opening + current;
    });
  }
}

/** Containers first take the names of what they hold: a loop's condition speaks of its body. */
function renameTask(task: JsonObject, names: Names): JsonObject {
  const ref = names.take(String(task["taskReferenceName"]));
  const list = (value: Json | undefined): readonly JsonObject[] =>
    (Array.isArray(value) ? (value as readonly JsonObject[]) : []).map((inner) => renameTask(inner, names));
  const inside: Record<string, Json> = {};
  if (task["loopOver"] !== undefined) inside["loopOver"] = list(task["loopOver"]);
  if (isJsonObject(task["decisionCases"])) {
    inside["decisionCases"] = Object.fromEntries(
      Object.entries(task["decisionCases"]).map(([value, cases]) => [value, list(cases)]),
    );
  }
  if (task["defaultCase"] !== undefined) inside["defaultCase"] = list(task["defaultCase"]);
  if (Array.isArray(task["forkTasks"])) inside["forkTasks"] = task["forkTasks"].map((branch: Json) => list(branch));
  const {
    loopOver: _body,
    decisionCases: _cases,
    defaultCase: _default,
    forkTasks: _branches,
    subWorkflowParam,
    ...own
  } = task;
  const joinOn = Array.isArray(own["joinOn"]) ? own["joinOn"].map((name) => names.current(String(name))) : undefined;
  return {
    ...(names.rewrite(own) as JsonObject),
    taskReferenceName: ref,
    ...(joinOn === undefined ? {} : { joinOn }),
    // A definition inside has names of its own.
    ...(subWorkflowParam === undefined ? {} : { subWorkflowParam }),
    ...inside,
  };
}
