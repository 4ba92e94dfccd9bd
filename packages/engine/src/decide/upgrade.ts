import { isWorkflowTerminal } from "../execution/status.ts";
import type { Task } from "../execution/task.ts";
import { RawJson } from "../expression/raw-json.ts";
import { isJsonObject } from "../json.ts";
import type { Entry, Plan } from "../plan/plan.ts";
import type { Event, Refusal } from "./event.ts";
import { createPassedTask } from "./passed-task.ts";
import { recount } from "./recount.ts";
import type { Transition } from "./transition.ts";

type UpgradeEvent = Extract<Event, { kind: "upgrade" }>;

/**
 * Goes on with another version of the definition. Every open task must stand in the same place there. Tasks that the new
 * version has before that place are not run; their outputs may be given, for expressions and JOINs that want them.
 */
export function upgrade(t: Transition, event: UpgradeEvent): Refusal | undefined {
  const { head } = t;
  if (isWorkflowTerminal(head.status)) {
    return { code: "conflict", message: `Workflow is in terminal state. Status = ${head.status}` };
  }
  const plan = t.context.plan(event.defHash);
  const lost = t
    .openTasks(Number.MAX_SAFE_INTEGER)
    .find((task) => task.tree === 0 && !standsIn(plan, task, t.entryOf(task)));
  if (lost !== undefined) {
    const message = `Expected version ${event.workflowVersion} to have the open task ${lost.ref} of type ${t.entryOf(lost).task.type} in the same place, but it has not`;
    return { code: "invalid", message };
  }
  const unknown = Object.keys(event.taskOutput).find((ref) => !plan.entries.has(ref));
  if (unknown !== undefined) {
    const message = `The task referenced by ${unknown} does not exist in version ${event.workflowVersion} of the WorkflowDefinition ${head.workflowName}`;
    return { code: "invalid", message };
  }
  const stuck = findStuckJoin(t, plan, event);
  if (stuck !== undefined) {
    const message = `The open task ${stuck.join} of version ${event.workflowVersion} would wait for ${stuck.ref}, which is never reached: give its output in taskOutput`;
    return { code: "invalid", message };
  }
  t.patchHead({ defHash: event.defHash, workflowVersion: event.workflowVersion });
  const input = t.workflow("input").value;
  if (Object.keys(event.workflowInput).length > 0 && isJsonObject(input)) {
    t.setWorkflow("input", new RawJson(JSON.stringify({ ...input, ...event.workflowInput })));
  }
  for (const [ref, output] of Object.entries(event.taskOutput)) {
    const entry = plan.entries.get(ref);
    if (entry !== undefined && t.findLatest(ref) === undefined)
      createPassedTask(t, entry, { iter: "", input: {}, output: isJsonObject(output) ? output : {} });
  }
  for (const task of t.openTasks(Number.MAX_SAFE_INTEGER)) {
    const entry = task.tree === 0 ? plan.entries.get(task.ref) : undefined;
    // An open JOIN shows what it waits for.
    if (task.taskType === "JOIN" && entry !== undefined && entry.task.joinOn.length > 0)
      t.setInput(task.no, { joinOn: entry.task.joinOn });
  }
  recount(t);
  return undefined;
}

/** A JOIN that is open and would wait for a task that neither is there nor can still come. */
function findStuckJoin(
  t: Transition,
  plan: Plan,
  { taskOutput }: UpgradeEvent,
): { readonly join: string; readonly ref: string } | undefined {
  const open = t.openTasks(Number.MAX_SAFE_INTEGER);
  const places = open.filter((task) => task.tree === 0).map((task) => plan.entries.get(task.ref));
  for (const join of open) {
    if (join.tree !== 0 || join.taskType !== "JOIN") continue;
    for (const ref of plan.entries.get(join.ref)?.task.joinOn ?? []) {
      const found = t.findInIteration(ref, join.iter);
      const isThere = (found !== undefined && !found.retried) || Object.hasOwn(taskOutput, ref);
      const entry = plan.entries.get(ref);
      if (!isThere && entry !== undefined && !places.some((place) => place !== undefined && leadsTo(place, entry)))
        return { join: join.ref, ref };
    }
  }
  return undefined;
}

/** True when `entry` comes after `from` in the same list, or after something that `from` stands in. */
function leadsTo(from: Entry, entry: Entry): boolean {
  for (let at: Entry | undefined = from; at !== undefined; at = at.list.owner) {
    if (at.list === entry.list && at.index < entry.index) return true;
  }
  return false;
}

/** The same reference, type and containers, all the way up. */
function standsIn(plan: Plan, task: Task, before: Entry): boolean {
  const after = plan.entries.get(task.ref);
  return after !== undefined && placeOf(after) === placeOf(before);
}

function placeOf(entry: Entry): string {
  const { owner, kind } = entry.list;
  return `${owner === undefined ? "" : placeOf(owner)}/${kind}/${entry.ref}:${entry.task.type}`;
}
