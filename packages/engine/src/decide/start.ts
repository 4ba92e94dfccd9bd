import { type Head, nothingYet } from "../execution/head.ts";
import { RawJson, toJson } from "../expression/raw-json.ts";
import { isJsonObject } from "../json.ts";
import { executionWork } from "./deadlines.ts";
import { completeExecution } from "./end.ts";
import type { StartEvent } from "./event.ts";
import { gateWork } from "./rate-limit.ts";
import { rootPlace, scheduleEntry } from "./schedule.ts";
import type { Transition } from "./transition.ts";

/** Brings an execution to life and schedules its first task. */
export function start(t: Transition, event: StartEvent): void {
  const plan = t.context.plan(event.defHash);
  t.createHead(newHead(t, event));
  t.setWorkflow("input", withInputTemplate(event.input, plan.def.inputTemplate));
  t.setWorkflow("variables", plan.def.variables);
  if (event.waitsForSlot === true && event.rateLimitKey !== undefined) {
    t.patchHead({ rateLimited: true });
    t.putWork(0, gateWork(event.rateLimitKey, t.now));
    return;
  }
  begin(t);
}

/** A slot came free for an execution that was waiting for one. */
export function admit(t: Transition): void {
  if (t.head.rateLimited !== true) return;
  t.patchHead({ rateLimited: false });
  t.removeWork(0);
  beginIfDue(t);
}

/** An execution that was admitted while it was paused has yet to begin when it is resumed. */
export function beginIfDue(t: Transition): void {
  const hasBegun = t.head.nextSeq > 1;
  if (t.head.status === "RUNNING" && t.head.rateLimited !== true && !hasBegun) begin(t);
}

/** The first step of a start, a restart or a rerun from the beginning. */
export function begin(t: Transition): void {
  armWorkflowTimeout(t);
  const first = t.plan.root.entries[0];
  if (first === undefined) {
    completeExecution(t);
    return;
  }
  scheduleEntry(t, first, rootPlace);
}

/** The clock of the workflow timeout runs from the start, or from the last retry or resume. */
export function armWorkflowTimeout(t: Transition): void {
  const { timeoutSeconds, timeoutPolicy } = t.plan.def;
  if (timeoutSeconds <= 0 || timeoutPolicy !== "TIME_OUT_WF" || t.head.rateLimited === true) return;
  const from = t.head.lastRetriedTime > 0 ? t.head.lastRetriedTime : t.head.createTime;
  t.putWork(0, executionWork(from + timeoutSeconds * 1000));
}

function newHead(t: Transition, event: StartEvent): Head {
  const optional = {
    correlationId: event.correlationId,
    createdBy: event.createdBy,
    event: event.event,
    idempotencyKey: event.idempotencyKey,
    parentWorkflowId: event.parentWorkflowId,
    parentWorkflowTaskId: event.parentWorkflowTaskId,
    depth: event.depth,
    rateLimitKey: event.rateLimitKey,
    test: event.test,
    inputSecrets: event.input.secrets.length === 0 ? undefined : JSON.stringify(event.input.secrets),
  };
  return {
    id: event.id,
    rev: 0,
    epoch: 0,
    status: "RUNNING",
    workflowName: event.workflowName,
    workflowVersion: event.workflowVersion,
    defHash: event.defHash,
    createTime: t.now,
    updateTime: 0,
    endTime: 0,
    lastRetriedTime: 0,
    priority: event.priority ?? 0,
    taskToDomain: event.taskToDomain ?? {},
    nextNo: 1,
    ...nothingYet,
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as Partial<Head>),
  };
}

/** Keys of the definition's inputTemplate that the caller did not give. */
function withInputTemplate(input: RawJson, template: Readonly<Record<string, unknown>>): RawJson {
  if (Object.keys(template).length === 0) return input;
  const given = toJson(input);
  if (!isJsonObject(given)) return input;
  return new RawJson(JSON.stringify({ ...template, ...given }), input.secrets);
}
