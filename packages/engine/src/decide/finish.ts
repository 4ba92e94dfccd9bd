import { taskId } from "../execution/ids.ts";
import { isTerminal } from "../execution/status.ts";
import type { Task } from "../execution/task.ts";
import { ExternalJson, RawJson, type Resolved, stringifyResolved } from "../expression/raw-json.ts";
import type { Outcome } from "./outcome.ts";
import { schemaViolation } from "./schemas.ts";
import type { Transition } from "./transition.ts";

const REASON_LIMIT = 500;
export const cutReason = (reason: string): string =>
  reason.length > REASON_LIMIT ? reason.slice(0, REASON_LIMIT) : reason;

/** Ends a task, or moves it on when the outcome is IN_PROGRESS; its successors come from the agenda. */
export function finishTask(t: Transition, task: Task, outcome: Outcome, patch: Partial<Task> = {}): void {
  const checked = checkSchema(t, task, checkSize(t, task, outcome));
  if (checked.output !== undefined) t.setOutput(task.no, checked.output);
  const now = t.now;
  const isOver = isTerminal(checked.status);
  t.patchTask(task.no, {
    startTime: task.startTime === 0 ? now : task.startTime,
    updateTime: now,
    ...patch,
    status: checked.status,
    ...(isOver ? { endTime: now } : {}),
    ...(checked.reason === undefined ? {} : { reasonForIncompletion: cutReason(checked.reason) }),
  });
  if (!isOver) return;
  if (checked.status === "FAILED" || checked.status === "FAILED_WITH_TERMINAL_ERROR")
    t.patchHead({ hasFailures: true });
  t.removeWork(task.no);
  t.followed.length = 0;
  t.agenda.push({ kind: "follow-up", no: task.no });
}

/** An output over the hard limit fails the task for good and is not kept. */
function checkSize(t: Transition, task: Task, outcome: Outcome): Outcome {
  const { output } = outcome;
  if (output === undefined) return outcome;
  const raw = asPayload(output);
  const limit = t.context.settings.maxTaskOutputBytes;
  const size = sizeWithin(raw, limit);
  if (size <= limit) return { ...outcome, output: raw };
  return { status: "FAILED_WITH_TERMINAL_ERROR", output: {}, reason: tooLarge(t, task, size, limit) };
}

/** A completed task whose output its definition does not allow has failed after all; the output stays to look at. */
function checkSchema(t: Transition, task: Task, outcome: Outcome): Outcome {
  if (outcome.status !== "COMPLETED") return outcome;
  const value = () => (outcome.output instanceof RawJson ? outcome.output : t.output(task.no)).value;
  const violation = schemaViolation(t, t.entryOf(task), "output", value);
  return violation === undefined ? outcome : { ...outcome, status: "FAILED_WITH_TERMINAL_ERROR", reason: violation };
}

/** Why a task cannot begin with the input it has. */
export function inputProblem(t: Transition, task: Task): string | undefined {
  const limit = t.context.settings.maxTaskInputBytes;
  const size = sizeWithin(t.input(task.no), limit);
  return size <= limit ? undefined : tooLarge(t, task, size, limit);
}

const tooLarge = (t: Transition, task: Pick<Task, "no">, size: number, limit: number): string =>
  `The payload size: ${size} of task: ${taskId(t.head.id, task.no)} in workflow: ${t.head.id}  is greater than the permissible limit: ${limit} bytes`;

/** A value as it is stored: marks of secrets are noted elsewhere, and what lies elsewhere stays there. */
export function asPayload(value: Resolved): RawJson {
  if (value instanceof ExternalJson) return value;
  return new RawJson(value instanceof RawJson ? value.text : stringifyResolved(value));
}

/** Bytes; when they cannot reach the limit, a number below it. */
export function sizeWithin(raw: RawJson, limit: number): number {
  if (raw instanceof ExternalJson) return raw.bytes;
  return raw.text.length <= limit / 3 ? raw.text.length : utf8Length(raw.text);
}

export function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    length += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return length;
}
