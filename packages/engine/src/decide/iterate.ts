import { isUnsuccessful } from "../execution/status.ts";
import { innermostIteration, iterationPath, type Task } from "../execution/task.ts";
import { RawJson, type Resolved, stringifyResolved } from "../expression/raw-json.ts";
import type { Node } from "../expression/scope.ts";
import { wholeOf } from "../expression/scope.ts";
import { pickPaths, scriptPaths } from "../expression/script-paths.ts";
import { resolveTemplate } from "../expression/template.ts";
import type { Entry, EntryList } from "../plan/plan.ts";
import { finishTask } from "./finish.ts";
import { loopItems } from "./loop-output.ts";
import { failedForGood, type Outcome } from "./outcome.ts";
import { isPlainObject, scheduleEntry } from "./schedule.ts";
import { outputNode, scopeOf } from "./scope.ts";
import { isTrue } from "./script.ts";
import type { Transition } from "./transition.ts";

/** Nothing is open in a loop's iteration: ask the condition, then go round again or end the loop. */
export function iterationDone(t: Transition, loopNo: number): void {
  const loop = t.head.loops[loopNo];
  if (loop === undefined || loop.open > 0) return;
  const task = t.task(loopNo);
  const entry = t.entryOf(task);
  const failure = failureInside(t, task, entry);
  if (failure !== undefined) {
    endLoop(t, task, { status: "FAILED", reason: failure });
    return;
  }
  const again = wantsAnother(t, task, entry);
  if (typeof again === "string") {
    endLoop(t, task, failedForGood(again));
    return;
  }
  if (!again) {
    endLoop(t, task, { status: "COMPLETED" });
    return;
  }
  beginIteration(t, task, entry, loop.iteration + 1);
}

export function beginIteration(t: Transition, loop: Task, entry: Entry, iteration: number): void {
  t.patchLoop(loop.no, { iteration });
  const first = entry.body?.entries[0];
  if (first === undefined) return;
  forgetOldIterations(t, loop, entry, iteration);
  const place = { iter: iterationPath(loop.iter, iteration), scope: loop.no, tree: loop.tree, join: 0 };
  const before = t.head.nextNo;
  scheduleEntry(t, first, place);
  // Everything in the body was skipped ahead of time.
  if (t.head.nextNo === before) t.agenda.push({ kind: "iteration-done", no: loop.no });
}

function endLoop(t: Transition, task: Task, outcome: Outcome): void {
  const ended = t.patchTask(task.no, { iteration: t.loop(task.no).iteration });
  finishTask(t, ended, outcome);
  // A dynamic JOIN reads the outputs of its branches as they are stored.
  if (task.join !== 0) t.setOutput(task.no, wholeOf(outputNode(t, ended)));
}

/** Why the iteration did not go well: a task that was allowed to fail did. */
function failureInside(t: Transition, task: Task, entry: Entry): string | undefined {
  if (!t.head.hasPermissiveFailure) return undefined;
  const iter = iterationPath(task.iter, t.loop(task.no).iteration);
  const failed = refsIn(entry.body)
    .map((ref) => t.findInIteration(ref, iter))
    .filter((inside) => inside !== undefined && inside.scope === task.no)
    .filter((inside) => inside !== undefined && isUnsuccessful(inside.status));
  return failed.length === 0 ? undefined : failed.map((inside) => `${inside?.reasonForIncompletion ?? ""} `).join("");
}

/** True, false, or why the condition could not be evaluated. */
function wantsAnother(t: Transition, task: Task, entry: Entry): boolean | string {
  const loop = t.loop(task.no);
  if (entry.items !== undefined && loop.iteration >= (loop.items ?? 0)) return false;
  const condition = entry.task.loopCondition;
  if (condition === undefined || condition.trim() === "") return entry.items !== undefined;
  const outcome = t.context.evaluateScript(condition, conditionInput(t, task, entry, condition));
  if (outcome.kind === "value") return isTrue(JSON.parse(outcome.text));
  return `Unable to evaluate condition ${condition}, exception ${outcome.message}`;
}

/**
 * What `$` holds in a loop condition: the inputParameters, the loop's own output and those of its tasks. Only the paths
 * the script names are read, so that a condition over the loop's own output costs the same in every iteration.
 */
function conditionInput(t: Transition, task: Task, entry: Entry, condition: string): string {
  const paths = scriptPaths(condition);
  const names = paths === "all" ? allNames(task, entry) : paths.keys();
  const input: Record<string, Resolved> = {};
  for (const name of names) {
    const node = conditionNode(t, task, entry, name);
    if (node === undefined) continue;
    const wanted = paths === "all" ? undefined : paths.get(name);
    input[name] = wanted === undefined ? wholeOf(node) : pickPaths(node, wanted);
  }
  return stringifyResolved(input);
}

function conditionNode(t: Transition, task: Task, entry: Entry, name: string): Node | undefined {
  if (name === entry.ref) return outputNode(t, task);
  if (entry.items !== undefined && name === "loopIndex") return t.loop(task.no).iteration - 1;
  if (entry.items !== undefined && name === "loopItem")
    return loopItems(t, task)[t.loop(task.no).iteration - 1] ?? null;
  const inBody = refsIn(entry.body).includes(name) ? t.findLatest(name) : undefined;
  if (inBody !== undefined) return outputNode(t, inBody);
  const template = entry.inputMembers.get(name);
  if (template === undefined) return undefined;
  const value = resolveTemplate(template, scopeOf(t, task.no));
  return value instanceof RawJson || !isPlainObject(value) ? (value as Node) : new RawJson(stringifyResolved(value));
}

function allNames(task: Task, entry: Entry): string[] {
  const listMode = entry.items === undefined ? [] : ["loopIndex", "loopItem"];
  return [...new Set([...entry.inputMembers.keys(), ...refsIn(entry.body), task.ref, ...listMode])];
}

/** Reference names of a loop's own tasks, those of a loop inside it not among them. */
function refsIn(list: EntryList | undefined): string[] {
  return (list?.entries ?? []).flatMap((entry) => [
    entry.ref,
    ...[...entry.cases.values()].flatMap(refsIn),
    ...refsIn(entry.defaultCase),
    ...entry.branches.flatMap(refsIn),
  ]);
}

/** keepLastN: iterations that fall out of the window are removed with their tasks. */
function forgetOldIterations(t: Transition, loop: Task, entry: Entry, iteration: number): void {
  const keep = entry.task.inputParameters["keepLastN"];
  if (typeof keep !== "number" || !Number.isInteger(keep) || keep < 1) return;
  const old = iteration - keep;
  if (old < 1) return;
  for (const { task } of t.loopTasks(loop.no)) if (innermostIteration(task.iter) <= old) removeWithBody(t, task);
}

function removeWithBody(t: Transition, task: Task): void {
  if (task.taskType === "DO_WHILE") for (const inside of t.loopTasks(task.no)) removeWithBody(t, inside.task);
  t.removeTask(task.no);
}
