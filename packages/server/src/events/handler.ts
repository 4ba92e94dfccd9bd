import {
  type Fields,
  flag,
  freeMap,
  type JsonObject,
  listOf,
  type Model,
  mapOf,
  model,
  optional,
  optionalInteger,
  optionalOneOf,
  optionalText,
  text,
} from "@downbeat/engine";

/** Event handlers as the interface writes them. */
export type EventHandler = {
  readonly name?: string;
  readonly event?: string;
  readonly condition?: string;
  readonly actions: readonly EventAction[];
  readonly active: boolean;
  readonly evaluatorType?: string;
};

export type EventAction = {
  readonly action?: ActionKind;
  readonly start_workflow?: StartWorkflowAction;
  readonly complete_task?: TaskAction;
  readonly fail_task?: TaskAction;
  readonly terminate_workflow?: TerminateAction;
  readonly update_workflow_variables?: VariablesAction;
  readonly start_agent?: JsonObject;
  readonly expandInlineJSON: boolean;
};

const kinds = [
  "start_workflow",
  "complete_task",
  "fail_task",
  "terminate_workflow",
  "update_workflow_variables",
  "start_agent",
] as const;
export type ActionKind = (typeof kinds)[number];

export type StartWorkflowAction = {
  readonly name?: string;
  readonly version?: number;
  readonly correlationId?: string;
  readonly input: JsonObject;
  readonly taskToDomain?: { readonly [taskType: string]: string };
};

export type TaskAction = {
  readonly workflowId?: string;
  readonly taskRefName?: string;
  readonly taskId?: string;
  readonly output: JsonObject;
  readonly reasonForIncompletion?: string;
};

export type TerminateAction = { readonly workflowId?: string; readonly terminationReason?: string };

export type VariablesAction = {
  readonly workflowId?: string;
  readonly variables: JsonObject;
  readonly appendArray?: boolean;
};

// Absent optional properties are left out by the readers, which the types of the tables cannot say.
const startWorkflowModel: Model<StartWorkflowAction> = model(
  "StartWorkflowAction",
  () =>
    ({
      name: optionalText,
      version: optionalInteger,
      correlationId: optionalText,
      input: freeMap,
      taskToDomain: optional(mapOf(text)),
    }) as Fields<StartWorkflowAction>,
);

const taskActionModel: Model<TaskAction> = model(
  "TaskAction",
  () =>
    ({
      workflowId: optionalText,
      taskRefName: optionalText,
      taskId: optionalText,
      output: freeMap,
      reasonForIncompletion: optionalText,
    }) as Fields<TaskAction>,
);

const terminateModel: Model<TerminateAction> = model(
  "TerminateWorkflowAction",
  () => ({ workflowId: optionalText, terminationReason: optionalText }) as Fields<TerminateAction>,
);

const variablesModel: Model<VariablesAction> = model(
  "UpdateWorkflowVariablesAction",
  () =>
    ({ workflowId: optionalText, variables: freeMap, appendArray: optional(flag(false)) }) as Fields<VariablesAction>,
);

const actionModel: Model<EventAction> = model(
  "EventAction",
  () =>
    ({
      action: optionalOneOf(...kinds),
      start_workflow: optional(startWorkflowModel),
      complete_task: optional(taskActionModel),
      fail_task: optional(taskActionModel),
      terminate_workflow: optional(terminateModel),
      update_workflow_variables: optional(variablesModel),
      start_agent: optional(freeMap),
      expandInlineJSON: flag(false),
    }) as Fields<EventAction>,
);

export const eventHandlerModel: Model<EventHandler> = model(
  "EventHandler",
  () =>
    ({
      name: optionalText,
      event: optionalText,
      condition: optionalText,
      actions: listOf(actionModel),
      active: flag(false),
      evaluatorType: optionalText,
    }) as Fields<EventHandler>,
);

/** Both brands name the same internal queues. */
export const canonicalEvent = (event: string): string => event.replace(/^conductor:/, "service:");
