import type { Json } from "../json.ts";
import { parseWaitDuration } from "../time/wait-duration.ts";
import { parseWaitUntil } from "../time/wait-until.ts";
import type { TaskDef, WorkflowTask } from "./types.ts";

export type RuleOptions = {
  /** Also report what registration lets pass, because it has its effect at run time. */
  readonly strict: boolean;
  readonly findTaskDef?: (name: string) => TaskDef | undefined;
  /** The parser's message when the source is not a script. */
  readonly checkScript?: (source: string) => string | undefined;
};

/** What is wrong with an entry by the rules of its type. The messages are fixed by the interface, spelling included. */
export function checkTaskType(task: WorkflowTask, options: RuleOptions): readonly string[] {
  return rules.get(task.type)?.(task, options) ?? nothing;
}

const nothing: readonly string[] = [];

type Rule = (task: WorkflowTask, options: RuleOptions) => readonly string[];

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["EVENT", (task) => need(task, "sink", task.sink !== undefined)],
  ["SWITCH", checkSwitch],
  ["DECISION", checkDecision],
  ["DYNAMIC", (task) => need(task, "dynamicTaskNameParam", task.dynamicTaskNameParam !== undefined)],
  ["FORK_JOIN_DYNAMIC", checkDynamicFork],
  ["HTTP", checkHttp],
  ["FORK_JOIN", (task) => (task.forkTasks.length > 0 ? [] : [atLeastOne(task, "forkTasks")])],
  ["TERMINATE", checkTerminate],
  ["KAFKA_PUBLISH", checkPublish("kafka_request")],
  ["STREAM_PUBLISH", checkPublish("stream_request")],
  ["DO_WHILE", checkDoWhile],
  ["SUB_WORKFLOW", (task) => need(task, "subWorkflowParam", task.subWorkflowParam !== undefined)],
  ["JSON_JQ_TRANSFORM", checkJq],
  ["WAIT", checkWait],
]);

function checkSwitch(task: WorkflowTask, options: RuleOptions): readonly string[] {
  return [
    ...(task.evaluatorType === undefined
      ? need(task, "evaluatorType", false)
      : need(task, "expression", task.expression !== undefined)),
    ...needCases(task),
    ...(task.evaluatorType === "javascript" ? checkSyntax(task, task.expression, options) : []),
  ];
}

function checkDecision(task: WorkflowTask, options: RuleOptions): readonly string[] {
  const hasSubject = task.caseValueParam !== undefined || task.caseExpression !== undefined;
  return [
    ...need(task, "caseValueParam or caseExpression", hasSubject),
    ...needCases(task),
    ...checkSyntax(task, task.caseExpression, options),
  ];
}

function checkDynamicFork(task: WorkflowTask): readonly string[] {
  const hasTasks = task.dynamicForkTasksParam !== undefined;
  const hasInputs = task.dynamicForkTasksInputParamName !== undefined;
  if (task.dynamicForkJoinTasksParam !== undefined) {
    if (!hasTasks && !hasInputs) return [];
    return [
      `dynamicForkJoinTasksParam or combination of dynamicForkTasksInputParamName and dynamicForkTasksParam cam be used for ${whose(task)}`,
    ];
  }
  if (hasInput(task, "forkTaskInputs")) return [];
  return [...need(task, "dynamicForkTasksParam", hasTasks), ...need(task, "dynamicForkTasksInputParamName", hasInputs)];
}

function checkHttp(task: WorkflowTask, options: RuleOptions): readonly string[] {
  const hasRequest = ["http_request", "uri", "method"].some((key) => hasInput(task, key));
  return need(
    task,
    "inputParameters.http_request or inputParameters.uri",
    hasRequest || hasTemplateInput(task, "http_request", options),
  );
}

function checkTerminate(task: WorkflowTask): readonly string[] {
  const messages: string[] = [];
  if (task.optional) messages.push(`terminate task cannot be optional, taskName: ${task.name}`);
  const status = task.inputParameters["terminationStatus"];
  if (status !== "COMPLETED" && status !== "FAILED" && status !== "TERMINATED") {
    messages.push(
      `terminate task must have an terminationStatus parameter and must be set to COMPLETED or FAILED, taskName: ${task.name}`,
    );
  }
  return messages;
}

/** Both names of the type take both names of the request; the message asks for the one that goes with the type. */
function checkPublish(ownKey: string): Rule {
  return (task, options) => {
    const isGiven = ["kafka_request", "stream_request"].some(
      (key) => hasInput(task, key) || hasTemplateInput(task, key, options),
    );
    return need(task, `inputParameters.${ownKey}`, isGiven);
  };
}

function checkDoWhile(task: WorkflowTask): readonly string[] {
  const isListLoop = task.items !== undefined || hasInput(task, "_items");
  return [
    ...need(task, "loopCondition", task.loopCondition !== undefined || isListLoop),
    ...need(task, "loopOver", task.loopOver.length > 0),
  ];
}

function checkJq(task: WorkflowTask, options: RuleOptions): readonly string[] {
  const isGiven = hasInput(task, "queryExpression") || hasTemplateInput(task, "queryExpression", options);
  return need(task, "inputParameters.queryExpression", isGiven);
}

function checkWait(task: WorkflowTask, options: RuleOptions): readonly string[] {
  const duration = wordsOf(task.inputParameters["duration"]);
  const until = wordsOf(task.inputParameters["until"]);
  const messages: string[] = [];
  if (options.strict && duration !== "" && until !== "") {
    messages.push("Both 'duration' and 'until' specified. Please provide only one input");
  }
  if (duration !== "" && !duration.startsWith("${")) {
    if (parseWaitDuration(duration) === undefined) messages.push("Either date or duration is passed as null ");
  } else if (until !== "" && !until.startsWith("${")) {
    if (parseWaitUntil(until) === undefined) messages.push("Unable to parse date ");
  }
  return messages;
}

function checkSyntax(task: WorkflowTask, source: string | undefined, options: RuleOptions): readonly string[] {
  const message = source === undefined ? undefined : options.checkScript?.(source);
  if (message === undefined) return [];
  return [`Expression is not well formatted: ${message}, taskType: ${task.type} taskName ${task.name}`];
}

function need(task: WorkflowTask, field: string, isGiven: boolean): readonly string[] {
  return isGiven ? nothing : [`${field} field is required for ${whose(task)}`];
}

function needCases(task: WorkflowTask): readonly string[] {
  return Object.keys(task.decisionCases).length > 0 ? [] : [atLeastOne(task, "decisionCases")];
}

function atLeastOne(task: WorkflowTask, field: string): string {
  return `${field} should have atleast one task for ${whose(task)}`;
}

function whose(task: WorkflowTask): string {
  return `taskType: ${task.type} taskName: ${task.name}`;
}

function hasInput(task: WorkflowTask, key: string): boolean {
  return Object.hasOwn(task.inputParameters, key);
}

function hasTemplateInput(task: WorkflowTask, key: string, options: RuleOptions): boolean {
  const taskDef = task.taskDefinition ?? options.findTaskDef?.(task.name);
  return taskDef !== undefined && Object.hasOwn(taskDef.inputTemplate, key);
}

/** An input as the text a WAIT reads; "" when there is none, and a blank one counts as none. */
function wordsOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  const words = typeof value === "string" ? value : JSON.stringify(value);
  return words.trim() === "" ? "" : words;
}
