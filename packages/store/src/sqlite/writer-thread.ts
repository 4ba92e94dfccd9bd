import type { DatabaseSync, StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { openConnection } from "./connection.ts";
import type { Value } from "./encode.ts";
import { Marks } from "./marks.ts";
import { createProjector } from "./projector.ts";
import { createSettler } from "./settler.ts";
import { parameterCounts, statementTexts } from "./statements.ts";
import type { WriterOptions } from "./writer.ts";

/**
 * The only thread that writes. It takes a group of units, writes it in one transaction, and answers for all of it after
 * the disk has it. Groups form by themselves: while one is written, the next gathers on the other side.
 */
export type WriterMessage =
  | { readonly kind: "group"; readonly id: number; readonly units: number; readonly values: readonly Value[] }
  | { readonly kind: "project"; readonly id: number }
  | { readonly kind: "close" };

/** Per unit: 0 when written, n > 0 when guard n failed, -1 when it could not be written at all (see `errors`). */
export type WriterAnswer = {
  readonly id: number;
  readonly results: readonly number[];
  readonly errors: readonly { readonly unit: number; readonly message: string }[];
};

const port = parentPort;
if (port === null) throw new Error("Run as a worker thread");

const { path, syncDelayMs, settleAfterMs } = workerData as WriterOptions;
const db: DatabaseSync = openConnection(path);
const statements: StatementSync[] = statementTexts.map((text) => db.prepare(text));
const begin = db.prepare("begin immediate");
const commit = db.prepare("commit");
const rollback = db.prepare("rollback");
const savepoint = db.prepare("savepoint unit");
const release = db.prepare("release unit");
const undo = db.prepare("rollback to unit");
const marks = new Marks(db);
const settler = createSettler(db, { restMs: settleAfterMs });
const projector = createProjector(db, marks, settler.touch);
/** Searches that wait until what was marked up to a row of `dirty` can be found. */
let waiting: { readonly id: number; readonly seq: number }[] = [];
let projection: NodeJS.Timeout | undefined;
let caughtUpWith = 0;
let isCatchingUp = false;
let settling: NodeJS.Timeout | undefined;
/** Time that was spent on commits since it was last looked at. */
const busy = { ms: 0, since: performance.now() };

// What an earlier run left settles too.
settling = setTimeout(settle, settleAfterMs);

port.on("message", (message: WriterMessage) => {
  switch (message.kind) {
    case "group": {
      const startedAt = performance.now();
      const answer = writeGroup(message.id, message.units, message.values);
      busy.ms += performance.now() - startedAt;
      if (syncDelayMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, syncDelayMs);
      port.postMessage(answer);
      projectLater();
      settling ??= setTimeout(settle, settleAfterMs);
      return;
    }
    case "project":
      waiting.push({ id: message.id, seq: marks.lastSeq });
      catchUp();
      return;
    case "close":
      clearTimeout(projection);
      clearTimeout(settling);
      for (const end = performance.now() + CLOSE_MS; performance.now() < end && project(); );
      db.exec("pragma optimize");
      db.close();
      port.close();
      return;
  }
});

/** Changes after which search rows are brought up to date without waiting for a quiet moment. */
const PROJECT_AFTER_CHANGES = 15_000;
const PROJECT_AFTER_MS = 200;
/** What is not projected by then is when the file is opened the next time. */
const CLOSE_MS = 1000;

/** Search rows follow when it is quiet, or when many are waiting; a search asks for them at once. */
function projectLater(): void {
  if (marks.noted - caughtUpWith >= PROJECT_AFTER_CHANGES) catchUp();
  if (projection === undefined) projection = setTimeout(catchUp, PROJECT_AFTER_MS);
  else projection.refresh();
}

/** Step by step, with commits in between: they must not wait for a long backlog. */
function catchUp(): void {
  caughtUpWith = marks.noted;
  if (isCatchingUp) return;
  isCatchingUp = true;
  setImmediate(function next() {
    isCatchingUp = project();
    answerWaiting();
    if (isCatchingUp) setImmediate(next);
  });
}

/** Commits take less than this share of the time when it is quiet. */
const QUIET = 0.2;
/** Between two steps of settling, so that what comes meanwhile has its turn. */
const SETTLE_PAUSE_MS = 5;

/** Texts settle when it is quiet and all of them can be found. */
function settle(): void {
  const now = performance.now();
  const isQuiet = busy.ms < (now - busy.since) * QUIET;
  if (now - busy.since >= settleAfterMs) Object.assign(busy, { ms: 0, since: now });
  if (!isQuiet || isCatchingUp || marks.first() !== undefined) {
    settling = setTimeout(settle, settleAfterMs);
    return;
  }
  const next = settleOn();
  settling = next === undefined ? undefined : setTimeout(settle, Math.max(next, SETTLE_PAUSE_MS));
}

/** When to go on; undefined when there is nothing more to settle. */
function settleOn(): number | undefined {
  try {
    return settler.step();
  } catch {
    // A full disk, say. It is tried again after the next commit.
    return undefined;
  }
}

function answerWaiting(): void {
  const reached = waiting.filter(({ seq }) => !isCatchingUp || projector.hasReached(seq));
  waiting = waiting.filter((one) => !reached.includes(one));
  for (const { id } of reached) port?.postMessage({ id, results: [], errors: [] } satisfies WriterAnswer);
}

/** False when there is nothing more to do now. */
function project(): boolean {
  try {
    return projector.step();
  } catch {
    // A full disk, say. Commits answer for themselves and must go on; the rows stay marked and follow later.
    return false;
  }
}

function writeGroup(id: number, units: number, values: readonly Value[]): WriterAnswer {
  const results: number[] = [];
  try {
    begin.run();
    let at = 0;
    for (let unit = 0; unit < units; unit++) {
      const [result, next] = writeUnit(values, at);
      results.push(result);
      at = next;
    }
    commit.run();
    marks.keep();
    return { id, results, errors: [] };
  } catch {
    // Some unit of the group cannot be written. The others must not suffer for it: each gets a transaction of its own.
    if (db.isTransaction) rollback.run();
    marks.drop();
    return writeOneByOne(id, units, values);
  }
}

function writeOneByOne(id: number, units: number, values: readonly Value[]): WriterAnswer {
  const results: number[] = [];
  const errors: { unit: number; message: string }[] = [];
  let at = 0;
  for (let unit = 0; unit < units; unit++) {
    const next = skipUnit(values, at);
    try {
      begin.run();
      results.push(writeUnit(values, at)[0]);
      commit.run();
      marks.keep();
    } catch (error) {
      if (db.isTransaction) rollback.run();
      marks.drop();
      results[unit] = -1;
      errors.push({ unit, message: error instanceof Error ? error.message : String(error) });
    }
    at = next;
  }
  return { id, results, errors };
}

/** Guards first: a unit whose first guard fails has written nothing. Only a later one needs the savepoint. */
function writeUnit(values: readonly Value[], start: number): [result: number, next: number] {
  const guards = Number(values[start]);
  const rows = Number(values[start + 1]);
  let at = start + 2;
  if (guards > 1) savepoint.run();
  for (let guard = 1; guard <= guards; guard++) {
    const number = Number(values[at]);
    const end = at + 1 + (parameterCounts[number] ?? 0);
    if (runGuard(number, values.slice(at + 1, end)) !== 1) {
      if (guards > 1) {
        undo.run();
        release.run();
      }
      return [guard, skipUnit(values, start)];
    }
    at = end;
  }
  for (let row = 0; row < rows; row++) {
    const number = Number(values[at]);
    const end = at + 1 + (parameterCounts[number] ?? 0);
    statements[number]?.run(...values.slice(at + 1, end));
    at = end;
  }
  if (guards > 1) release.run();
  marks.note(values, start, at);
  return [0, at];
}

/** A key that is taken is a guard that failed, not a broken statement. */
function runGuard(number: number, values: readonly Value[]): number {
  try {
    return Number(statements[number]?.run(...values).changes ?? 0);
  } catch (error) {
    if (error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === SQLITE_CONSTRAINT) return 0;
    throw error;
  }
}

const SQLITE_CONSTRAINT = 19;

function skipUnit(values: readonly Value[], start: number): number {
  const statementsInUnit = Number(values[start]) + Number(values[start + 1]);
  let at = start + 2;
  for (let i = 0; i < statementsInUnit; i++) at += 1 + (parameterCounts[Number(values[at])] ?? 0);
  return at;
}
