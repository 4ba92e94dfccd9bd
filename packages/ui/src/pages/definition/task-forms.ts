import type { Steps } from "../../editing/json-places.ts";

/** A field of the form for a task: where in the task it is, and how it is written. */
export type TaskField = {
  readonly label: string;
  readonly steps: Steps;
  readonly kind: "text" | "long" | "number" | "flag" | "json" | "list" | { readonly options: readonly string[] };
  readonly hint?: string;
};

const input = (label = "Input"): TaskField => ({ label, steps: ["inputParameters"], kind: "json" });
const inInput = (name: string, field: Omit<TaskField, "steps">): TaskField => ({
  ...field,
  steps: ["inputParameters", ...name.split(".")],
});
const languages = { options: ["value-param", "graaljs", "javascript"] };
const scripts = { options: ["graaljs", "javascript"] };
const methods = { options: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] };
const script = "$ is the task's input";

/** What each type of task is made of. A type that is not here is queued for workers: it has input. */
const forms: Readonly<Record<string, readonly TaskField[]>> = {
  SIMPLE: [
    input(),
    { label: "Retries", steps: ["retryCount"], kind: "number", hint: "Those of the task definition when empty" },
    { label: "Delay before it starts, seconds", steps: ["startDelay"], kind: "number" },
  ],
  HTTP: [
    inInput("http_request.method", { label: "Method", kind: methods }),
    inInput("http_request.uri", { label: "URI", kind: "text" }),
    inInput("http_request.headers", { label: "Headers", kind: "json" }),
    inInput("http_request.body", { label: "Body", kind: "json" }),
    inInput("http_request.connectionTimeOut", { label: "Connection timeout, ms", kind: "number" }),
    inInput("http_request.readTimeOut", { label: "Read timeout, ms", kind: "number" }),
  ],
  INLINE: [
    inInput("evaluatorType", { label: "Language", kind: scripts }),
    inInput("expression", { label: "Script", kind: "long", hint: script }),
    input("Input, script included"),
  ],
  JSON_JQ_TRANSFORM: [
    inInput("queryExpression", { label: "jq program", kind: "long", hint: "Runs over the other inputs" }),
    input("Input, program included"),
  ],
  DYNAMIC: [{ label: "Input that names the task", steps: ["dynamicTaskNameParam"], kind: "text" }, input()],
  SWITCH: [
    { label: "Decides by", steps: ["evaluatorType"], kind: languages },
    {
      label: "Expression",
      steps: ["expression"],
      kind: "long",
      hint: `With value-param the name of an input; otherwise a script: ${script}`,
    },
    input(),
  ],
  FORK_JOIN: [],
  FORK_JOIN_DYNAMIC: [
    { label: "Input with the tasks", steps: ["dynamicForkTasksParam"], kind: "text" },
    { label: "Input with their inputs", steps: ["dynamicForkTasksInputParamName"], kind: "text" },
    input(),
  ],
  JOIN: [{ label: "Waits for", steps: ["joinOn"], kind: "list", hint: "Reference names, separated by commas" }],
  EXCLUSIVE_JOIN: [
    { label: "Takes the first of", steps: ["joinOn"], kind: "list", hint: "Reference names, separated by commas" },
  ],
  DO_WHILE: [
    { label: "Language", steps: ["evaluatorType"], kind: scripts },
    { label: "Repeats while", steps: ["loopCondition"], kind: "long", hint: script },
    { label: "Or once for each of", steps: ["items"], kind: "text" },
    input(),
  ],
  SUB_WORKFLOW: [
    { label: "Workflow", steps: ["subWorkflowParam", "name"], kind: "text" },
    { label: "Version", steps: ["subWorkflowParam", "version"], kind: "number", hint: "The latest when empty" },
    input(),
  ],
  START_WORKFLOW: [
    inInput("startWorkflow.name", { label: "Workflow", kind: "text" }),
    inInput("startWorkflow.version", { label: "Version", kind: "number" }),
    inInput("startWorkflow.input", { label: "Input", kind: "json" }),
  ],
  EVENT: [{ label: "Sink", steps: ["sink"], kind: "text" }, input("Message")],
  SET_VARIABLE: [input("Variables")],
  TERMINATE: [
    inInput("terminationStatus", { label: "Status", kind: { options: ["COMPLETED", "FAILED", "TERMINATED"] } }),
    inInput("terminationReason", { label: "Reason", kind: "text" }),
    inInput("workflowOutput", { label: "Output of the workflow", kind: "json" }),
  ],
  NOOP: [],
  WAIT: [
    inInput("duration", { label: "For", kind: "text", hint: "1h30m, 2 days" }),
    inInput("until", { label: "Until", kind: "text", hint: "2026-12-24 18:00 UTC" }),
  ],
  HUMAN: [input()],
  YIELD: [input()],
  PULL_WORKFLOW_MESSAGES: [input()],
};

export const taskTypes: readonly string[] = Object.keys(forms);

const common: readonly TaskField[] = [
  { label: "Reference name", steps: ["taskReferenceName"], kind: "text", hint: "How other tasks read its output" },
  { label: "Name", steps: ["name"], kind: "text", hint: "Of its task definition" },
];

const ends: readonly TaskField[] = [
  { label: "May fail: the workflow goes on", steps: ["optional"], kind: "flag" },
  { label: "Stays open until it is updated", steps: ["asyncComplete"], kind: "flag" },
];

/** The fields of the form for a type of task. */
export const fieldsOf = (type: string): readonly TaskField[] => [
  ...common,
  ...(Object.hasOwn(forms, type) ? (forms[type] ?? []) : [input()]),
  ...ends,
];
