import type { Json, JsonObject } from "@downbeat/engine";
import { escapeExpressions, type Helper, scriptOf } from "../scripts/script-of.ts";
import type { Tools } from "./validate.ts";

/** What the parts of one compilation share. */
export type Build = {
  readonly tools: Tools;
  /** `provider/model`, for generated arguments and judging guardrails that name none. */
  readonly model: string;
  /** A reference name: the words and the next number of the one counter of the plan. */
  readonly ref: (words: string) => string;
  /** The name, or the name with a number where it is taken already. */
  readonly unique: (name: string) => string;
  /** The expression for the output of a step that was built before. */
  readonly outputOf: (step: string) => string;
};

export function newBuild(tools: Tools, model: string, outputs: ReadonlyMap<string, string>): Build {
  const taken = new Set<string>();
  let count = 0;
  return {
    tools,
    model,
    ref: (words) => `${words}_${count++}`,
    unique(name) {
      let free = name;
      for (let number = 2; taken.has(free); number++) free = `${name}_${number}`;
      taken.add(free);
      return free;
    },
    outputOf: (step) => outputs.get(step) ?? "",
  };
}

/** As a part of a reference name, which an expression can name. */
export const safeName = (name: string): string => name.replace(/[^A-Za-z0-9_]/g, "_");

export type Task = JsonObject;

type Embedding<Known> = {
  /** Functions of the same file that the script calls. */
  readonly using?: readonly Helper[];
  /** Its second argument, known when the definition is made. */
  readonly constants?: Known;
};

export function inlineTask<Input, Known>(
  ref: string,
  input: JsonObject,
  script: (input: Input, known: Known) => unknown,
  { using, constants }: Embedding<Known> = {},
): Task {
  const expression = escapeExpressions(scriptOf(script, constants, undefined, using));
  return {
    name: "INLINE_TASK",
    taskReferenceName: ref,
    type: "INLINE",
    inputParameters: { evaluatorType: "graaljs", ...input, expression },
  };
}

/** A SWITCH on a value that is ready. */
export function switchTask(
  ref: string,
  value: string,
  cases: { readonly [value: string]: readonly Task[] },
  defaultCase: readonly Task[],
): Task {
  return {
    name: "switch",
    taskReferenceName: ref,
    type: "SWITCH",
    evaluatorType: "value-param",
    expression: "switchCaseValue",
    inputParameters: { switchCaseValue: value },
    decisionCases: cases,
    defaultCase,
  };
}

export function failTask(ref: string, reason: string): Task {
  return {
    name: "TERMINATE_TASK",
    taskReferenceName: ref,
    type: "TERMINATE",
    inputParameters: { terminationStatus: "FAILED", terminationReason: reason },
  };
}

export function forkTask(ref: string, name: string, branches: readonly (readonly Task[])[]): Task {
  return { name, taskReferenceName: ref, type: "FORK_JOIN", forkTasks: branches };
}

export function joinTask(ref: string, name: string, joinOn: readonly string[]): Task {
  return { name, taskReferenceName: ref, type: "JOIN", joinOn };
}

type Retries = {
  readonly name: string;
  readonly retryCount: number;
  readonly retryDelaySeconds: number;
  readonly timeoutSeconds?: number | undefined;
};

/**
 * How often a task is tried again. Of the entry itself only retryCount counts, so the task definition says the rest: one
 * of its own for what the server runs. Workers have theirs registered, with their credentials.
 */
export function serverRetries({ name, timeoutSeconds = 0, ...retries }: Retries): { readonly [name: string]: Json } {
  const timeout = timeoutSeconds > 0 ? { timeoutSeconds, timeoutPolicy: "RETRY" } : {};
  return {
    ...entryRetries(retries),
    taskDefinition: { name, ...entryRetries(retries), ...timeout },
  };
}

export const entryRetries = ({
  retryCount,
  retryDelaySeconds,
}: Omit<Retries, "name">): { readonly [name: string]: Json } => ({
  retryCount,
  retryLogic: "FIXED",
  retryDelaySeconds,
});
