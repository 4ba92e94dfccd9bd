import type { QueryResultRow } from "pg";
import type { SearchReads } from "../port.ts";
import { SearchTimeout } from "../sqlite/searcher.ts";
import { type Client, codeOf, connect, end, isLost, messageOf } from "./connection.ts";
import { searchQueries } from "./search-queries.ts";

export type AskRows = <Row extends QueryResultRow>(sql: string, values: readonly unknown[]) => Promise<Row[]>;

/** Asks on the connection of one search. */
export type Ask = AskRows & {
  /** Everything the query finds, so many rows at a time. */
  inLots<Row extends QueryResultRow>(sql: string, values: readonly unknown[], lot: number): AsyncGenerator<Row[]>;
};

export type SearcherOptions = {
  readonly url: string;
  readonly timeoutMs: number;
  readonly onStatement: () => void;
};

/** Searches at once; the others wait in line. They run apart from reads and commits. */
const CONNECTIONS = 2;
/** A connection that was idle may be gone without anyone having noticed. */
const ATTEMPTS = CONNECTIONS + 1;
const QUERY_CANCELED = "57014";

export class Searcher implements SearchReads {
  readonly #options: SearcherOptions;
  readonly #idle: Client[] = [];
  /** Backends that a search is at. */
  readonly #active = new Set<Client>();
  #running = 0;
  #line: (() => void)[] = [];
  #isClosed = false;

  constructor(options: SearcherOptions) {
    this.#options = options;
  }

  workflows: SearchReads["workflows"] = (search) => this.#run((ask) => searchQueries.workflows(ask, search));
  tasks: SearchReads["tasks"] = (search) => this.#run((ask) => searchQueries.tasks(ask, search));
  workflowsByTasks: SearchReads["workflowsByTasks"] = (search) =>
    this.#run((ask) => searchQueries.workflowsByTasks(ask, search));
  workflowIds: SearchReads["workflowIds"] = (wanted, after = "", limit) =>
    this.#run((ask) => searchQueries.workflowIds(ask, wanted, after, limit));
  countWorkflows: SearchReads["countWorkflows"] = (wanted) =>
    this.#run((ask) => searchQueries.countWorkflows(ask, wanted));

  runs: SearchReads["runs"] = (search) => this.#run((ask) => searchQueries.runs(ask, search));

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const resume of this.#line.splice(0)) resume();
    await this.#endActive();
    await Promise.all(this.#idle.splice(0).map(end));
  }

  /**
   * A search that is under way would go on in the database, after its connection was closed. Its backend is ended: to
   * cancel what it does would miss a statement that has been sent and not begun.
   */
  async #endActive(): Promise<void> {
    if (this.#active.size === 0) return;
    const pids = [...this.#active].map((client) => (client as Client & { readonly processID: number }).processID);
    try {
      const client = await connect(this.#options.url, "setup");
      await client.query("select pg_terminate_backend(pid) from unnest($1::int[]) pid", [pids]);
      await end(client);
    } catch {
      // Then it goes on to its deadline. The store closes all the same.
    }
  }

  async #run<Result>(question: (ask: Ask) => Promise<Result>): Promise<Result> {
    await this.#turn();
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#attempt(question);
        } catch (error) {
          if (this.#isClosed || !isLost(error) || error instanceof SearchTimeout || attempt === ATTEMPTS)
            throw this.#failureOf(error);
        }
      }
    } finally {
      this.#running--;
      this.#line.shift()?.();
    }
  }

  async #attempt<Result>(question: (ask: Ask) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new Error("The store is closed");
    const client = this.#idle.pop() ?? (await connect(this.#options.url, "search"));
    this.#active.add(client);
    try {
      const result = await this.#transaction(client, question);
      this.#active.delete(client);
      if (this.#isClosed) await end(client);
      else this.#idle.push(client);
      return result;
    } catch (error) {
      this.#active.delete(client);
      await end(client);
      throw error;
    }
  }

  #failureOf(error: unknown): Error {
    if (this.#isClosed) return new Error("The store is closed", { cause: error });
    if (error instanceof SearchTimeout) return error;
    if (codeOf(error) === QUERY_CANCELED) return new SearchTimeout(this.#options.timeoutMs);
    return new Error(`The search failed: ${messageOf(error)}`, { cause: error });
  }

  async #turn(): Promise<void> {
    if (this.#running >= CONNECTIONS) await new Promise<void>((resolve) => this.#line.push(resolve));
    this.#running++;
  }

  /** One state of the database for everything that is asked, and one deadline. */
  async #transaction<Result>(client: Client, question: (ask: Ask) => Promise<Result>): Promise<Result> {
    const { timeoutMs, onStatement } = this.#options;
    const deadline = performance.now() + timeoutMs;
    const query = async <Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]> => {
      if (this.#isClosed) throw new Error("The store is closed");
      if (performance.now() > deadline) throw new SearchTimeout(timeoutMs);
      onStatement();
      return (await client.query<Row>(sql, values && [...values])).rows;
    };
    let cursors = 0;
    async function* inLots<Row extends QueryResultRow>(sql: string, values: readonly unknown[], lot: number) {
      const cursor = `lots${cursors++}`;
      await query(`declare ${cursor} no scroll cursor for ${sql}`, values);
      for (;;) {
        const rows = await query<Row>(`fetch ${lot} from ${cursor}`);
        if (rows.length > 0) yield rows;
        if (rows.length < lot) return;
      }
    }
    await query(
      `begin isolation level repeatable read read only; set local statement_timeout = ${Math.ceil(timeoutMs)};
       set local cursor_tuple_fraction = 1`,
    );
    const result = await question(Object.assign(query, { inLots }));
    await query("commit");
    return result;
  }
}
