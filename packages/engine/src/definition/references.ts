import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { isJsonPath } from "./json-path.ts";
import { clip } from "./problem.ts";
import type { WorkflowTask } from "./types.ts";

type ReferenceScope = {
  /** Every reference name of the definition. */
  readonly references: ReadonlySet<string>;
  readonly isEnvironment: (name: string) => boolean;
  /** Told what is wrong. */
  readonly report: (message: string) => void;
};

/** Reports each `${...}` in the input of a task that cannot be read or that names no task. */
export function checkReferences(task: WorkflowTask, scope: ReferenceScope): void {
  checkMap({ task, scope }, task.inputParameters);
}

type Input = { readonly task: WorkflowTask; readonly scope: ReferenceScope };

function checkMap(input: Input, map: JsonObject): void {
  for (const key of Object.keys(map)) checkValue(input, key, map[key]);
}

/** `key` is the key of the innermost map that holds the value. */
function checkValue(input: Input, key: string, value: Json | undefined): void {
  if (typeof value === "string") {
    checkText(input, key, value);
  } else if (Array.isArray(value)) {
    for (const element of value) checkValue(input, key, element);
  } else if (isJsonObject(value)) {
    checkMap(input, value);
  }
}

function checkText({ task, scope }: Input, key: string, text: string): void {
  for (const path of expressionsIn(text)) {
    const dot = path.indexOf(".");
    const name = dot === -1 ? path.trimEnd() : path.slice(0, dot);
    if (!isJsonPath(path)) {
      scope.report(`key: ${clip(key)} input parameter value: ${path} is not valid`);
    } else if (!isKnown(name, scope)) {
      scope.report(
        `taskReferenceName: ${name} for given task: ${clip(task.name)} input value: ${clip(key)} of input parameter: ${clip(text)} is not defined in workflow definition.`,
      );
    }
  }
}

/** Names that stand for a value without being a reference, next to those of the server's environment. */
const systemNames: ReadonlySet<string> = new Set(["CPEWF_TASK_ID", "NETFLIX_ENV", "NETFLIX_STACK"]);

function isKnown(name: string, { references, isEnvironment }: ReferenceScope): boolean {
  if (name === "workflow" || references.has(name)) return true;
  const loopTask = name.replace(/__\d+$/, ""); // `loop_task__2` is the second iteration of `loop_task`
  return references.has(loopTask) || systemNames.has(name) || isEnvironment(name);
}

/** The insides of `${...}`. The innermost ones when they nest; `$${...}` is an escape and holds none. */
function expressionsIn(text: string): readonly string[] {
  const found: string[] = [];
  let start: number | undefined;
  for (let at = text.indexOf("${"); at !== -1 && at < text.length; at++) {
    if (text[at] === "}") {
      if (start !== undefined) found.push(text.slice(start, at));
      start = undefined;
    } else if (text[at] === "$" && text[at + 1] === "{" && text[at - 1] !== "$") {
      start = at + 2;
    }
  }
  return found;
}
