import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from "node:sqlite";
import { workerData } from "node:worker_threads";
import type { Json, JsonObject } from "@downbeat/engine";
import { answerQuestions } from "../helpers/answer.ts";
import { TooManyRows, wrongCount } from "./port.ts";
import type { SqliteRequest } from "./sqlite.ts";

const { file, maxBytes } = workerData as { readonly file: string; readonly maxBytes: number };
const database = new DatabaseSync(file, { timeout: 10_000, allowExtension: false });

answerQuestions<SqliteRequest>((request) => (request.kind === "select" ? select(request) : update(request)));

function select({ statement, parameters }: SqliteRequest): readonly JsonObject[] {
  const prepared = database.prepare(statement);
  prepared.setReadBigInts(true);
  const rows: JsonObject[] = [];
  let size = 0;
  for (const found of prepared.iterate(...parameters.map(toParameter))) {
    const row = Object.fromEntries(Object.entries(found).map(([name, value]) => [name, toJson(value)]));
    size += JSON.stringify(row).length;
    if (size > maxBytes) throw new TooManyRows(maxBytes);
    rows.push(row);
  }
  return rows;
}

function update({ statement, parameters, expectedCount }: SqliteRequest): number {
  database.exec("begin immediate");
  try {
    const count = Number(database.prepare(statement).run(...parameters.map(toParameter)).changes);
    if (expectedCount !== undefined && count !== expectedCount) throw new Error(wrongCount(count, expectedCount));
    database.exec("commit");
    return count;
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

function toParameter(value: Json): SQLInputValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/** Integers that a number cannot hold, as texts; bytes in base64. */
function toJson(value: SQLOutputValue): Json {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
