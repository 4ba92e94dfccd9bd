import type { DatabaseSync } from "node:sqlite";
import { type Head, isTerminal, RawJson, type Task, type Work } from "@downbeat/engine";
import type { ExecutionReads, PayloadSlot, WholeTask } from "../port.ts";
import { headFromText, taskFromText, tasksFromTexts } from "./compact.ts";
import { type WorkRow, workColumns, workFromRow } from "./work-row.ts";

/** Tasks up to this number are not in the indexes by reference and by openness; see the schema. */
const UNINDEXED = 32;

type ClaimRow = {
  readonly polls: number | null;
  readonly state: number | null;
  readonly started: number | null;
  readonly polled: number | null;
  readonly worker: string | null;
};

/** A task and the work that may be laid over it. */
export type TaskRow = ClaimRow & { readonly meta: string };

/** no, inp, out, meta. As an array, because an execution may have very many. */
type WholeTaskRow = readonly [no: number, inp: string | null, out: string | null, meta: string];

type PayloadRow = { readonly inp: string | null; readonly out: string | null };

const claimed = 1;
const withWork = "select t.meta, w.polls, w.state, w.started, w.polled, w.worker from task t";
const joinWork = "left join work w on w.exec = t.exec and w.no = t.no";
const emptyObject = new RawJson("{}");

export function createExecutionReads(db: DatabaseSync): ExecutionReads {
  const statements = {
    head: db.prepare("select head from execution where id = ?"),
    task: db.prepare(`${withWork} ${joinWork} where t.exec = ? and t.no = ?`),
    firstByRef: db.prepare(
      `${withWork} ${joinWork} where t.exec = ? and t.no <= ${UNINDEXED} and t.epoch = ? and t.ref = ? order by t.no desc`,
    ),
    laterByRef: db.prepare(
      `${withWork} indexed by task_ref ${joinWork} where t.exec = ? and t.ref = ? and t.no > ${UNINDEXED} and t.epoch = ? order by t.no desc limit 1`,
    ),
    laterInIteration: db.prepare(
      `${withWork} indexed by task_ref ${joinWork} where t.exec = ? and t.ref = ? and t.no > ${UNINDEXED} and t.epoch = ? and t.iter = ? order by t.no desc limit 1`,
    ),
    firstOpen: db.prepare(
      `${withWork} ${joinWork} where t.exec = ? and t.no <= ${UNINDEXED} and t.epoch = ? and t.done = 0 order by t.no`,
    ),
    laterOpen: db.prepare(
      `${withWork} indexed by task_open ${joinWork} where t.exec = ? and t.no > ${UNINDEXED} and t.epoch = ? and t.done = 0 order by t.no`,
    ),
    all: db.prepare(`${withWork} ${joinWork} where t.exec = ? and t.no >= ? and t.epoch = ? order by t.no`),
    inLoop: db.prepare(
      `select t.no, t.out, t.meta, w.polls, w.state, w.started, w.polled, w.worker from task t ${joinWork} where t.exec = ? and t.epoch = ? and t.scope = ? order by t.no`,
    ),
    joined: db.prepare(
      `select no, ref, out from task where exec = ?1 and no <= ${UNINDEXED} and epoch = ?2 and joins = ?3
       union all
       select no, ref, out from task indexed by task_join
       where exec = ?1 and joins = ?3 and joins > 0 and no > ${UNINDEXED} and epoch = ?2 order by no`,
    ),
    work: db.prepare(`select ${workColumns} from work where exec = ? and no = ?`),
    executionPayload: db.prepare("select inp, out, vars from execution where id = ?"),
    taskPayload: db.prepare("select inp, out from task where exec = ? and no = ?"),
    whole: db.prepare("select head, inp, out, vars from execution where id = ?"),
    wholeTasks: db.prepare("select no, inp, out, meta from task where exec = ? and epoch = ? order by no"),
    claims: db.prepare(
      `select no, polls, state, started, polled, worker from work where exec = ? and state = ${claimed}`,
    ),
    largePayload: db.prepare("select body from payload where exec = ? and no = ? and slot = ?"),
    messages: db.prepare("select body from message where exec = ? and n >= ? and n < ? order by n"),
    largePayloads: db.prepare("select no, slot, body from payload where exec = ?"),
  };

  statements.wholeTasks.setReturnArrays(true);

  const large = (id: string, no: number, slot: PayloadSlot): RawJson => {
    const row = statements.largePayload.get(id, no, slot) as { body: string } | undefined;
    return row === undefined ? emptyObject : new RawJson(row.body);
  };
  const read = (id: string, no: number, slot: PayloadSlot, column: string | null | undefined): RawJson =>
    column === undefined || column === "" ? emptyObject : column === null ? large(id, no, slot) : new RawJson(column);

  const readTasks = ({ id, epoch }: Head): WholeTask[] => {
    const bodies = new Map<string, string>();
    for (const { no, slot, body } of statements.largePayloads.all(id) as { no: number; slot: string; body: string }[]) {
      bodies.set(`${no}${slot}`, body);
    }
    const text = (no: number, slot: string, column: string | null) =>
      column === "" ? emptyObject : new RawJson(column ?? bodies.get(`${no}${slot}`) ?? "{}");
    // Beside the tasks, not joined to each: of many tasks few are in a worker's hands.
    const claims = new Map<number, ClaimRow>();
    for (const row of statements.claims.all(id) as (ClaimRow & { no: number })[]) claims.set(row.no, row);
    const rows = statements.wholeTasks.all(id, epoch) as unknown as WholeTaskRow[];
    const tasks = tasksFromTexts(rows.map(([, , , meta]) => meta));
    return rows.map(([no, inp, out, meta], index) => {
      const task = tasks[index] ?? taskFromText(meta);
      const claim = claims.get(no);
      return {
        task: claim === undefined ? task : claimedTask(task, claim),
        input: text(no, "input", inp),
        output: text(no, "output", out),
      };
    });
  };

  return {
    whole(id, { includeTasks }) {
      db.exec("begin");
      try {
        const row = statements.whole.get(id) as
          | { head: string; inp: string | null; out: string | null; vars: string | null }
          | undefined;
        if (row === undefined) return undefined;
        const head = headFromText(row.head);
        return {
          head,
          input: read(id, 0, "input", row.inp),
          output: read(id, 0, "output", row.out),
          variables: read(id, 0, "variables", row.vars),
          tasks: includeTasks ? readTasks(head) : [],
        };
      } finally {
        db.exec("commit");
      }
    },
    head(id) {
      const row = statements.head.get(id) as { head: string } | undefined;
      return row === undefined ? undefined : headFromText(row.head);
    },
    task: (id, no) => toTask(statements.task.get(id, no)),
    latest({ id, epoch }, ref) {
      return toTask(statements.laterByRef.get(id, ref, epoch)) ?? toTask(statements.firstByRef.get(id, epoch, ref));
    },
    inIteration({ id, epoch }, ref, iter) {
      const later = toTask(statements.laterInIteration.get(id, ref, epoch, iter));
      return later ?? toTasks(statements.firstByRef.all(id, epoch, ref)).find((task) => task.iter === iter);
    },
    open({ id, epoch }, limit) {
      const first = toTasks(statements.firstOpen.all(id, epoch)).filter((task) => !isTerminal(task.status));
      const open = [...first];
      for (const row of statements.laterOpen.iterate(id, epoch)) {
        if (open.length >= limit) break;
        const task = toTask(row);
        if (task !== undefined && !isTerminal(task.status)) open.push(task);
      }
      return open.slice(0, limit);
    },
    unfollowed({ id, epoch }) {
      const rows = [...statements.firstOpen.all(id, epoch), ...statements.laterOpen.all(id, epoch)];
      return toTasks(rows).filter((task) => isTerminal(task.status));
    },
    all: ({ id, epoch }, from = 0) => toTasks(statements.all.all(id, from, epoch)),
    work(id, no): Work | undefined {
      const row = statements.work.get(id, no) as WorkRow | undefined;
      return row === undefined ? undefined : workFromRow(row);
    },
    payload(id, no, slot) {
      if (no === 0) {
        const row = statements.executionPayload.get(id) as (PayloadRow & { vars: string | null }) | undefined;
        return read(id, 0, slot, slot === "input" ? row?.inp : slot === "output" ? row?.out : row?.vars);
      }
      const row = statements.taskPayload.get(id, no) as PayloadRow | undefined;
      return read(id, no, slot, slot === "input" ? row?.inp : row?.out);
    },
    joinedOutputs({ id, epoch }, joinNo) {
      const outputs = new Map<string, RawJson>();
      for (const row of statements.joined.iterate(id, epoch, joinNo)) {
        const { no, ref, out } = row as { no: number; ref: string; out: string | null };
        outputs.set(ref, read(id, no, "output", out));
      }
      return outputs;
    },
    loopTasks({ id, epoch }, loopNo) {
      return statements.inLoop.all(id, epoch, loopNo).map((row) => {
        const { no, out } = row as { no: number; out: string | null };
        return { task: taskFromRow(row as TaskRow), output: read(id, no, "output", out) };
      });
    },
    messages: (id, from, to) => statements.messages.all(id, from, to).map((row) => (row as { body: string }).body),
  };
}

const toTasks = (rows: readonly unknown[]): Task[] => rows.map((row) => taskFromRow(row as TaskRow));
const toTask = (row: unknown): Task | undefined => (row === undefined ? undefined : taskFromRow(row as TaskRow));

/** A poll changes only the work row; whoever reads the task sees it as the poll left it. */
export const taskFromRow = (row: TaskRow): Task => claimedTask(taskFromText(row.meta), row);

function claimedTask(task: Task, { state, polls, started, polled, worker }: ClaimRow): Task {
  if (state !== claimed) return task;
  return {
    ...task,
    status: "IN_PROGRESS",
    startTime: started ?? task.startTime,
    updateTime: polled ?? task.updateTime,
    pollCount: polls ?? task.pollCount,
    callbackAfterSeconds: 0,
    ...(worker === null ? {} : { workerId: worker }),
  };
}
