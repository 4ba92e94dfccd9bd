import { below, clip, collectProblems, type Problem, type Report } from "./problem.ts";
import { checkReferences } from "./references.ts";
import { checkTaskType, type RuleOptions } from "./task-rules.ts";
import type { TaskDef, WorkflowDef, WorkflowTask } from "./types.ts";

export type ValidateTaskDefOptions = {
  /** What stands before every path: `registerTaskDef.arg0[0]`. */
  readonly prefix: string;
  /**
   * What the caller left out, from `findMissingFields`. Without it a name left out is reported like an empty one, and
   * an entry without a type is not noticed.
   */
  readonly missing?: ReadonlySet<string>;
  readonly ownerEmailMandatory?: boolean;
};

export type ValidateOptions = ValidateTaskDefOptions &
  RuleOptions & {
    /** Whether the server's environment has a variable of this name. */
    readonly knownEnvironment?: (name: string) => boolean;
  };

/** What is wrong with a normalized definition, a thousand entries at most. Linear in the size of the definition. */
export function validateWorkflowDef(def: WorkflowDef, options: ValidateOptions): readonly Problem[] {
  return collectProblems(options.prefix, (report) => {
    if (def.name === "") {
      report(emptyText({ path: "name", message: "WorkflowDef name cannot be null or empty" }, options));
    }
    checkOwnerEmail(def, options, report);
    if (def.tasks.length === 0) report({ path: "tasks", message: "WorkflowTask list cannot be empty" });
    if (def.schemaVersion !== 2) {
      const message = "workflowDef schemaVersion: 2 is only supported";
      report({ path: "schemaVersion", message, invalidValue: String(def.schemaVersion) });
    }
    checkTasks(def.tasks, "tasks", { options, report });
    checkMissingTypes(options, report);
    checkReferenceNames(def, options, report);
  });
}

export function validateTaskDef(def: TaskDef, options: ValidateTaskDefOptions): readonly Problem[] {
  return collectProblems(options.prefix, (report) => {
    if (def.name === "") {
      report(emptyText({ path: "name", message: "TaskDef name cannot be null or empty" }, options));
    }
    checkOwnerEmail(def, options, report);
    checkNumbers(def, report);
    checkTimeouts(def, report);
  });
}

type Check = { readonly options: ValidateOptions; readonly report: Report };

function checkTasks(tasks: readonly WorkflowTask[], path: string, check: Check): void {
  tasks.forEach((task, index) => {
    checkTask(task, below(path, `[${index}]`), check);
  });
}

function checkTask(task: WorkflowTask, path: string, check: Check): void {
  const { options, report } = check;
  if (task.name === "") {
    report(emptyText({ path: `${path}.name`, message: "WorkflowTask name cannot be empty or null" }, options));
  }
  if (task.taskReferenceName === "") {
    const message = "WorkflowTask taskReferenceName name cannot be empty or null";
    report(emptyText({ path: `${path}.taskReferenceName`, message }, options));
  }
  if (task.type === "") report(emptyText({ path: `${path}.type`, message: emptyType }, options));
  if (task.startDelay < 0) {
    const message = "must be greater than or equal to 0";
    report({ path: `${path}.startDelay`, message, invalidValue: String(task.startDelay) });
  }
  for (const message of checkTaskType(task, options)) report({ path, message });

  // What is in loopOver is not checked: definitions in the field rely on that.
  for (const [value, tasks] of Object.entries(task.decisionCases)) {
    checkTasks(tasks, below(path, `.decisionCases[${value}].<map value>`), check);
  }
  checkTasks(task.defaultCase, below(path, ".defaultCase"), check);
  task.forkTasks.forEach((tasks, index) => {
    checkTasks(tasks, below(path, `.forkTasks[${index}].<list element>`), check);
  });
}

const emptyType = "WorkTask type cannot be null or empty";

/** Normalizing takes an entry without a type as SIMPLE, for the sake of old definitions; only a strict check objects. */
function checkMissingTypes({ strict, missing }: ValidateOptions, report: Report): void {
  if (!strict || missing === undefined) return;
  for (const path of missing) {
    if (path.endsWith(".type")) report({ path, message: emptyType });
  }
}

/**
 * Reference names are unique in the whole tree, loops included. The expressions that use them are checked in top-level
 * tasks only, and not in outputParameters: definitions in the field rely on that too.
 */
function checkReferenceNames(def: WorkflowDef, options: ValidateOptions, report: Report): void {
  const references = new Set<string>();
  for (const reference of referenceNames(def.tasks)) {
    if (references.has(reference)) {
      const message = `taskReferenceName: ${reference} should be unique across tasks for a given workflowDefinition: ${clip(def.name)}`;
      report({ path: "", message });
    }
    references.add(reference);
  }
  const scope = {
    references,
    isEnvironment: options.knownEnvironment ?? (() => false),
    report: (message: string) => report({ path: "", message }),
  };
  for (const task of def.tasks) checkReferences(task, scope);
}

function referenceNames(tasks: readonly WorkflowTask[], found: string[] = []): readonly string[] {
  for (const task of tasks) {
    if (task.taskReferenceName !== "") found.push(task.taskReferenceName);
    for (const list of Object.values(task.decisionCases)) referenceNames(list, found);
    referenceNames(task.defaultCase, found);
    for (const list of task.forkTasks) referenceNames(list, found);
    referenceNames(task.loopOver, found);
  }
  return found;
}

const nonNegativeFields = [
  "retryCount",
  "maxRetryDelaySeconds",
  "backoffJitterMs",
  "pollTimeoutSeconds",
  "totalTimeoutSeconds",
] as const;

function checkNumbers(def: TaskDef, report: Report): void {
  for (const field of nonNegativeFields) {
    const value = def[field] ?? 0;
    // The number in the message is the bound, not the value.
    if (value < 0) report({ path: field, message: `TaskDef ${field}: 0 must be >= 0`, invalidValue: String(value) });
  }
  if (def.backoffScaleFactor < 1) {
    const message = "Backoff scale factor. Applicable for LINEAR_BACKOFF";
    report({ path: "backoffScaleFactor", message, invalidValue: String(def.backoffScaleFactor) });
  }
  if (def.responseTimeoutSeconds < 0) {
    // The text is the reference server's. With us 0 is allowed and means no timeout.
    const message = `TaskDef responseTimeoutSeconds: ${def.responseTimeoutSeconds} should be minimum 1 second`;
    report({ path: "responseTimeoutSeconds", message, invalidValue: String(def.responseTimeoutSeconds) });
  }
}

function checkTimeouts(def: TaskDef, report: Report): void {
  const { name, responseTimeoutSeconds, timeoutSeconds, totalTimeoutSeconds } = def;
  if (timeoutSeconds > 0 && responseTimeoutSeconds > timeoutSeconds) {
    const message = `TaskDef: ${name} responseTimeoutSeconds: ${responseTimeoutSeconds} must be less than timeoutSeconds: ${timeoutSeconds}`;
    report({ path: "", message });
  }
  if (totalTimeoutSeconds > 0 && timeoutSeconds > totalTimeoutSeconds) {
    const message = `TaskDef: ${name} timeoutSeconds: ${timeoutSeconds} must be less than or equal to totalTimeoutSeconds: ${totalTimeoutSeconds}`;
    report({ path: "", message });
  }
}

function checkOwnerEmail(
  { ownerEmail }: { readonly ownerEmail?: string },
  { ownerEmailMandatory = false }: ValidateTaskDefOptions,
  report: Report,
): void {
  if (!ownerEmailMandatory) return;
  const problem = { path: "ownerEmail", message: "ownerEmail cannot be empty" };
  if (ownerEmail === undefined) report(problem);
  if (ownerEmail === "") report({ ...problem, invalidValue: ownerEmail });
}

/** An empty text is shown as the invalid value; one that was left out is not. */
function emptyText(problem: Problem, { missing }: ValidateTaskDefOptions): Problem {
  return missing?.has(problem.path) ? problem : { ...problem, invalidValue: "" };
}
