import { completed, failed, MappingFailure, type Outcome } from "../decide/outcome.ts";
import { runInput } from "../decide/run-input.ts";
import { closeControlTask, completeControlTask, placeOf, scheduleAtOnce, scheduleEntry } from "../decide/schedule.ts";
import { scriptText } from "../decide/script.ts";
import type { Transition } from "../decide/transition.ts";
import type { Task } from "../execution/task.ts";
import type { Resolved } from "../expression/raw-json.ts";
import { type JsonObject, ownMember } from "../json.ts";
import type { Entry, EntryList } from "../plan/plan.ts";
import type { TaskType } from "../registry.ts";

/** SWITCH: evaluated when it is scheduled, together with the first task of the case it chooses. */
export const switchTask: TaskType = {
  type: "SWITCH",
  mode: "instant",
  initialStatus: "IN_PROGRESS",
  defName: "SWITCH",
  isControl: true,
  schedule: (t, entry, place) => scheduleAtOnce(t, entry, place, switchTask),
  run: (t, task, entry) =>
    branch(t, task, {
      evaluate: (input) => evaluateSwitch(t, entry, input),
      choose: (text) => entry.cases.get(text) ?? entry.defaultCase,
      output: (text) => ({ evaluationResult: [text], selectedCase: text }),
    }),
};

/** DECISION, the forerunner of SWITCH: an empty case falls back to the default. */
export const decision: TaskType = {
  type: "DECISION",
  mode: "instant",
  initialStatus: "IN_PROGRESS",
  defName: "DECISION",
  isControl: true,
  schedule: (t, entry, place) => scheduleAtOnce(t, entry, place, decision),
  run: (t, task, entry) =>
    branch(t, task, {
      evaluate: (input) => evaluateDecision(t, entry, input),
      choose: (text) => {
        const chosen = entry.cases.get(text);
        return chosen === undefined || chosen.entries.length === 0 ? entry.defaultCase : chosen;
      },
      output: (text) => ({ caseOutput: [text] }),
    }),
};

type Evaluation = { readonly text: string } | { readonly error: string };

type Branching = {
  readonly evaluate: (input: JsonObject) => Evaluation;
  readonly choose: (text: string) => EntryList | undefined;
  readonly output: (text: string) => Resolved;
};

function branch(t: Transition, task: Task, { evaluate, choose, output }: Branching): Outcome | undefined {
  const evaluation = evaluate(runInput(t, task));
  if ("error" in evaluation) return failed(evaluation.error);
  const { text } = evaluation;
  const first = choose(text)?.entries[0];
  // A DECISION keeps nothing of its inputParameters.
  const kept = task.taskType === "DECISION" ? {} : (t.input(task.no).value as JsonObject);
  t.setInput(task.no, { ...kept, case: text, ...(first === undefined ? {} : { hasChildren: "true" }) });
  if (first === undefined) return completed(output(text));
  t.setOutput(task.no, output(text));
  const chosen = completeControlTask(t, task);
  scheduleEntry(t, first, placeOf(chosen));
  closeControlTask(t, chosen);
  return undefined;
}

function evaluateSwitch(t: Transition, entry: Entry, input: JsonObject): Evaluation {
  const { evaluatorType, expression } = entry.task;
  switch (evaluatorType) {
    case "value-param":
      return { text: scriptText(ownMember(input, expression ?? "") ?? null) };
    case "javascript":
    case "graaljs":
      return runScript(t, expression ?? "", input);
    default:
      throw new MappingFailure(`No evaluator registered for type: ${evaluatorType ?? "null"}`);
  }
}

function evaluateDecision(t: Transition, entry: Entry, input: JsonObject): Evaluation {
  const { caseExpression, caseValueParam } = entry.task;
  if (caseExpression === undefined || caseExpression === "") {
    return { text: scriptText(ownMember(input, caseValueParam ?? "") ?? null) };
  }
  const evaluation = runScript(t, caseExpression, input);
  if ("error" in evaluation) throw new MappingFailure(`Error while evaluating script: ${caseExpression}`);
  return evaluation;
}

function runScript(t: Transition, source: string, input: JsonObject): Evaluation {
  const outcome = t.context.evaluateScript(source, JSON.stringify(input));
  return outcome.kind === "value" ? { text: scriptText(JSON.parse(outcome.text)) } : { error: outcome.message };
}
