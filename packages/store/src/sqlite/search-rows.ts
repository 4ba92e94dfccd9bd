import type { DatabaseSync } from "node:sqlite";
import type { Head, WorkflowDef } from "@downbeat/engine";
import { classifierOf } from "@downbeat/engine/names";
import { headFromText } from "./compact.ts";
import type { Mark } from "./marks.ts";
import { executionText, type SearchedPayloads, TEXT_LIMIT } from "./search-text.ts";
import { signaturesOf } from "./signature.ts";

/** Tasks of one execution that are written at once. */
const TASKS_AT_ONCE = 500;
/** Definitions whose kind is remembered. */
const KINDS = 1000;

type ExecutionRow = {
  readonly no: number;
  readonly head: string;
  readonly inp: string | null;
  readonly out: string | null;
};
type SearchRow = {
  readonly status: string;
  readonly epoch: number;
  readonly version: number;
  readonly correlation_id: string | null;
  readonly classifier: string;
  readonly masked: number;
  readonly reason: string | null;
  readonly failed: string | null;
};
/** What the definition says about how its executions are searched. */
type Kind = { readonly classifier: string; readonly isMasked: boolean };
type Place = { readonly no: number; readonly head: Head };

/**
 * Writes the search rows of what a mark names: the execution's own, and those of the tasks that have changed. False when
 * the deadline came first: the mark then says what is left. `touch` is told the number of an execution whose text is
 * about to be written.
 */
export function createSearchRows(
  db: DatabaseSync,
  touch: (no: number) => void,
): (mark: Mark, deadline: number) => boolean {
  const sql = prepare(db);
  const kinds = new Map<string, Kind>();

  const kindOf = (hash: string): Kind => {
    let kind = kinds.get(hash);
    if (kind === undefined) {
      const row = sql.definition.get(hash) as { body: string } | undefined;
      kind = row === undefined ? { classifier: "workflow", isMasked: false } : readKind(row.body);
      if (kinds.size >= KINDS) kinds.clear();
      kinds.set(hash, kind);
    }
    return kind;
  };

  const read = (exec: string, { inp, out }: ExecutionRow): SearchedPayloads => {
    const large = (slot: string): string =>
      (sql.largePayload.get(exec, slot) as { body: string } | undefined)?.body ?? "";
    return { input: inp ?? large("input"), output: out ?? large("output") };
  };

  const putHead = (row: ExecutionRow, mark: Mark): Place => {
    const head = headFromText(row.head);
    const { no } = row;
    const { classifier, isMasked } = kindOf(head.defHash);
    const reason = head.reasonForIncompletion ?? null;
    const failed = head.failedReferenceTaskNames.join(",") || null;
    const before = mark.isNew ? undefined : (sql.searchRow.get(no) as SearchRow | undefined);
    const isSame =
      before !== undefined &&
      before.status === head.status &&
      before.epoch === head.epoch &&
      before.version === head.workflowVersion &&
      before.correlation_id === (head.correlationId ?? null) &&
      before.classifier === classifier &&
      before.masked === (isMasked ? 1 : 0) &&
      before.reason === reason &&
      before.failed === failed;
    // After a restart what is known of its tasks is of the past, what a pass that was cut short has written too.
    if (before !== undefined && before.epoch !== head.epoch) mark.wholeFrom = 1;
    if (isSame && head.endTime === 0) {
      sql.setUpdateTime.run(head.updateTime, no);
    } else {
      sql.putSearch.run(
        no,
        head.workflowName,
        head.workflowVersion,
        head.status,
        head.createTime,
        head.endTime,
        head.updateTime,
        head.priority,
        head.correlationId ?? null,
        head.parentWorkflowId ?? null,
        classifier,
        isMasked ? 1 : 0,
        head.epoch,
        head.createdBy ?? null,
        head.event ?? null,
        reason,
        head.idempotencyKey ?? null,
        failed,
      );
    }
    if (mark.text || !isSame) {
      touch(no);
      const signatures = signaturesOf(executionText(head, isMasked ? undefined : read(head.id, row)));
      for (const [part, columns] of signatures.entries()) sql.putText.run(no, part, ...columns);
      if (before !== undefined) sql.trimText.run(no, signatures.length);
    }
    return { no, head };
  };

  const putTasks = ({ no, head }: Place, first: number, last: number): void => {
    const { changes } = sql.putTasks.run(no, head.id, first, last, head.epoch);
    if (Number(changes) < last - first + 1) sql.dropTasks.run(no, head.id, first, last, head.epoch);
  };

  const putAll = (place: Place, mark: Mark, deadline: number): boolean => {
    if (mark.wholeFrom === undefined) return true;
    const last = Number(sql.lastTask.get(place.head.id)?.["no"] ?? 0);
    if (mark.wholeFrom === 1) sql.clearTasks.run(place.no);
    for (let first = mark.wholeFrom; first <= last; first += TASKS_AT_ONCE) {
      if (performance.now() > deadline) {
        mark.wholeFrom = first;
        return false;
      }
      sql.putTasks.run(place.no, place.head.id, first, first + TASKS_AT_ONCE - 1, place.head.epoch);
    }
    mark.wholeFrom = undefined;
    return true;
  };

  const putSome = (place: Place, mark: Mark, deadline: number): boolean => {
    const nos = [...new Set(mark.nos)].sort((one, other) => one - other);
    for (let start = 0; start < nos.length; ) {
      const end = endOfRun(nos, start);
      putTasks(place, nos[start] ?? 0, nos[end - 1] ?? 0);
      start = end;
      if (start < nos.length && performance.now() > deadline) {
        mark.nos = nos.slice(start);
        return false;
      }
    }
    return true;
  };

  return (mark, deadline) => {
    const row = sql.execution.get(mark.exec) as ExecutionRow | undefined;
    if (row === undefined) {
      const archived = sql.archived.get(mark.exec) as ExecutionRow | undefined;
      if (archived !== undefined) putHead(archived, mark);
      return true;
    }
    const place = putHead(row, mark);
    return putAll(place, mark, deadline) && putSome(place, mark, deadline);
  };
}

/** Consecutive numbers are written together: where those from this place on end. */
function endOfRun(nos: readonly number[], start: number): number {
  let end = start + 1;
  while (end < nos.length && end - start < TASKS_AT_ONCE && nos[end] === (nos[end - 1] ?? 0) + 1) end++;
  return end;
}

function readKind(body: string): Kind {
  const def = JSON.parse(body) as Partial<WorkflowDef>;
  return {
    classifier: classifierOf({ metadata: def.metadata ?? {} }),
    isMasked: (def.maskedFields ?? []).length > 0,
  };
}

/** A poll changes only the work row; a task is found as the poll left it. */
const putTasks = `
  insert into task_search (key, type, def_name, ref, status, scheduled_time, start_time, end_time, update_time)
  select (?1 << 24) | t.no, t.meta ->> 'taskType', t.meta ->> 'taskDefName',
    iif(t.iter = '', t.ref, t.ref || '__' || t.iter),
    iif(w.state = 1, 'IN_PROGRESS', t.meta ->> 'status'),
    t.meta ->> 'scheduledTime',
    iif(w.state = 1, w.started, ifnull(t.meta ->> 'startTime', 0)),
    ifnull(t.meta ->> 'endTime', 0),
    iif(w.state = 1, w.polled, ifnull(t.meta ->> 'updateTime', 0))
  from task t left join work w on w.exec = t.exec and w.no = t.no
  where t.exec = ?2 and t.no >= ?3 and t.no <= ?4 and t.epoch = ?5
  on conflict (key) do update set type = excluded.type, def_name = excluded.def_name, ref = excluded.ref,
    status = excluded.status, scheduled_time = excluded.scheduled_time, start_time = excluded.start_time,
    end_time = excluded.end_time, update_time = excluded.update_time`;

const prepare = (db: DatabaseSync) => ({
  definition: db.prepare("select body from def where hash = ?"),
  execution: db.prepare("select no, head, inp, out from execution where id = ?"),
  archived: db.prepare("select no, head, inp, out from archive where id = ?"),
  largePayload: db.prepare(
    `select substr(body, 1, ${TEXT_LIMIT}) as body from payload where exec = ? and no = 0 and slot = ?`,
  ),
  searchRow: db.prepare(
    "select status, epoch, version, correlation_id, classifier, masked, reason, failed from search where no = ?",
  ),
  setUpdateTime: db.prepare("update search set update_time = ? where no = ?"),
  putSearch: db.prepare(
    `insert into search (no, name, version, status, start_time, end_time, update_time, priority, correlation_id,
       parent_id, classifier, masked, epoch, created_by, event, reason, idempotency_key, failed)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (no) do update set name = excluded.name, version = excluded.version, status = excluded.status,
       start_time = excluded.start_time, end_time = excluded.end_time, update_time = excluded.update_time,
       priority = excluded.priority, correlation_id = excluded.correlation_id, parent_id = excluded.parent_id,
       classifier = excluded.classifier, masked = excluded.masked, epoch = excluded.epoch,
       created_by = excluded.created_by, event = excluded.event, reason = excluded.reason,
       idempotency_key = excluded.idempotency_key, failed = excluded.failed`,
  ),
  putText: db.prepare(
    `insert or replace into search_text (key, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9)
     values ((?1 << 6) | ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`,
  ),
  trimText: db.prepare("delete from search_text where key >= (?1 << 6) + ?2 and key < (?1 + 1) << 6"),
  putTasks: db.prepare(putTasks),
  dropTasks: db.prepare(
    `delete from task_search where key >= (?1 << 24) | ?3 and key <= (?1 << 24) | ?4 and not exists
       (select 1 from task where exec = ?2 and no = key & 16777215 and epoch = ?5)`,
  ),
  lastTask: db.prepare("select max(no) as no from task where exec = ?"),
  clearTasks: db.prepare("delete from task_search where key >= ?1 << 24 and key < (?1 + 1) << 24"),
});
