import type { Json, JsonObject } from "@downbeat/engine";
import { escapeExpressions } from "../scripts/script-of.ts";

/** Entries of a workflow definition. A task's name is its reference name where nothing else is said. */

export type TaskList = readonly JsonObject[];

export const inline = (ref: string, script: string, inputs: JsonObject = {}, name = ref): JsonObject => ({
  name,
  taskReferenceName: ref,
  type: "INLINE",
  // The script stands in the task's input, where the engine looks for expressions.
  inputParameters: { evaluatorType: "graaljs", expression: escapeExpressions(script), ...inputs },
});

export const setVariable = (ref: string, variables: JsonObject): JsonObject => ({
  name: ref,
  taskReferenceName: ref,
  type: "SET_VARIABLE",
  inputParameters: variables,
});

export const simple = (ref: string, name: string, inputs: JsonObject): JsonObject => ({
  name,
  taskReferenceName: ref,
  type: "SIMPLE",
  inputParameters: inputs,
});

type Cases = { readonly [value: string]: TaskList };

/** A SWITCH on a value that is ready. */
export const switchOn = (ref: string, value: string, cases: Cases, defaultCase: TaskList = []): JsonObject => ({
  name: ref,
  taskReferenceName: ref,
  type: "SWITCH",
  inputParameters: { switchCaseValue: value },
  evaluatorType: "value-param",
  expression: "switchCaseValue",
  decisionCases: cases,
  defaultCase,
});

type ScriptedSwitch = {
  readonly ref: string;
  readonly name?: string;
  readonly script: string;
  readonly inputs: JsonObject;
  readonly cases: Cases;
  readonly defaultCase?: TaskList;
};

export const switchBy = ({ ref, name = ref, script, inputs, cases, defaultCase = [] }: ScriptedSwitch): JsonObject => ({
  name,
  taskReferenceName: ref,
  type: "SWITCH",
  inputParameters: inputs,
  evaluatorType: "graaljs",
  expression: script,
  decisionCases: cases,
  defaultCase,
});

/** A SWITCH whose one case is taken when the input of the same name is true. */
export const switchIf = (ref: string, flag: string, value: string, then: TaskList, otherwise: TaskList): JsonObject =>
  switchBy({
    ref,
    script: `$.${flag} === true ? '${flag}' : 'default'`,
    inputs: { [flag]: value },
    cases: { [flag]: then },
    defaultCase: otherwise,
  });

type Loop = {
  readonly ref: string;
  readonly condition: string;
  readonly inputs: JsonObject;
  readonly body: TaskList;
};

export const doWhile = ({ ref, condition, inputs, body }: Loop): JsonObject => ({
  name: ref,
  taskReferenceName: ref,
  type: "DO_WHILE",
  inputParameters: { [ref]: `\${${ref}}`, ...inputs },
  loopCondition: condition,
  loopOver: body,
});

export const join = (ref: string, joinOn: readonly string[] = [], name = ref): JsonObject => ({
  name,
  taskReferenceName: ref,
  type: "JOIN",
  inputParameters: {},
  joinOn,
});

export const forkJoin = (ref: string, branches: readonly TaskList[], joinOn: readonly string[] = []): JsonObject => ({
  name: ref,
  taskReferenceName: ref,
  type: "FORK_JOIN",
  inputParameters: {},
  forkTasks: branches,
  joinOn,
});

/** A dynamic fork of the tasks an INLINE task made, and its JOIN. */
export const dynamicFork = (ref: string, joinRef: string, tasks: string, inputs: Json): TaskList => [
  {
    name: "FORK_JOIN_DYNAMIC",
    taskReferenceName: ref,
    type: "FORK_JOIN_DYNAMIC",
    inputParameters: { dynamicTasks: tasks, dynamicTasksInputs: inputs },
    dynamicForkTasksParam: "dynamicTasks",
    dynamicForkTasksInputParamName: "dynamicTasksInputs",
  },
  join(joinRef, [], "JOIN"),
];

export const subWorkflow = (ref: string, name: string, inputs: JsonObject, param: JsonObject): JsonObject => ({
  name,
  taskReferenceName: ref,
  type: "SUB_WORKFLOW",
  inputParameters: inputs,
  subWorkflowParam: param,
});

export const human = (ref: string, inputs: JsonObject): JsonObject => ({
  name: ref,
  taskReferenceName: ref,
  type: "HUMAN",
  inputParameters: inputs,
});

export const terminate = (
  ref: string,
  status: "COMPLETED" | "FAILED",
  reason: string,
  workflowOutput?: JsonObject,
): JsonObject => ({
  name: ref,
  taskReferenceName: ref,
  type: "TERMINATE",
  inputParameters: {
    terminationStatus: status,
    terminationReason: reason,
    ...(workflowOutput === undefined ? {} : { workflowOutput }),
  },
});

/** A task of a type the server runs. */
export const systemTask = (ref: string, type: string, inputs: JsonObject, name = type): JsonObject => ({
  name,
  taskReferenceName: ref,
  type,
  inputParameters: inputs,
});
