import type { Head } from "../execution/head.ts";
import { taskId } from "../execution/ids.ts";
import { referenceTaskName, type Task } from "../execution/task.ts";
import { RawJson } from "../expression/raw-json.ts";
import { bareReference } from "../expression/reference-name.ts";
import type { Lazy, Node, Scope } from "../expression/scope.ts";
import { joinOutput } from "./join-output.ts";
import { loopOutput } from "./loop-output.ts";
import type { Transition } from "./transition.ts";

/** What expressions see. `forNo` is the number of the task whose input is being made. */
export function scopeOf(t: Transition, forNo: number): Scope {
  const { context } = t;
  return {
    missing: context.settings.missingPath,
    root: (name) => (name === "workflow" ? workflowNode(t) : taskRoot(t, name)),
    constant: (name) => (name === "CPEWF_TASK_ID" ? taskId(t.head.id, forNo) : context.constant(name)),
    environment: (name) => context.environment(name),
  };
}

function taskRoot(t: Transition, name: string): Node | undefined {
  const task = findByReference(t, name);
  return task === undefined ? undefined : taskNode(t, task);
}

/** By bare reference the youngest task; with `__<n>` the task of that iteration. */
export function findByReference(t: Transition, name: string): Task | undefined {
  const latest = t.findLatest(name);
  if (latest !== undefined) return latest;
  const bare = bareReference(name);
  return bare === name ? undefined : t.findInIteration(bare, name.slice(bare.length + 2));
}

function taskNode(t: Transition, task: Task): Lazy {
  return {
    lazy: true,
    get(key) {
      switch (key) {
        case "input":
          return inputNode(t, task);
        case "output":
          return outputNode(t, task);
        default:
          return taskField(t, task, key);
      }
    },
    whole: () => {
      const all: Record<string, unknown> = {};
      for (const key of taskFields) {
        const value = taskField(t, task, key);
        if (value !== undefined) all[key] = value;
      }
      return {
        ...all,
        input: inputNode(t, task).value,
        output: wholeValue(outputNode(t, task)),
      } as never;
    },
  };
}

const taskFields = [
  "taskType",
  "status",
  "referenceTaskName",
  "retryCount",
  "correlationId",
  "pollCount",
  "taskDefName",
  "scheduledTime",
  "startTime",
  "endTime",
  "workflowInstanceId",
  "taskId",
  "reasonForIncompletion",
  "callbackAfterSeconds",
  "workerId",
  "iteration",
] as const;

function taskField(t: Transition, task: Task, key: string): string | number | undefined {
  switch (key as (typeof taskFields)[number]) {
    case "taskType":
      return task.taskType;
    case "status":
      return task.status;
    case "referenceTaskName":
      return referenceTaskName(task);
    case "retryCount":
      return task.retryCount;
    case "correlationId":
      return t.head.correlationId;
    case "pollCount":
      return task.pollCount;
    case "taskDefName":
      return task.taskDefName;
    case "scheduledTime":
      return task.scheduledTime;
    case "startTime":
      return task.startTime;
    case "endTime":
      return task.endTime;
    case "workflowInstanceId":
      return t.head.id;
    case "taskId":
      return taskId(t.head.id, task.no);
    case "reasonForIncompletion":
      return task.reasonForIncompletion;
    case "callbackAfterSeconds":
      return task.callbackAfterSeconds;
    case "workerId":
      return task.workerId;
    case "iteration":
      return t.head.loops[task.no]?.iteration ?? task.iteration;
    default:
      return undefined;
  }
}

/** The input with the marks of secret references, so that they follow what is taken from it. */
export function inputNode(t: Transition, task: Task): RawJson {
  const input = t.input(task.no);
  return task.secrets === undefined ? input : new RawJson(input.text, JSON.parse(task.secrets));
}

/** The output: stored text, or a view for JOIN and DO_WHILE. */
export function outputNode(t: Transition, task: Task): RawJson | Lazy {
  switch (task.taskType) {
    case "JOIN":
      return joinOutput(t, task, outputNode);
    case "DO_WHILE":
      return loopOutput(t, task, outputNode);
    default:
      return t.output(task.no);
  }
}

const wholeValue = (node: RawJson | Lazy) => {
  const whole = node instanceof RawJson ? node : node.whole();
  return whole instanceof RawJson ? whole.value : whole;
};

function workflowNode(t: Transition): Lazy {
  return {
    lazy: true,
    get: (key) => workflowField(t, key),
    whole: () => {
      const all: Record<string, unknown> = {};
      for (const key of workflowFields) {
        const value = workflowField(t, key);
        if (value !== undefined) all[key] = value instanceof RawJson ? value.value : value;
      }
      return all as never;
    },
  };
}

const workflowFields = [
  "input",
  "output",
  "variables",
  "status",
  "workflowId",
  "parentWorkflowId",
  "parentWorkflowTaskId",
  "workflowType",
  "version",
  "correlationId",
  "reasonForIncompletion",
  "schemaVersion",
  "createTime",
  "startTime",
  "priority",
] as const;

function workflowField(t: Transition, key: string): Node | undefined {
  const head: Head = t.head;
  switch (key as (typeof workflowFields)[number]) {
    case "input":
      return withSecrets(t.workflow("input"), head.inputSecrets);
    case "output":
      return t.workflow("output");
    case "variables":
      return withSecrets(t.workflow("variables"), head.variableSecrets);
    case "status":
      return head.status;
    case "workflowId":
      return head.id;
    case "parentWorkflowId":
      return head.parentWorkflowId;
    case "parentWorkflowTaskId":
      return head.parentWorkflowTaskId;
    case "workflowType":
      return head.workflowName;
    case "version":
      return head.workflowVersion;
    case "correlationId":
      return head.correlationId;
    case "reasonForIncompletion":
      return head.reasonForIncompletion;
    case "schemaVersion":
      return t.plan.def.schemaVersion;
    case "createTime":
    case "startTime":
      return head.createTime;
    case "priority":
      return head.priority;
    default:
      return undefined;
  }
}

const withSecrets = (raw: RawJson, secrets: string | undefined): RawJson =>
  secrets === undefined ? raw : new RawJson(raw.text, JSON.parse(secrets));
