import { type Changes, isWorkflowTerminal, type MessageChanges, type Task, type Work } from "@downbeat/engine";
import type {
  ClaimUnit,
  Commit,
  DocumentPut,
  ScheduleCursor,
  ScheduleRun,
  TransitionUnit,
  Unit,
  WorkUnit,
} from "../port.ts";
import { headText, taskText } from "./compact.ts";
import { type StatementName, statementNumber } from "./statements.ts";
import { stateNumbers, timingOf } from "./work-row.ts";

export type Value = string | number | null;
type Guard = Extract<Commit, { kind: "conflict" }>["guard"];

/**
 * A unit as the writer thread takes it: flat values, because they cross threads cheaper than objects. Layout: number of
 * guards, number of rows, then for each its statement's number and values.
 */
export type EncodedUnit = { readonly values: Value[]; readonly guards: readonly Guard[] };

/** Longer payloads have a row of their own: rewriting a task row must not rewrite them. */
const INLINE_LIMIT = 400;

export function encodeUnit(unit: Unit): EncodedUnit {
  const out = new Encoder();
  switch (unit.kind) {
    case "transition":
      encodeTransition(out, unit);
      break;
    case "claim":
      encodeClaim(out, unit);
      break;
    case "work":
      encodeWorkMove(out, unit);
      break;
    case "logs":
      for (const { executionId, no, at, line } of unit.lines) out.row("insertLog", executionId, no, instant(at), line);
      break;
    case "put-workflow-def": {
      const { name, version } = unit.def;
      const body = JSON.stringify(unit.def);
      if (unit.mustBeNew) out.guard("exists", "insertWorkflowDef", name, version, body);
      else out.row("putWorkflowDef", name, version, body);
      break;
    }
    case "delete-workflow-def":
      out.guard("exists", "deleteWorkflowDef", unit.name, unit.version);
      break;
    case "put-task-defs":
      for (const def of unit.defs) out.row("putTaskDef", def.name, JSON.stringify(def));
      break;
    case "delete-task-def":
      out.guard("exists", "deleteTaskDef", unit.name);
      break;
    case "remove-execution":
      encodeRemoval(out, unit.id, unit.keepsSearchRow);
      if (unit.documents !== undefined) encodeDocuments(out, unit.documents);
      break;
    case "put-documents":
      encodeDocuments(out, unit.documents);
      break;
    case "delete-documents":
      if (unit.ids === "all") out.row("deleteDocuments", unit.collection);
      else for (const id of unit.ids) out.row("deleteDocument", unit.collection, id);
      break;
    case "schedule-run":
      encodeRun(out, unit.run);
      break;
    case "skip-slots":
      encodeSkip(out, unit.cursor, unit.seen);
      break;
    case "forget-cursors":
      out.row("forgetCursors", unit.schedule);
      break;
    case "trim-runs":
      out.row("trimRuns", unit.schedule, Math.max(0, unit.keep - 1));
      break;
    case "expire-runs":
      out.row("expireRuns", instant(unit.before), unit.limit);
      break;
    case "purge-epoch":
      out.row("purgePayloads", unit.id, unit.before);
      out.row("purgeTasks", unit.id, unit.before);
      break;
  }
  return out.finish();
}

class Encoder {
  readonly #guards: Guard[] = [];
  readonly #guardValues: Value[] = [];
  readonly #rowValues: Value[] = [];
  #rows = 0;

  guard(name: Guard, statement: StatementName, ...values: Value[]): void {
    this.#guards.push(name);
    this.#guardValues.push(statementNumber(statement), ...values);
  }

  row(statement: StatementName, ...values: Value[]): void {
    this.#rows++;
    this.#rowValues.push(statementNumber(statement));
    for (const value of values) this.#rowValues.push(value);
  }

  finish(): EncodedUnit {
    return {
      values: [this.#guards.length, this.#rows, ...this.#guardValues].concat(this.#rowValues),
      guards: this.#guards,
    };
  }
}

function encodeDocuments(out: Encoder, documents: readonly DocumentPut[]): void {
  for (const { collection, id, body, mustBeNew, replaces } of documents) {
    if (replaces !== undefined) out.guard("document", "replaceDocument", body, collection, id, replaces);
    else if (mustBeNew) out.guard("exists", "insertDocument", collection, id, body);
    else out.row("putDocument", collection, id, body);
  }
}

function encodeCursor(out: Encoder, { schedule, entry, slotAt }: ScheduleCursor): void {
  out.guard("exists", "moveCursor", schedule, entry, slotAt);
}

function encodeSkip(out: Encoder, { schedule, entry, slotAt }: ScheduleCursor, seen: number | undefined): void {
  if (seen === undefined) out.guard("exists", "insertCursor", schedule, entry, slotAt);
  else out.guard("exists", "moveCursorFrom", slotAt, schedule, entry, seen);
}

function encodeRun(out: Encoder, run: ScheduleRun): void {
  if (run.entry >= 0) encodeCursor(out, run);
  out.row(
    "insertRun",
    run.id,
    run.schedule,
    run.entry,
    run.slotAt,
    run.firedAt,
    run.workflowName,
    run.workflowId ?? null,
    run.state,
    run.reason ?? null,
    run.zone,
    run.request,
  );
}

function encodeMessages(out: Encoder, id: string, { puts, from }: MessageChanges): void {
  out.row("deleteMessages", id, from);
  for (const { n, text } of puts) out.row("insertMessage", id, n, text);
}

function encodeTransition(out: Encoder, unit: TransitionUnit): void {
  for (const { sender, n } of unit.consumes) out.guard("outbox", "consumeOutbox", sender, n);
  if (unit.documents !== undefined) encodeDocuments(out, unit.documents);
  if (unit.run !== undefined) encodeRun(out, unit.run);
  const { changes } = unit;
  if (changes !== undefined) {
    if (unit.idempotency !== undefined) {
      const { name, key, replaces } = unit.idempotency;
      if (replaces === undefined) out.guard("idempotency", "insertIdempotency", name, key, changes.id);
      else out.guard("idempotency", "replaceIdempotency", changes.id, name, key, replaces);
    }
    if (unit.slot !== undefined)
      out.guard("concurrency", "takeSlot", unit.slot.name, changes.id, 0, unit.slot.concurrent);
    encodeHead(out, changes);
    // The slot of an execution limit is held from the start to the end, which may be one and the same transition.
    const { rateLimitKey, status } = changes.head;
    if (rateLimitKey !== undefined && isWorkflowTerminal(status)) out.row("releaseSlot", changes.id, 0);
    encodeTasks(out, changes);
    const firstNew = changes.newTasks[0]?.no ?? Number.POSITIVE_INFINITY;
    for (const [no, work] of changes.work)
      encodeWork(out, { id: changes.id, no, isNew: no === 0 || no >= firstNew }, work);
    for (const { no, at, line } of changes.logs) out.row("insertLog", changes.id, no, instant(at), line);
    if (changes.messages !== undefined) encodeMessages(out, changes.id, changes.messages);
    if (changes.cachePuts.length > 0) out.row("trimCache", changes.head.updateTime);
    for (const { key, text, expiresAt } of changes.cachePuts) out.row("putCache", key, text, expiresAt);
    for (const { no, at, line } of unit.logs) out.row("insertLog", changes.id, no, instant(at), line);
  }
  for (const { hash, body } of unit.defs) out.row("insertDef", hash, body);
  for (const { sender, n, target, body } of unit.sends) out.row("insertOutbox", sender, n, target, body);
}

function encodeHead(out: Encoder, changes: Changes): void {
  const { head, baseRev } = changes;
  const own = changes.payloads.filter((payload) => payload.no === 0);
  const text = headText(head);
  if (baseRev === undefined) {
    const slots = { input: "", output: "", variables: "" };
    for (const { slot, text: body } of own) slots[slot] = body;
    out.guard(
      "revision",
      "insertExecution",
      head.id,
      head.rev,
      head.epoch,
      head.status,
      text,
      inline(slots.input),
      inline(slots.output),
      inline(slots.variables),
    );
    for (const { slot, text: body } of own)
      if (body.length > INLINE_LIMIT) out.row("insertPayload", head.id, 0, slot, body);
    return;
  }
  out.guard("revision", "updateExecution", head.rev, head.epoch, head.status, text, head.id, baseRev);
  for (const { slot, text: body } of own) {
    if (body.length > INLINE_LIMIT) {
      out.row("deletePayload", head.id, 0, slot);
      out.row("insertPayload", head.id, 0, slot, body);
    }
    out.row(executionSlot[slot], inline(body), head.id);
  }
}

const executionSlot = {
  input: "setExecutionInput",
  output: "setExecutionOutput",
  variables: "setExecutionVariables",
} as const;

function encodeTasks(out: Encoder, changes: Changes): void {
  const { id, head } = changes;
  const inputs = new Map<number, string>();
  const outputs = new Map<number, string>();
  for (const { no, slot, text } of changes.payloads) {
    if (no !== 0) (slot === "input" ? inputs : outputs).set(no, text);
  }
  for (const no of changes.removedTasks) {
    out.row("deleteTask", id, no);
    out.row("deletePayloads", id, no);
    out.row("deleteWork", id, no);
  }
  for (const task of changes.newTasks) {
    const input = inputs.get(task.no) ?? "";
    const output = outputs.get(task.no) ?? "";
    const meta = taskText(task);
    out.row(
      "insertTask",
      id,
      task.no,
      head.epoch,
      task.ref,
      task.iter,
      task.scope,
      task.join,
      isDone(task),
      meta,
      inline(input),
      inline(output),
    );
    if (input.length > INLINE_LIMIT) out.row("insertPayload", id, task.no, "input", input);
    if (output.length > INLINE_LIMIT) out.row("insertPayload", id, task.no, "output", output);
  }
  for (const task of changes.changedTasks) {
    const meta = taskText(task);
    const output = outputs.get(task.no);
    if (output === undefined) {
      out.row("updateTask", isDone(task), meta, id, task.no);
    } else {
      out.row("updateTaskAndOutput", isDone(task), meta, inline(output), id, task.no);
      replacePayload(out, id, task.no, "output", output);
    }
    const input = inputs.get(task.no);
    if (input !== undefined) {
      out.row("setTaskInput", inline(input), id, task.no);
      replacePayload(out, id, task.no, "input", input);
    }
  }
}

function replacePayload(out: Encoder, id: string, no: number, slot: "input" | "output", text: string): void {
  if (text.length <= INLINE_LIMIT) return;
  out.row("deletePayload", id, no, slot);
  out.row("insertPayload", id, no, slot, text);
}

/** Null: look in payload. The empty object, by far the most frequent, is stored as nothing. */
const inline = (text: string): string | null => (text.length > INLINE_LIMIT ? null : text === "{}" ? "" : text);

/** Callers choose some times. A number the database holds and JavaScript cannot would make its row unreadable. */
const instant = (at: number): number => Math.max(-Number.MAX_SAFE_INTEGER, Math.min(at, Number.MAX_SAFE_INTEGER));

const isDone = (task: Task): number => (task.executed || task.retried ? 1 : 0);

type WorkPlace = { readonly id: string; readonly no: number; readonly isNew: boolean };

function encodeWork(out: Encoder, { id, no, isNew }: WorkPlace, work: Work | undefined): void {
  if (work === undefined) {
    out.row("deleteWork", id, no);
    if (no !== 0) out.row("releaseSlot", id, no);
    return;
  }
  // Claimed and waiting work holds its slot until it ends or is offered again.
  const isOffered = work.state === "ready" || work.state === "delayed";
  if (work.limit !== undefined && isOffered) out.row("releaseSlot", id, no);
  const values = [
    id,
    no,
    work.queue,
    work.priority,
    instant(work.dueAt),
    instant(work.timerAt),
    stateNumbers[work.state],
    work.polls,
    work.startedAt,
    work.polledAt,
    work.workerId ?? null,
    timingOf(work),
  ];
  if (isNew) out.row("putWork", ...values);
  else out.guard("work", "replaceWork", ...values);
}

function encodeClaim(out: Encoder, { id, no, work, node }: ClaimUnit): void {
  out.guard(
    "work",
    "claimWork",
    instant(work.timerAt),
    work.polls,
    work.startedAt,
    work.polledAt,
    work.workerId ?? null,
    node ?? null,
    id,
    no,
  );
  const { limit } = work;
  if (limit === undefined) return;
  if (limit.concurrent > 0) out.guard("concurrency", "takeSlot", limit.name, id, no, limit.concurrent);
  if (limit.perWindow > 0) {
    out.guard("rate", "takeRateSlot", limit.name, work.polledAt, work.polledAt - limit.windowMs, limit.perWindow);
    out.row("trimRateSlots", limit.name, work.polledAt - limit.windowMs);
  }
}

function encodeWorkMove(out: Encoder, { id, no, from, work }: WorkUnit): void {
  out.guard(
    "work",
    "moveWork",
    stateNumbers[work.state],
    instant(work.dueAt),
    instant(work.timerAt),
    work.polls,
    work.startedAt,
    work.polledAt,
    work.workerId ?? null,
    id,
    no,
    stateNumbers[from],
  );
  if (from === "claimed" && work.limit !== undefined) out.row("releaseSlot", id, no);
}

function encodeRemoval(out: Encoder, id: string, keepsSearchRow: boolean): void {
  if (keepsSearchRow) {
    out.guard("exists", "archiveExecution", id);
  } else {
    out.guard("exists", "findExecution", id);
    out.row("deleteSearch", id);
    out.row("deleteSearchText", id);
    out.row("voidSearchText", id);
  }
  out.row("deleteTaskSearch", id);
  out.row("deleteTasks", id);
  out.row("deleteAllPayloads", id);
  out.row("deleteAllWork", id);
  out.row("deleteMessages", id, Number.MAX_SAFE_INTEGER);
  out.row("deleteLogs", id);
  out.row("deleteSlots", id);
  out.row("deleteIdempotency", id);
  out.row("deleteExecution", id);
}
