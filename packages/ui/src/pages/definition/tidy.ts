import type { Json, JsonObject } from "../../api/types.ts";

/** What the server fills in when it is left out: a definition is easier to read without it. */
const definitionDefaults: Readonly<Record<string, Json>> = {
  inputParameters: [],
  outputParameters: {},
  variables: {},
  inputTemplate: {},
  metadata: {},
  maskedFields: [],
  enforceSchema: true,
  restartable: true,
  workflowStatusListenerEnabled: false,
};

const entryDefaults: Readonly<Record<string, Json>> = {
  inputParameters: {},
  decisionCases: {},
  defaultCase: [],
  forkTasks: [],
  startDelay: 0,
  joinOn: [],
  optional: false,
  defaultExclusiveJoinTask: [],
  asyncComplete: false,
  loopOver: [],
  onStateChange: {},
  permissive: false,
  metadata: {},
};

/** Kept by the server, not written by people. */
const kept = new Set(["createTime", "updateTime", "createdBy", "updatedBy"]);
const first = ["name", "version", "description", "ownerEmail", "inputParameters", "tasks"];
const firstOfEntry = ["name", "taskReferenceName", "type", "description"];

/** A definition as people write it: what matters first, defaults left out. Saving it gives the same definition. */
export function toText(definition: object): string {
  const { tasks, ...rest } = definition as JsonObject;
  const tidied = { ...without(rest, definitionDefaults), tasks: tidyEntries(tasks ?? []) };
  const shown = Object.fromEntries(Object.entries(tidied).filter(([key]) => !kept.has(key)));
  return JSON.stringify(inOrder(shown, first), null, 2);
}

function tidyEntries(entries: Json): Json {
  return Array.isArray(entries) ? entries.map(tidyEntry) : entries;
}

function tidyEntry(entry: Json): Json {
  if (!isObject(entry)) return Array.isArray(entry) ? entry.map(tidyEntry) : entry;
  const tidied: Record<string, Json> = { ...without(entry, entryDefaults) };
  for (const key of ["defaultCase", "forkTasks", "loopOver"]) {
    if (tidied[key] !== undefined) tidied[key] = tidyEntries(tidied[key]);
  }
  const cases = tidied["decisionCases"];
  if (isObject(cases)) {
    tidied["decisionCases"] = Object.fromEntries(Object.entries(cases).map(([key, list]) => [key, tidyEntries(list)]));
  }
  return inOrder(tidied, firstOfEntry);
}

function without(value: JsonObject, defaults: Readonly<Record<string, Json>>): JsonObject {
  const isDefault = (key: string, given: Json) =>
    Object.hasOwn(defaults, key) && JSON.stringify(given) === JSON.stringify(defaults[key]);
  return Object.fromEntries(Object.entries(value).filter(([key, given]) => !isDefault(key, given)));
}

function inOrder(value: JsonObject, keys: readonly string[]): JsonObject {
  const rank = (key: string) => (keys.includes(key) ? keys.indexOf(key) : keys.length);
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => rank(a) - rank(b)));
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
