import type { Json, JsonObject, TaskResult } from "@downbeat/engine";
import type { OutsideCall } from "@downbeat/server";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { completed } from "../results.ts";
import type { SqlConnections } from "./connections.ts";
import { verbOf } from "./statement.ts";

/** JDBC: one statement on a named connection. Throws TerminalError for what no second try can mend. */
export async function runJdbc({ input: from, signal }: OutsideCall, connections: SqlConnections): Promise<TaskResult> {
  const statement = input.text(from, "statement") ?? "";
  if (statement.trim() === "") throw new TerminalError("Missing JDBC statement");
  const name = input.word(from, "connectionId") ?? input.word(from, "integrationName") ?? "";
  const connection = connections.find(name);
  if (connection === undefined) throw new TerminalError(`No such datasource configured.  input: ${name}`);
  const type = input.word(from, "type")?.toUpperCase() ?? typeOf(statement);
  const call = { statement, parameters: parametersOf(from), signal };
  switch (type) {
    case "SELECT":
      return completed({ result: await connection.select(call) });
    case "UPDATE":
      return completed({ update_count: await connection.update(call, input.integer(from, "expectedUpdateCount")) });
    default:
      throw new Error(`Unsupported Operation ${type}`);
  }
}

const reading: ReadonlySet<string> = new Set(["select", "with", "values", "table", "show", "explain"]);
const typeOf = (statement: string): string => (reading.has(verbOf(statement)) ? "SELECT" : "UPDATE");

const parametersOf = (from: JsonObject): readonly Json[] => input.list(from, "parameters");
