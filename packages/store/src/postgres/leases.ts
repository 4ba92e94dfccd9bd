import { withTimer } from "@downbeat/engine";
import { stateNumbers, type WorkRow, workFromRow } from "../sqlite/work-row.ts";
import type { Client } from "./connection.ts";
import { plainWork, workColumns } from "./execution-reads.ts";

/** A node that starts: its epoch goes up, and with it everything it held before is void. */
export async function beginEpoch(client: Client, node: string, run: string): Promise<number> {
  const { rows } = await client.query<{ epoch: number }>(
    `insert into node (id, epoch, seen, gone, run, info) values ($1, 1, clock_timestamp(), false, $2, '{}')
     on conflict (id) do update set epoch = node.epoch + 1, seen = clock_timestamp(), gone = false, run = $2
     returning epoch`,
    [node, run],
  );
  const epoch = rows[0]?.epoch ?? 1;
  // Writers of earlier epochs are gone, and nobody will ask for their answers.
  await client.query("delete from commit_group where substr(writer, strpos(writer, ' ') + 1) = $1", [node]);
  await client.query("delete from watch where node = $1", [node]);
  return epoch;
}

const LOT = 1000;

/** Work a node had claimed for itself in an earlier epoch: nobody is doing it. Gives the queues it is in again. */
export async function giveBackLeases(client: Client, node: string, epoch: number): Promise<ReadonlySet<string>> {
  const queues = new Set<string>();
  for (;;) {
    await client.query("begin");
    const { rows } = await client.query<WorkRow>(
      `select ${workColumns} from work w where w.node = $1 and w.lease < $2 order by w.exec, w.no limit ${LOT} for update`,
      [node, epoch],
    );
    const back = rows.map((row) => withTimer({ ...workFromRow(plainWork(row)), state: "ready" }));
    const places = [rows.map(({ exec }) => exec), rows.map(({ no }) => no)];
    await client.query(
      `update work w set state = b.state, timer = b.timer, node = null, lease = null, worker = null
       from unnest($1::text[], $2::int[], $3::smallint[], $4::bigint[]) b (exec, no, state, timer)
       where w.exec = b.exec and w.no = b.no`,
      [...places, back.map(({ state }) => stateNumbers[state]), back.map(({ timerAt }) => timerAt)],
    );
    await client.query(
      `update limit_slot s set exec = null, no = null from unnest($1::text[], $2::int[]) b (exec, no)
       where s.exec = b.exec and s.no = b.no`,
      places,
    );
    await client.query("commit");
    for (const { queue } of back) queues.add(queue);
    if (rows.length < LOT) return queues;
  }
}

/** Events that a node had put into the outbox and not delivered: from now on they are another's. Gives how many. */
export async function inheritEvents(client: Client, from: string, heir: string): Promise<number> {
  for (let moved = 0; ; ) {
    const { rowCount } = await client.query(
      `update outbox b set node = $2 where (b.sender, b.n) in (
         select o.sender, o.n from outbox o where o.node = $1 order by o.seq limit ${LOT} for update skip locked)`,
      [from, heir],
    );
    moved += rowCount ?? 0;
    if ((rowCount ?? 0) < LOT) return moved;
  }
}
