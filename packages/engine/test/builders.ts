import type { Json, JsonObject } from "../src/index.ts";

/** A definition as a caller would post it, and the entries it is made of. */
export type Entry = { readonly [key: string]: unknown; readonly taskReferenceName: string; readonly type: string };
type Extra = { readonly [key: string]: unknown };

export const entry = (type: string, ref: string, extra: Extra = {}): Entry => ({
  name: ref,
  taskReferenceName: ref,
  type,
  ...extra,
});

/** A worker task, polled under its reference name. Unregistered ones are tried four times. */
export const simple = (ref: string, extra: Extra = {}): Entry => entry("SIMPLE", ref, extra);
/** A worker task that is not tried again. */
export const once = (ref: string, extra: Extra = {}): Entry => simple(ref, { retryCount: 0, ...extra });
export const noop = (ref: string, extra: Extra = {}): Entry => entry("NOOP", ref, extra);
export const human = (ref: string, extra: Extra = {}): Entry => entry("HUMAN", ref, extra);
export const wait = (ref: string, inputParameters: JsonObject = {}, extra: Extra = {}): Entry =>
  entry("WAIT", ref, { inputParameters, ...extra });
export const setVariable = (ref: string, inputParameters: JsonObject): Entry =>
  entry("SET_VARIABLE", ref, { inputParameters });
export const inline = (ref: string, expression: string, input: JsonObject = {}, extra: Extra = {}): Entry =>
  entry("INLINE", ref, { inputParameters: { evaluatorType: "graaljs", expression, ...input }, ...extra });
export const terminate = (ref: string, status: string, input: JsonObject = {}): Entry =>
  entry("TERMINATE", ref, { inputParameters: { terminationStatus: status, ...input } });
export const fork = (ref: string, ...forkTasks: readonly (readonly Entry[])[]): Entry =>
  entry("FORK_JOIN", ref, { forkTasks });
export const join = (ref: string, joinOn: readonly string[], extra: Extra = {}): Entry =>
  entry("JOIN", ref, { joinOn, ...extra });
export const subWorkflow = (ref: string, name: string, extra: Extra = {}): Entry =>
  entry("SUB_WORKFLOW", ref, { subWorkflowParam: { name }, ...extra });

export type Cases = { readonly [value: string]: readonly Entry[] };

/** A SWITCH on a value, which may be an expression. */
export const switchOn = (
  ref: string,
  value: Json,
  decisionCases: Cases,
  defaultCase: readonly Entry[] = [],
  extra: Extra = {},
): Entry =>
  entry("SWITCH", ref, {
    evaluatorType: "value-param",
    expression: "value",
    inputParameters: { value },
    decisionCases,
    defaultCase,
    ...extra,
  });

/** A loop with a condition over its own output, `$.<ref>.iteration < n` say. */
export const doWhile = (ref: string, loopCondition: string, loopOver: readonly Entry[], extra: Extra = {}): Entry =>
  entry("DO_WHILE", ref, {
    evaluatorType: "graaljs",
    loopCondition,
    loopOver,
    inputParameters: { [ref]: `\${${ref}.output}` },
    ...extra,
  });

/** A loop that runs `rounds` times. */
export const repeat = (ref: string, rounds: number, loopOver: readonly Entry[], extra: Extra = {}): Entry =>
  doWhile(ref, `$.${ref}.iteration < ${rounds}`, loopOver, extra);

/** A dynamic fork over task entries that are given literally, with the JOIN that must follow it. */
export const dynamicFork = (
  ref: string,
  tasks: Json | readonly Entry[],
  inputs: Json = {},
  extra: Extra = {},
): readonly [Entry, Entry] => [
  entry("FORK_JOIN_DYNAMIC", ref, {
    dynamicForkTasksParam: "tasks",
    dynamicForkTasksInputParamName: "inputs",
    inputParameters: { tasks, inputs },
    ...extra,
  }),
  join(`${ref}_join`, []),
];

export type WorkflowBuilder = {
  readonly def: Extra & { readonly name: string; readonly tasks: readonly Entry[] };
  add(...tasks: readonly Entry[]): WorkflowBuilder;
  simple(ref: string, extra?: Extra): WorkflowBuilder;
  once(ref: string, extra?: Extra): WorkflowBuilder;
  fork(...branches: readonly (readonly Entry[])[]): WorkflowBuilder;
  join(ref: string, joinOn: readonly string[], extra?: Extra): WorkflowBuilder;
  output(outputParameters: JsonObject): WorkflowBuilder;
  with(fields: Extra): WorkflowBuilder;
};

export function aWorkflow(name = "w"): WorkflowBuilder {
  return build({ name, version: 1, schemaVersion: 2, tasks: [] });
}

function build(def: WorkflowBuilder["def"]): WorkflowBuilder {
  const add = (...tasks: readonly Entry[]) => build({ ...def, tasks: [...def.tasks, ...tasks] });
  return {
    def,
    add,
    simple: (ref, extra) => add(simple(ref, extra)),
    once: (ref, extra) => add(once(ref, extra)),
    fork: (...branches) => add(fork("fork", ...branches)),
    join: (ref, joinOn, extra) => add(join(ref, joinOn, extra)),
    output: (outputParameters) => build({ ...def, outputParameters }),
    with: (fields) => build({ ...def, ...fields }),
  };
}
