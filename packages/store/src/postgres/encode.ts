import {
  type Changes,
  isWorkflowTerminal,
  type MessageChanges,
  type Task,
  type Work,
  type WorkflowDef,
} from "@downbeat/engine";
import { classifierOf } from "@downbeat/engine/names";
import type {
  ClaimUnit,
  DocumentPut,
  PayloadSlot,
  ScheduleCursor,
  ScheduleRun,
  TransitionUnit,
  WorkUnit,
} from "../port.ts";
import { headText } from "../sqlite/compact.ts";
import { stateNumbers, timingOf } from "../sqlite/work-row.ts";
import { cursorKey, type Writing } from "./keys.ts";
import { rowTypes } from "./row-types.ts";
import { type Row, RowSet } from "./rows.ts";
import { isPlainRunning, shownHash, shownRow, textRows } from "./search-rows.ts";
import { changingColumns, lastingColumns } from "./task-row.ts";
import { keyText, safeText } from "./text.ts";

/** Kinds of `commit_op_1`; the functions of schema/0002-commit.sql and 0003 know them by these numbers. */
const ops = {
  takeIdempotency: 1,
  moveIdempotency: 2,
  insertDocument: 3,
  putDocument: 4,
  deleteDocument: 5,
  deleteDocuments: 6,
  takeSlot: 7,
  claimLimited: 8,
  releaseSlot: 9,
  putDef: 10,
  insertWorkflowDef: 11,
  putWorkflowDef: 12,
  deleteWorkflowDef: 13,
  putTaskDef: 14,
  deleteTaskDef: 15,
  removeTask: 16,
  trimCache: 17,
  putCache: 18,
  removeExecution: 19,
  purgeEpoch: 20,
  moveCursor: 21,
  insertRun: 22,
  forgetCursors: 23,
  trimRuns: 24,
  expireRuns: 25,
  insertMessage: 26,
  deleteMessages: 27,
  moveCursorFrom: 28,
  take: 31,
  replaceDocument: 32,
} as const;

/** Longer payloads have a row of their own: rewriting a task row must not rewrite them. */
const INLINE_LIMIT = 400;
/** Tasks up to this number are not in the indexes by reference and by openness; see the schema. */
export const UNINDEXED = 32;

export const slotNumbers: Record<PayloadSlot, number> = { input: 0, output: 1, variables: 2 };

type Op = Omit<Partial<Row<typeof rowTypes.ops>>, "ord" | "kind">;

export type EncodeOptions = {
  /** Search rows of every step, not only of those that probably changed them. */
  readonly showsAll: boolean;
};

/** The units of a group as rows, in the sets that `commit_units` takes. One encoder serves one group after the other. */
export class GroupEncoder {
  readonly sets = {
    ops: new RowSet(rowTypes.ops),
    moves: new RowSet(rowTypes.moves),
    starts: new RowSet(rowTypes.starts),
    steps: new RowSet(rowTypes.steps),
    shown: new RowSet(rowTypes.shown),
    texts: new RowSet(rowTypes.texts),
    tasks: new RowSet(rowTypes.tasks),
    changes: new RowSet(rowTypes.changes),
    works: new RowSet(rowTypes.works),
    ended: new RowSet(rowTypes.ended),
    payloads: new RowSet(rowTypes.payloads),
    consumed: new RowSet(rowTypes.consumed),
    sends: new RowSet(rowTypes.sends),
    logs: new RowSet(rowTypes.logs),
  };
  /** Some guard has to be looked at before anything is written. */
  isChecked = false;
  /** Some task is of a large execution. */
  isLarge = false;
  #options: EncodeOptions = { showsAll: false };
  #ord = 0;

  encode(units: readonly Writing[], options: EncodeOptions): void {
    for (const set of Object.values(this.sets)) set.clear();
    this.isChecked = false;
    this.isLarge = false;
    this.#options = options;
    // Rows are locked in the order of their keys, so that two nodes never wait for each other.
    const inOrder = [...units.entries()].sort(([, one], [, other]) => compare(lockedBy(one), lockedBy(other)));
    for (const [ord, unit] of inOrder) {
      this.#ord = ord;
      this.#add(unit);
    }
  }

  #add(unit: Writing): void {
    switch (unit.kind) {
      case "transition":
        this.#transition(unit);
        return;
      case "claim":
        this.#claim(unit);
        return;
      case "work":
        this.#move(unit);
        return;
      case "logs":
        for (const { executionId, no, at, line } of unit.lines) this.#log(executionId, no, at, line);
        return;
      case "put-workflow-def": {
        const { name, version } = unit.def;
        const put = unit.mustBeNew ? ops.insertWorkflowDef : ops.putWorkflowDef;
        this.#op(put, { a: safeText(name), n1: version, b: JSON.stringify(unit.def) });
        return;
      }
      case "delete-workflow-def":
        this.#op(ops.deleteWorkflowDef, { a: safeText(unit.name), n1: unit.version });
        return;
      case "put-task-defs":
        for (const def of unit.defs) this.#op(ops.putTaskDef, { a: safeText(def.name), b: JSON.stringify(def) });
        return;
      case "delete-task-def":
        this.#op(ops.deleteTaskDef, { a: safeText(unit.name) });
        return;
      case "remove-execution":
        this.#op(ops.removeExecution, { a: safeText(unit.id), n1: unit.keepsSearchRow ? 1 : 0 });
        this.#op(ops.deleteMessages, { a: safeText(unit.id), n1: Number.MAX_SAFE_INTEGER });
        this.#documents(unit.documents);
        return;
      case "put-documents":
        this.#documents(unit.documents);
        return;
      case "delete-documents":
        if (unit.ids === "all") this.#op(ops.deleteDocuments, { a: safeText(unit.collection) });
        else for (const id of unit.ids) this.#op(ops.deleteDocument, { a: safeText(unit.collection), b: safeText(id) });
        return;
      case "schedule-run":
        this.#run(unit.run);
        return;
      case "skip-slots": {
        const { schedule, entry, slotAt } = unit.cursor;
        this.isChecked = true;
        this.#op(ops.moveCursorFrom, { a: safeText(schedule), n1: entry, n2: slotAt, n3: unit.seen ?? null });
        return;
      }
      case "forget-cursors":
        this.#op(ops.forgetCursors, { a: safeText(unit.schedule) });
        return;
      case "trim-runs":
        this.#op(ops.trimRuns, { a: safeText(unit.schedule), n1: Math.max(0, unit.keep - 1) });
        return;
      case "expire-runs":
        this.#op(ops.expireRuns, { n1: instant(unit.before), n2: unit.limit });
        return;
      case "purge-epoch":
        this.#op(ops.purgeEpoch, { a: safeText(unit.id), n1: unit.before });
        return;
      case "take": {
        const { queue, workers, isOwn, now } = unit;
        const names = JSON.stringify(workers.map(safeText));
        this.#op(ops.take, { a: safeText(queue), b: names, c: isOwn ? "" : null, n1: workers.length, n2: now });
        return;
      }
    }
  }

  #transition(unit: TransitionUnit): void {
    const { changes } = unit;
    for (const { sender, n } of unit.consumes) {
      this.isChecked = true;
      this.sets.consumed.add({ ord: this.#ord, sender: safeText(sender), n, target: null, body: null });
    }
    this.#documents(unit.documents);
    if (unit.run !== undefined) this.#run(unit.run);
    for (const { hash, body } of unit.defs) this.#def(hash, body);
    if (changes !== undefined) {
      this.#keys(unit, changes);
      this.#head(changes);
      this.#tasks(changes);
      this.#works(changes);
      const { id, logs, cachePuts, head } = changes;
      for (const { no, at, line } of logs) this.#log(id, no, at, line);
      for (const { no, at, line } of unit.logs) this.#log(id, no, at, line);
      if (changes.messages !== undefined) this.#messages(safeText(id), changes.messages);
      if (cachePuts.length > 0) this.#op(ops.trimCache, { n1: head.updateTime });
      for (const { key, text, expiresAt } of cachePuts)
        this.#op(ops.putCache, { a: keyText(key), b: text, n1: instant(expiresAt) });
    }
    for (const { sender, n, target, body } of unit.sends)
      this.sets.sends.add({ ord: this.#ord, sender: safeText(sender), n, target: safeText(target), body });
  }

  #keys({ idempotency, slot }: TransitionUnit, { id, baseRev, head }: Changes): void {
    if (idempotency !== undefined) {
      const { name, key, replaces } = idempotency;
      this.isChecked = true;
      const place = { a: keyText(name), b: keyText(key), c: safeText(id) };
      if (replaces === undefined) this.#op(ops.takeIdempotency, place);
      else this.#op(ops.moveIdempotency, { ...place, d: safeText(replaces) });
    }
    if (slot !== undefined) {
      this.#op(ops.takeSlot, { a: keyText(slot.name), b: safeText(id), n1: slot.concurrent, n2: baseRev ?? -1 });
    }
    // The slot of an execution limit is held from the start to the end, which may be one and the same transition.
    if (head.rateLimitKey !== undefined && isWorkflowTerminal(head.status)) {
      this.#op(ops.releaseSlot, { a: safeText(id), n1: 0 });
    }
  }

  #head({ head, baseRev, payloads }: Changes): void {
    const own: Record<PayloadSlot, string | undefined> = { input: undefined, output: undefined, variables: undefined };
    for (const { no, slot, text } of payloads) if (no === 0) own[slot] = text;
    const ord = this.#ord;
    const isNew = baseRev === undefined;
    const id = safeText(head.id);
    const row = {
      ord,
      id,
      rev: head.rev,
      epoch: head.epoch,
      status: head.status,
      updated: head.updateTime,
      shown: shownHash(head),
      head: headText(head),
      inp: this.#payload(id, 0, "input", own.input),
      out: this.#payload(id, 0, "output", own.output),
      vars: this.#payload(id, 0, "variables", own.variables),
    };
    if (isNew) {
      this.sets.starts.add({ ...row, inp: row.inp ?? "", out: row.out ?? "", vars: row.vars ?? "" });
    } else {
      this.sets.steps.add({ ...row, base: baseRev });
      if (!this.#options.showsAll && isPlainRunning(head) && own.input === undefined && own.output === undefined)
        return;
    }
    this.sets.shown.add({ ord, isNew, ...shownRow(head) });
    for (const text of textRows(head, own, isNew)) this.sets.texts.add({ ord, exec: id, ...text });
  }

  #tasks(changes: Changes): void {
    const { head, newTasks, changedTasks, removedTasks } = changes;
    const ord = this.#ord;
    const exec = safeText(changes.id);
    const inputs = new Map<number, string>();
    const outputs = new Map<number, string>();
    for (const { no, slot, text } of changes.payloads) {
      if (no !== 0) (slot === "input" ? inputs : outputs).set(no, text);
    }
    const texts = ({ no }: Task) => ({
      inp: this.#payload(exec, no, "input", inputs.get(no)),
      out: this.#payload(exec, no, "output", outputs.get(no)),
    });
    for (const no of removedTasks) this.#op(ops.removeTask, { a: exec, n1: no });
    for (const task of newTasks) {
      if (task.no > UNINDEXED) this.isLarge = true;
      const { inp, out } = texts(task);
      this.sets.tasks.add({
        ord,
        exec,
        epoch: head.epoch,
        ...lastingColumns(task),
        ...changingColumns(task),
        inp: inp ?? "",
        out: out ?? "",
      });
    }
    for (const task of changedTasks) {
      if (task.no > UNINDEXED) this.isLarge = true;
      this.sets.changes.add({ ord, exec, ...changingColumns(task), ...texts(task) });
    }
  }

  #works({ id, newTasks, work: works }: Changes): void {
    const ord = this.#ord;
    const exec = safeText(id);
    const firstNew = newTasks[0]?.no ?? Number.POSITIVE_INFINITY;
    for (const [no, work] of works) {
      if (work === undefined) {
        this.sets.ended.add({ ord, exec, no });
        continue;
      }
      if (no !== 0 && no < firstNew) this.isChecked = true;
      // Claimed and waiting work holds its slot until it ends or is offered again.
      const isOffered = work.state === "ready" || work.state === "delayed";
      if (work.limit !== undefined && isOffered && no !== 0 && no < firstNew)
        this.#op(ops.releaseSlot, { a: exec, n1: no });
      this.sets.works.add({
        ord,
        exec,
        no,
        limited: work.limit !== undefined,
        prio: work.priority,
        queue: safeText(work.queue),
        timing: timingOf(work),
        ...progressOf(work),
      });
    }
  }

  #claim({ id, no, work, node }: ClaimUnit): void {
    const { limit } = work;
    if (limit === undefined || (limit.concurrent <= 0 && limit.perWindow <= 0)) {
      this.#addMove({ id, no, from: "ready", work: { ...work, state: "claimed" }, isOwn: node !== undefined });
      return;
    }
    this.#op(ops.claimLimited, {
      a: safeText(id),
      b: keyText(limit.name),
      c: work.workerId === undefined ? null : safeText(work.workerId),
      d: node === undefined ? null : "",
      n1: no,
      n2: instant(work.timerAt),
      n3: work.polls,
      n4: work.startedAt,
      n5: work.polledAt,
      n6: limit.concurrent,
      n7: limit.perWindow,
      n8: limit.windowMs,
    });
  }

  #move({ id, no, from, work }: WorkUnit): void {
    this.#addMove({ id, no, from, work, isOwn: false });
    if (from === "claimed" && work.limit !== undefined) this.#op(ops.releaseSlot, { a: safeText(id), n1: no });
  }

  #addMove({ id, no, from, work, isOwn }: Omit<WorkUnit, "kind"> & { readonly isOwn: boolean }): void {
    this.sets.moves.add({
      ord: this.#ord,
      exec: safeText(id),
      no,
      was: stateNumbers[from],
      ...progressOf(work),
      isOwn,
    });
  }

  #documents(documents: readonly DocumentPut[] = []): void {
    for (const { collection, id, body, mustBeNew, replaces } of documents) {
      const isReplaced = replaces !== undefined;
      if (mustBeNew || isReplaced) this.isChecked = true;
      const put = isReplaced ? ops.replaceDocument : mustBeNew ? ops.insertDocument : ops.putDocument;
      this.#op(put, { a: safeText(collection), b: safeText(id), c: body, d: replaces ?? null });
    }
  }

  #cursor({ schedule, entry, slotAt }: ScheduleCursor): void {
    this.isChecked = true;
    this.#op(ops.moveCursor, { a: safeText(schedule), n1: entry, n2: slotAt });
  }

  #run(run: ScheduleRun): void {
    if (run.entry >= 0) this.#cursor(run);
    // An operation has four texts. JSON of the database takes no half characters.
    const rest = {
      workflow: run.workflowName,
      exec: run.workflowId,
      state: run.state,
      reason: run.reason,
      zone: run.zone,
    };
    const texts = JSON.stringify(rest, (_name, value: unknown) =>
      typeof value === "string" ? safeText(value).toWellFormed() : value,
    );
    const { schedule, entry, slotAt, firedAt, id, request } = run;
    const numbers = { n1: entry, n2: slotAt, n3: firedAt };
    this.#op(ops.insertRun, { a: safeText(schedule), b: id, c: request, d: texts, ...numbers });
  }

  #messages(exec: string, { puts, from }: MessageChanges): void {
    this.#op(ops.deleteMessages, { a: exec, n1: from });
    for (const { n, text } of puts) this.#op(ops.insertMessage, { a: exec, b: text, n1: n });
  }

  #def(hash: string, body: string): void {
    const { metadata = {}, maskedFields = [] } = JSON.parse(body) as Partial<WorkflowDef>;
    const isMasked = maskedFields.length > 0;
    this.#op(ops.putDef, {
      a: safeText(hash),
      b: body,
      c: safeText(classifierOf({ metadata })),
      n1: isMasked ? 1 : 0,
    });
  }

  /** What stands in the row for a payload: itself, or a sign that it has one of its own. Null when there is none. */
  #payload(exec: string, no: number, slot: PayloadSlot, text: string | undefined): string | null {
    if (text === undefined) return null;
    if (text.length <= INLINE_LIMIT) return text === "{}" ? "" : text;
    this.sets.payloads.add({ ord: this.#ord, exec, no, slot: slotNumbers[slot], body: text });
    return "@";
  }

  #log(id: string, no: number, at: number, line: string): void {
    this.sets.logs.add({ ord: this.#ord, exec: safeText(id), no, at: instant(at), line: safeText(line) });
  }

  #op(kind: number, values: Op): void {
    this.sets.ops.add({ ...noValues, ...values, ord: this.#ord, kind });
  }
}

const noValues = {
  a: null,
  b: null,
  c: null,
  d: null,
  n1: null,
  n2: null,
  n3: null,
  n4: null,
  n5: null,
  n6: null,
  n7: null,
  n8: null,
} as const;

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const lockedBy = (unit: Writing): string => {
  switch (unit.kind) {
    case "transition":
      // What it starts is new, and locked by nobody; the schedule is every node's.
      return unit.run === undefined ? (unit.changes?.id ?? "") : cursorKey(unit.run);
    case "schedule-run":
      return cursorKey(unit.run);
    case "skip-slots":
      return cursorKey(unit.cursor);
    case "claim":
    case "work":
      return `${unit.id} ${String(unit.no).padStart(8, "0")}`;
    default:
      return "";
  }
};

const progressOf = (work: Work) => ({
  state: stateNumbers[work.state],
  due: instant(work.dueAt),
  timer: instant(work.timerAt),
  polls: work.polls,
  started: work.startedAt,
  polled: work.polledAt,
  worker: work.workerId === undefined ? null : safeText(work.workerId),
});

/** Callers choose some times. A number the database holds and JavaScript cannot would make its row unreadable. */
const instant = (at: number): number => Math.max(-Number.MAX_SAFE_INTEGER, Math.min(at, Number.MAX_SAFE_INTEGER));
