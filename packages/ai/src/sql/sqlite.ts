import type { Json, JsonObject } from "@downbeat/engine";
import { Helper } from "../helpers/helper.ts";
import { inThread } from "../helpers/thread.ts";
import type { SqlCall, SqlConnection } from "./port.ts";
import { verbOf } from "./statement.ts";

/** What the connection's thread is asked. */
export type SqliteRequest = {
  readonly kind: "select" | "update";
  readonly statement: string;
  readonly parameters: readonly Json[];
  readonly expectedCount?: number;
};

/** Verbs that reach beyond the file the operator named, or change how it is kept. */
const forbidden: ReadonlySet<string> = new Set([
  "attach",
  "detach",
  "vacuum",
  "pragma",
  "begin",
  "commit",
  "end",
  "rollback",
  "savepoint",
  "release",
]);

/** A file in a thread of its own: a statement that takes long, or is given up, is nobody else's trouble. */
export function openSqlite(file: string, maxBytes: number): SqlConnection {
  const script = new URL("./sqlite-thread.ts", import.meta.url);
  const thread = new Helper<SqliteRequest, unknown>(inThread(script, { file, maxBytes }));
  const ask = async (
    { statement, parameters, signal }: SqlCall,
    more: Pick<SqliteRequest, "kind" | "expectedCount">,
  ): Promise<unknown> => {
    const verb = verbOf(statement);
    if (forbidden.has(verb))
      throw new Error(`Expected a statement on the data of the connection, got ${verb.toUpperCase()}`);
    return await thread.call({ statement, parameters, ...more }, { signal });
  };
  return {
    select: async (call) => (await ask(call, { kind: "select" })) as readonly JsonObject[],
    update: async (call, expectedCount) =>
      (await ask(call, { kind: "update", ...(expectedCount === undefined ? {} : { expectedCount }) })) as number,
    close: () => thread.close(),
  };
}
