import { type Head, RawJson, type Task } from "@downbeat/engine";
import type { ExecutionReads, WholeTask } from "../port.ts";
import { headFromText } from "../sqlite/compact.ts";
import { type WorkRow, workFromRow } from "../sqlite/work-row.ts";
import { Batch } from "./batch.ts";
import { slotNumbers, UNINDEXED } from "./encode.ts";
import type { Reads, Statement } from "./reader.ts";
import { type TaskRow, taskColumns, taskFromRow } from "./task-row.ts";
import { plainText, safeText } from "./text.ts";

export const workColumns =
  "w.exec, w.no, w.queue, w.prio, w.due, w.timer, w.state, w.polls, w.started, w.polled, w.worker, w.timing";

/** Texts that callers chose, as they were given. */
export const plainWork = (row: WorkRow): WorkRow => ({
  ...row,
  exec: plainText(row.exec),
  queue: plainText(row.queue),
  worker: row.worker === null ? null : plainText(row.worker),
});

/** A payload of a row, wherever it lies. */
export const payloadOf = (
  table: string,
  column: string,
  { id, no, slot }: Record<"id" | "no" | "slot", string>,
): string =>
  `case ${table}.${column} when '@' then (select p.body from payload p where p.exec = ${id} and p.no = ${no} and p.slot = ${slot}) else ${table}.${column} end`;

export const toJson = (text: string | null | undefined): RawJson =>
  text === undefined || text === null || text === "" ? emptyObject : new RawJson(text);
const emptyObject = new RawJson("{}");

const own = (column: string, slot: number): string =>
  payloadOf("e", column, { id: "e.id", no: "0", slot: String(slot) });
const ofTask = (column: string, slot: number): string =>
  payloadOf("t", column, { id: "t.exec", no: "t.no", slot: String(slot) });

/** Rows of a table for each of those before it: always by its key, whatever the statistics say of either. */
const each = (rows: string, name: string): string => `cross join lateral (select * from ${rows} offset 0) ${name}`;
const work = `left join lateral (select w.state, w.polls, w.started, w.polled, w.worker from work w
  where w.exec = t.exec and w.no = t.no offset 0) w on true`;

const tasks = (columns: string): string => `select ${columns} from task t ${work}`;
const byRef = "left(t.ref, 200) = left($2, 200) and t.ref = $2";
const places = "unnest($1::text[], $2::int[]) p (exec, no)";
const openStatuses = "('SCHEDULED', 'IN_PROGRESS')";

/** Tasks that are not done: the first are looked through, later ones are known by name. */
const undone = (condition: string): string =>
  `${tasks(taskColumns)} where t.exec = $1 and t.no <= ${UNINDEXED} and t.epoch = $2 and not t.done and ${condition}
   union all
   select ${taskColumns} from open_task o ${each("task t where t.exec = o.exec and t.no = o.no", "t")} ${work}
   where o.exec = $1 and t.epoch = $2 and not t.done and ${condition}`;

/** The youngest task of a reference: later tasks have an index by it, the first are looked through. */
const youngest = (condition: string): string =>
  `(${tasks(taskColumns)} where t.exec = $1 and t.no > ${UNINDEXED} and ${byRef} and ${condition} order by t.no desc limit 1)
   union all
   (${tasks(taskColumns)} where t.exec = $1 and t.no <= ${UNINDEXED} and t.ref = $2 and ${condition} order by t.no desc limit 1)
   order by no desc limit 1`;

const joined = (condition: string): string =>
  `(select t.ref, ${ofTask("out", 1)} as out from task t
    where t.exec = $1 and t.epoch = $2 and t.joins = $3 and ${condition} order by t.no)`;

const statements = {
  heads: "select e.id, e.head from execution e where e.id = any($1::text[])",
  tasks: `select t.exec, ${taskColumns} from ${places} ${each("task t where t.exec = p.exec and t.no = p.no", "t")} ${work}`,
  works: `select ${workColumns} from ${places} ${each("work w where w.exec = p.exec and w.no = p.no", "w")}`,
  // Of the execution itself, or of a task.
  payloads: `select p.exec, p.no, p.slot, case when x.inline = '@'
      then (select l.body from payload l where l.exec = p.exec and l.no = p.no and l.slot = p.slot) else x.inline end as body
    from unnest($1::text[], $2::int[], $3::smallint[]) p (exec, no, slot) cross join lateral (
      select case p.slot when 0 then e.inp when 1 then e.out else e.vars end as inline from execution e
      where p.no = 0 and e.id = p.exec
      union all
      select case p.slot when 0 then t.inp else t.out end from task t where p.no <> 0 and t.exec = p.exec and t.no = p.no) x`,
  latest: youngest("t.epoch = $3"),
  inIteration: youngest("t.epoch = $3 and t.iter = $4"),
  open: `select * from (${undone(`t.status in ${openStatuses}`)}) open order by no limit $3`,
  unfollowed: `select * from (${undone(`t.status not in ${openStatuses}`)}) ended order by no`,
  all: `${tasks(taskColumns)} where t.exec = $1 and t.epoch = $2 and t.no >= $3 order by t.no`,
  inLoop: `${tasks(`${taskColumns}, ${ofTask("out", 1)} as out`)} where t.exec = $1 and t.epoch = $2 and t.scope = $3 order by t.no`,
  joined: `${joined(`t.no <= ${UNINDEXED}`)} union all ${joined(`t.no > ${UNINDEXED} and t.joins > 0`)}`,
  messages: "select m.body from message m where m.exec = $1 and m.n >= $2 and m.n < $3 order by m.n",
  // One statement, so everything is of one moment.
  whole: `select e.head, ${own("inp", 0)} as own_inp, ${own("out", 1)} as own_out, ${own("vars", 2)} as own_vars,
      ${taskColumns}, null as inp, null as out
    from execution e left join task t on false ${work} where e.id = $1
    union all
    select null, null, null, null, ${taskColumns}, ${ofTask("inp", 0)}, ${ofTask("out", 1)}
    from execution e join task t on t.exec = $1 and t.epoch = e.epoch ${work}
    where e.id = $1 and $2
    order by no nulls first`,
} as const;

const named = (name: keyof typeof statements): Statement => ({ name, text: statements[name] });

type WholeRow = TaskRow & Readonly<Record<"head" | "own_inp" | "own_out" | "own_vars" | "inp" | "out", string | null>>;

export function createExecutionReads(reader: Reads): ExecutionReads {
  const readTasks = async (name: keyof typeof statements, ...values: readonly unknown[]): Promise<Task[]> =>
    (await reader.all<TaskRow>(named(name), values)).map(taskFromRow);

  const heads = new Batch<string, { readonly id: string; readonly head: string }>({
    read: (ids) => reader.all(named("heads"), [ids]),
    nameOf: (id) => id,
    nameOfRow: ({ id }) => id,
  });
  const tasksByNumber = new Batch<Place, TaskRow & Place>({
    read: (asked) => reader.all(named("tasks"), columnsOf(asked)),
    nameOf: nameOfPlace,
    nameOfRow: nameOfPlace,
  });
  const works = new Batch<Place, WorkRow>({
    read: (asked) => reader.all(named("works"), columnsOf(asked)),
    nameOf: nameOfPlace,
    nameOfRow: nameOfPlace,
  });
  const nameOfSlot = ({ exec, no, slot }: SlotPlace): string => `${exec} ${no} ${slot}`;
  const payloads = new Batch<SlotPlace, SlotPlace & { readonly body: string | null }>({
    read: (asked) => reader.all(named("payloads"), [...columnsOf(asked), asked.map(({ slot }) => slot)]),
    nameOf: nameOfSlot,
    nameOfRow: nameOfSlot,
  });

  return {
    async whole(id, { includeTasks }) {
      const [first, ...rest] = await reader.all<WholeRow>(named("whole"), [safeText(id), includeTasks]);
      if (first === undefined || first.head === null) return undefined;
      return {
        head: headFromText(first.head),
        input: toJson(first.own_inp),
        output: toJson(first.own_out),
        variables: toJson(first.own_vars),
        tasks: rest.map(
          (row): WholeTask => ({ task: taskFromRow(row), input: toJson(row.inp), output: toJson(row.out) }),
        ),
      };
    },
    async head(id) {
      const row = await heads.find(safeText(id));
      return row && headFromText(row.head);
    },
    async task(id, no) {
      const row = await tasksByNumber.find({ exec: safeText(id), no });
      return row && taskFromRow(row);
    },
    latest: async ({ id, epoch }, ref) => (await readTasks("latest", safeText(id), safeText(ref), epoch))[0],
    inIteration: async ({ id, epoch }, ref, iter) =>
      (await readTasks("inIteration", safeText(id), safeText(ref), epoch, iter))[0],
    open: ({ id, epoch }, limit) => readTasks("open", safeText(id), epoch, limit),
    unfollowed: ({ id, epoch }) => readTasks("unfollowed", safeText(id), epoch),
    all: ({ id, epoch }, from = 0) => readTasks("all", safeText(id), epoch, from),
    async work(id, no) {
      const row = await works.find({ exec: safeText(id), no });
      return row && workFromRow(plainWork(row));
    },
    async payload(id, no, slot) {
      return toJson((await payloads.find({ exec: safeText(id), no, slot: slotNumbers[slot] }))?.body);
    },
    async joinedOutputs({ id, epoch }: Head, joinNo) {
      const rows = await reader.all<{ ref: string; out: string }>(named("joined"), [safeText(id), epoch, joinNo]);
      return new Map(rows.map(({ ref, out }) => [plainText(ref), toJson(out)]));
    },
    async loopTasks({ id, epoch }, loopNo) {
      const rows = await reader.all<TaskRow & { out: string }>(named("inLoop"), [safeText(id), epoch, loopNo]);
      return rows.map((row) => ({ task: taskFromRow(row), output: toJson(row.out) }));
    },
    async messages(id, from, to) {
      const rows = await reader.all<{ body: string }>(named("messages"), [safeText(id), from, to]);
      return rows.map(({ body }) => body);
    },
  };
}

type Place = { readonly exec: string; readonly no: number };
type SlotPlace = Place & { readonly slot: number };

const nameOfPlace = ({ exec, no }: Place): string => `${exec} ${no}`;
const columnsOf = (asked: readonly Place[]): [execs: string[], nos: number[]] => [
  asked.map(({ exec }) => exec),
  asked.map(({ no }) => no),
];
