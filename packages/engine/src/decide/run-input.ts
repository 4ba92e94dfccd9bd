import type { Task } from "../execution/task.ts";
import type { SecretPlace } from "../expression/secret-place.ts";
import { substituteSecrets } from "../expression/secrets.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Transition } from "./transition.ts";

/** Marks of secret references in a part of the task's input, as they stand in that part alone. */
export function secretsUnder(task: Task, ...path: readonly string[]): SecretPlace[] {
  const places = task.secrets === undefined ? [] : (JSON.parse(task.secrets) as SecretPlace[]);
  return places
    .filter((place) => path.every((key, depth) => place.path[depth] === key))
    .map((place) => ({ ...place, path: place.path.slice(path.length) }));
}

/** The input as the task's own code sees it: secrets filled in where the definition asked for them. Never stored. */
export function runInput(t: Transition, task: Task): JsonObject {
  const stored = t.input(task.no).value;
  const input = isJsonObject(stored) ? stored : {};
  if (task.secrets === undefined) return input;
  const places = JSON.parse(task.secrets) as SecretPlace[];
  const filled = substituteSecrets(input, places, (name) => t.context.findSecret(name));
  return isJsonObject(filled) ? filled : {};
}
