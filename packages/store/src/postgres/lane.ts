import { type Client, connect, end, messageOf, Unwritable } from "./connection.ts";
import { type EncodeOptions, GroupEncoder } from "./encode.ts";
import type { Writing } from "./keys.ts";
import { rowTypes } from "./row-types.ts";

export type LaneOptions = {
  readonly url: string;
  readonly node: string;
  /** The node's epoch: leases it takes hold while it is at this one. */
  readonly epoch: () => number;
  /** Other nodes may watch what is written. */
  readonly isShared: () => boolean;
  readonly name: string;
  readonly onStatement: () => void;
};

type Session = { readonly client: Client; readonly oids: ReadonlyMap<string, number> };

const setNames = Object.keys(rowTypes) as readonly (keyof typeof rowTypes)[];
const parameters = Array.from({ length: 7 + setNames.length }, (_, index) => `$${index + 1}`);
const commitUnits = { name: "commit_units", text: `select commit_units_1(${parameters.join(", ")})` };

/** What the database knows a lane by. The node's name comes last: it may have spaces. */
const writerName = ({ node, epoch, name }: LaneOptions): string => `${epoch()}.${name} ${node}`;

/** Groups usually take half of this. Planning takes a few milliseconds, so it is done again from time to time at most. */
const SLOW_MS = 4;
const SLOW_MS_PER_UNIT = 0.1;
const PLAN_AGE_MS = 5000;

/**
 * A connection that writes one group at a time. Each group has a number, which the database keeps with its answer: sent
 * again under the same number, it is not written a second time.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #writer: string;
  /** Its rows are copied when they are sent: the next group may have it. */
  readonly #encoder = new GroupEncoder();
  #session: Promise<Session> | undefined;
  #seq = 0;
  #plannedAt = performance.now();

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#writer = writerName(options);
  }

  /** The group that is sent from now on is a new one. */
  next(): void {
    this.#seq++;
  }

  /** Which units failed, in the words of `commit_units`. */
  async send(units: readonly Writing[], options: EncodeOptions): Promise<string> {
    const { client, oids } = await this.#connected();
    const group = this.#encoder;
    encode(group, units, options);
    const sets = setNames.map((name) => group.sets[name].take(oids.get(rowTypes[name].name) ?? 0));
    const { node, epoch, isShared, onStatement } = this.#options;
    onStatement();
    const sentAt = performance.now();
    const { rows } = await client.query<[string]>({
      ...commitUnits,
      values: [this.#writer, this.#seq, node, epoch(), group.isChecked, group.isLarge, isShared(), ...sets],
      rowMode: "array",
    });
    if (performance.now() - sentAt > SLOW_MS + SLOW_MS_PER_UNIT * units.length) await this.#planAnew(client);
    return rows[0]?.[0] ?? "";
  }

  /** A plan that was made while a table was empty is the wrong one when it has filled: the database is told to forget it. */
  async #planAnew(client: Client): Promise<void> {
    if (performance.now() - this.#plannedAt < PLAN_AGE_MS) return;
    this.#plannedAt = performance.now();
    this.#options.onStatement();
    // The group is written. Whatever is wrong with the connection, the next one will meet it.
    await client.query("discard plans").catch(() => undefined);
  }

  /** The connection is of no use any more; the next group gets another. */
  drop(): void {
    const session = this.#session;
    this.#session = undefined;
    session?.then(({ client }) => end(client)).catch(() => undefined);
  }

  async close(): Promise<void> {
    const session = await this.#session?.catch(() => undefined);
    this.#session = undefined;
    if (session !== undefined) await end(session.client);
  }

  #connected(): Promise<Session> {
    this.#session ??= this.#connect().catch((error) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  async #connect(): Promise<Session> {
    const client = await connect(this.#options.url, "write");
    const names = [...new Set(Object.values(rowTypes).map(({ name }) => name))];
    const { rows } = await client.query<{ name: string; oid: number }>(
      "select t.name, to_regtype(t.name)::oid::int8 as oid from unnest($1::text[]) t (name)",
      [names],
    );
    return { client, oids: new Map(rows.map(({ name, oid }) => [name, oid])) };
  }
}

function encode(encoder: GroupEncoder, units: readonly Writing[], options: EncodeOptions): void {
  try {
    encoder.encode(units, options);
  } catch (error) {
    throw new Unwritable(messageOf(error), { cause: error });
  }
}
