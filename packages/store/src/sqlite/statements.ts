import { BLOCK_BITS } from "./text-block.ts";

const putWork = `insert into work (exec, no, queue, prio, due, timer, state, polls, started, polled, worker, node, timing)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null, ?)
    on conflict (exec, no) do update set queue = excluded.queue, prio = excluded.prio, due = excluded.due,
      timer = excluded.timer, state = excluded.state, polls = excluded.polls, started = excluded.started,
      polled = excluded.polled, worker = excluded.worker, node = case when excluded.state = 1 then node end,
      timing = excluded.timing`;

const numberOf = "(select no from execution where id = ?1)";
const keysOf = (bits: number): string => `key >= ${numberOf} << ${bits} and key < (${numberOf} + 1) << ${bits}`;
const archived = (column: string, slot: string): string =>
  `coalesce(${column}, (select body from payload where exec = id and no = 0 and slot = '${slot}'), '')`;

/**
 * Every statement that writes, by number: the two threads speak of them by their place in this list. A guard must
 * change exactly one row, or its unit is dropped.
 */
const table = {
  // Numbers of archived executions are still in use.
  insertExecution: `insert into execution (no, id, rev, epoch, status, head, inp, out, vars)
    values (1 + max(ifnull((select max(no) from execution), 0), ifnull((select max(no) from archive), 0)), ?, ?, ?, ?, ?, ?, ?, ?)`,
  updateExecution: "update execution set rev = ?, epoch = ?, status = ?, head = ? where id = ? and rev = ?",
  setExecutionInput: "update execution set inp = ? where id = ?",
  setExecutionOutput: "update execution set out = ? where id = ?",
  setExecutionVariables: "update execution set vars = ? where id = ?",
  insertTask:
    "insert into task (exec, no, epoch, ref, iter, scope, joins, done, meta, inp, out) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  // The JOIN that a task reports to never changes: named here, the index by it would be written again.
  updateTask: "update task set done = ?, meta = ? where exec = ? and no = ?",
  updateTaskAndOutput: "update task set done = ?, meta = ?, out = ? where exec = ? and no = ?",
  setTaskInput: "update task set inp = ? where exec = ? and no = ?",
  deleteTask: "delete from task where exec = ? and no = ?",
  insertPayload: "insert into payload (exec, no, slot, body) values (?, ?, ?, ?)",
  deletePayload: "delete from payload where exec = ? and no = ? and slot = ?",
  deletePayloads: "delete from payload where exec = ? and no = ?",
  // Who holds a claim does not change with its deadlines: a server's own claim must stay known as such.
  putWork,
  // A poll that came between the decision and its commit has moved the row on: then the decision is void.
  replaceWork: `${putWork} where work.polls <= excluded.polls`,
  deleteWork: "delete from work where exec = ? and no = ?",
  claimWork:
    "update work set state = 1, timer = ?, polls = ?, started = ?, polled = ?, worker = ?, node = ? where exec = ? and no = ? and state = 0",
  moveWork:
    "update work set state = ?, due = ?, timer = ?, polls = ?, started = ?, polled = ?, worker = ?, node = null where exec = ? and no = ? and state = ?",
  // The count and the insert are one statement in the only writing thread: exact, without locks.
  takeSlot:
    "insert into limit_slot (name, exec, no) select ?1, ?2, ?3 where (select count(*) from limit_slot where name = ?1) < ?4",
  takeRateSlot:
    "insert into rate_slot (name, at) select ?1, ?2 where (select count(*) from rate_slot where name = ?1 and at > ?3) < ?4",
  trimRateSlots: "delete from rate_slot where name = ? and at <= ?",
  releaseSlot: "delete from limit_slot where exec = ? and no = ?",
  insertOutbox: "insert into outbox (sender, n, target, body) values (?, ?, ?, ?)",
  consumeOutbox: "delete from outbox where sender = ? and n = ?",
  insertDef: "insert into def (hash, body) values (?, ?) on conflict do nothing",
  insertWorkflowDef: "insert into workflow_def (name, version, body) values (?, ?, ?) on conflict do nothing",
  putWorkflowDef: "insert or replace into workflow_def (name, version, body) values (?, ?, ?)",
  deleteWorkflowDef: "delete from workflow_def where name = ? and version = ?",
  putTaskDef: "insert or replace into task_def (name, body) values (?, ?)",
  deleteTaskDef: "delete from task_def where name = ?",
  insertDocument: "insert into document (collection, id, body) values (?, ?, ?) on conflict do nothing",
  putDocument: "insert or replace into document (collection, id, body) values (?, ?, ?)",
  replaceDocument: "update document set body = ? where collection = ? and id = ? and body = ?",
  deleteDocument: "delete from document where collection = ? and id = ?",
  deleteDocuments: "delete from document where collection = ?",
  // A slot that is not after the last one is a guard that failed.
  moveCursor: `insert into schedule_cursor (schedule, entry, slot) values (?, ?, ?)
    on conflict (schedule, entry) do update set slot = excluded.slot where schedule_cursor.slot < excluded.slot`,
  insertCursor: "insert into schedule_cursor (schedule, entry, slot) values (?, ?, ?) on conflict do nothing",
  moveCursorFrom: "update schedule_cursor set slot = ? where schedule = ? and entry = ? and slot = ?",
  forgetCursors: "delete from schedule_cursor where schedule = ?",
  insertRun: `insert into schedule_run (id, schedule, entry, slot, fired, workflow, exec, state, reason, zone, request)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  trimRuns: `delete from schedule_run indexed by schedule_run_schedule where schedule = ?1 and slot <
    (select slot from schedule_run where schedule = ?1 order by slot desc limit 1 offset ?2)`,
  expireRuns: `delete from schedule_run where no in
    (select no from schedule_run indexed by schedule_run_slot where slot < ? order by slot limit ?)`,
  insertMessage: "insert into message (exec, n, body) values (?, ?, ?)",
  deleteMessages: "delete from message where exec = ? and n < ?",
  insertLog: "insert into log (exec, no, at, line) values (?, ?, ?, ?)",
  insertIdempotency: "insert into idempotency (name, key, exec) values (?, ?, ?) on conflict do nothing",
  replaceIdempotency: "update idempotency set exec = ? where name = ? and key = ? and exec = ?",
  putCache: "insert or replace into cache (key, body, expires) values (?, ?, ?)",
  trimCache: "delete from cache where expires <= ?",
  // Removal: the guard holds the execution, and it goes last, because its number leads to the rows of search.
  findExecution: "update execution set rev = rev where id = ?",
  archiveExecution: `insert into archive (no, id, head, inp, out, vars)
    select no, id, head, ${archived("inp", "input")}, ${archived("out", "output")}, ${archived("vars", "variables")}
    from execution where id = ?`,
  deleteSearch: `delete from search where no = ${numberOf}`,
  deleteSearchText: `delete from search_text where ${keysOf(6)}`,
  // What a block says of it is not true any more.
  voidSearchText: `insert or ignore into search_void (no) select no from execution
    where id = ? and exists (select 1 from search_block where block = no >> ${BLOCK_BITS})`,
  deleteTaskSearch: `delete from task_search where ${keysOf(24)}`,
  deleteExecution: "delete from execution where id = ?",
  deleteTasks: "delete from task where exec = ?",
  deleteAllPayloads: "delete from payload where exec = ?",
  deleteAllWork: "delete from work where exec = ?",
  deleteLogs: "delete from log where exec = ?",
  deleteSlots: "delete from limit_slot where exec = ?",
  deleteIdempotency: "delete from idempotency where exec = ?",
  purgePayloads: "delete from payload where exec = ?1 and no in (select no from task where exec = ?1 and epoch < ?2)",
  purgeTasks: "delete from task where exec = ? and epoch < ?",
} as const;

export type StatementName = keyof typeof table;

const statementNames = Object.keys(table) as readonly StatementName[];
export const statementTexts: readonly string[] = statementNames.map((name) => table[name]);

/** How many values each statement takes: the highest numbered parameter, or the question marks. */
export const parameterCounts: readonly number[] = statementTexts.map((text) => {
  const numbered = [...text.matchAll(/\?(\d+)/g)].map((match) => Number(match[1]));
  return numbered.length > 0 ? Math.max(...numbered) : text.split("?").length - 1;
});

const numbers = new Map(statementNames.map((name, index) => [name, index]));
export const statementNumber = (name: StatementName): number => numbers.get(name) ?? -1;

/**
 * Where a statement's values name the execution, and the task, whose search rows it puts out of date. Claims are among
 * them: a poll is seen by who searches for tasks. `text`: it may change what is found by free text.
 */
export type Touch = { readonly exec: number; readonly no?: number; readonly text?: true; readonly isNew?: true };

const touching: Partial<Record<StatementName, Touch>> = {
  insertExecution: { exec: 0, text: true, isNew: true },
  updateExecution: { exec: 4 },
  setExecutionInput: { exec: 1, text: true },
  setExecutionOutput: { exec: 1, text: true },
  insertTask: { exec: 0, no: 1 },
  updateTask: { exec: 2, no: 3 },
  updateTaskAndOutput: { exec: 3, no: 4 },
  setTaskInput: { exec: 1, no: 2 },
  deleteTask: { exec: 0, no: 1 },
  putWork: { exec: 0, no: 1 },
  replaceWork: { exec: 0, no: 1 },
  deleteWork: { exec: 0, no: 1 },
  claimWork: { exec: 6, no: 7 },
  moveWork: { exec: 7, no: 8 },
};
export const touches: readonly (Touch | undefined)[] = statementNames.map((name) => touching[name]);
