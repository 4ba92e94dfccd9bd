import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  builtInTaskTypes,
  type Event,
  normalizeTaskDef,
  normalizeWorkflowDef,
  RawJson,
  taskTypes,
} from "@downbeat/engine";
import { openSqliteStore, type Store, type TransitionUnit } from "@downbeat/store";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLogger } from "../../src/log.ts";
import { createContexts } from "../../src/runtime/context.ts";
import { Definitions } from "../../src/runtime/definitions.ts";
import { Dispatcher, IdempotencyConflict } from "../../src/runtime/dispatcher.ts";
import { eventFromText } from "../../src/runtime/event-text.ts";
import { createExecutionIds } from "../../src/runtime/ids.ts";
import { Peers } from "../../src/runtime/peers.ts";
import { PollData } from "../../src/runtime/poll-data.ts";
import { type PollOptions, Queues } from "../../src/runtime/queues.ts";
import { SchemaCheck } from "../../src/runtime/schema-check.ts";
import { Timers } from "../../src/runtime/timers.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { environmentSecrets, environmentValues } from "../../src/secrets.ts";
import { entry, simple } from "../support/definitions.ts";
import { GatedStore, type Held, settled } from "./gated-store.ts";

const folder = mkdtempSync(join(tmpdir(), "downbeat-effects-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
let disk: Store;
let world: World;

beforeEach(() => {
  disk = openSqliteStore({ path: join(folder, `${files++}.db`) });
  world = aWorld(disk);
});

afterEach(async () => {
  world.store.isClosed = false;
  world.queues.close();
  world.timers.close();
  await disk.close();
});

describe("nothing leaves before its commit", () => {
  test("the caller hears of a start when it is on disk", async () => {
    const { store, start } = world;
    const started = start([simple("pay")]);
    const outcome = watch(started.done);
    const held = await store.next();
    await settled();
    expect(outcome.isSettled).toBe(false);
    expect(await store.executions.head(started.id)).toBeUndefined();
    await held.pass();
    expect(outcome.isSettled).toBe(true);
    expect((await store.executions.head(started.id))?.status).toBe("RUNNING");
  });

  test("work is in no queue before its commit", async () => {
    const { store, start, poll } = world;
    expect(await poll("pay")).toEqual([]);
    const { done } = start([simple("pay")]);
    const held = await store.next();
    expect(await poll("pay")).toEqual([]);
    expect(store.heldCount).toBe(0);
    await held.pass();
    await done;
    const claims = poll("pay");
    await (await store.next()).pass();
    expect(await claims).toHaveLength(1);
  });

  test("a claim is handed out when it is on disk", async () => {
    const { store, start, poll } = world;
    const { done } = start([simple("pay")]);
    await (await store.next()).pass();
    await done;
    const claims = watch(poll("pay"));
    const held = await store.next();
    await settled();
    expect(held.unit.kind).toBe("claim");
    expect(claims.isSettled).toBe(false);
    await held.pass();
    expect(claims.isSettled).toBe(true);
  });

  test("a waiting poller gets work that is born claimed when it is on disk", async () => {
    const { store, start, poll } = world;
    const claims = watch(poll("pay", { timeoutMs: 5000 }));
    await settled();
    const { id } = start([simple("pay")]);
    const held = await store.next();
    await settled();
    expect(workOf(held).map((work) => work?.state)).toEqual(["claimed"]);
    expect(claims.isSettled).toBe(false);
    await held.pass();
    expect((await claims.value).map((claim) => claim.id)).toEqual([id]);
  });

  test("an event for another execution is sent when its outbox row is on disk", async () => {
    const { store, start, sent } = world;
    const { done } = start([child()]);
    const held = await store.next();
    await settled();
    expect((held.unit as TransitionUnit).sends).toHaveLength(1);
    expect(sent).toEqual([]);
    store.isClosed = false;
    await held.pass();
    await done;
    expect(sent.map(({ event }) => event.kind)).toEqual(["start"]);
  });

  test("a timer is armed when it is on disk", async () => {
    const { store, start, timers } = world;
    const arm = vi.spyOn(timers, "arm");
    const { done } = start([entry("WAIT", "wait", { inputParameters: { duration: "1 hours" } })]);
    const held = await store.next();
    await settled();
    expect(arm).not.toHaveBeenCalled();
    await held.pass();
    await done;
    expect(arm.mock.calls.some(([at]) => at > 0)).toBe(true);
  });

  test("events that arrive during a commit wait for it and go together in the next", async () => {
    const { store, start, dispatch } = world;
    const branches = ["a", "b", "c", "d"].map((ref) => [simple("pay", ref)]);
    const { id, done } = start([entry("FORK_JOIN", "fork", { forkTasks: branches }), joinOf(["a", "b", "c", "d"])]);
    await (await store.next()).pass();
    await done;
    const results = [2, 3, 4].map((no) => dispatch(id, completed(no)));
    const first = await store.next();
    await settled();
    expect(changedOf(first)).toEqual([2]);
    expect(store.heldCount).toBe(0);
    await first.pass();
    const second = await store.next();
    expect(changedOf(second)).toEqual([3, 4]);
    await second.pass();
    expect(await Promise.all(results)).toEqual([undefined, undefined, undefined]);
  });
});

describe("a commit that fails releases nothing", () => {
  test("the caller hears the error, no queue has the work, nobody is sent anything, memory forgets it", async () => {
    const { store, start, poll, sent, timers, dispatcher } = world;
    const arm = vi.spyOn(timers, "arm");
    const claims = watch(poll("pay", { timeoutMs: 60_000 }));
    await settled();
    const fork = entry("FORK_JOIN", "fork", { forkTasks: [[simple("pay")], [child()]] });
    const { id, done } = start([fork, joinOf(["pay", "child"])]);
    const outcome = expect(done).rejects.toThrow("disk is full");
    (await store.next()).fail(new Error("disk is full"));
    await outcome;
    await settled();
    expect(claims.isSettled).toBe(false);
    expect(sent).toEqual([]);
    expect(arm).not.toHaveBeenCalled();
    expect(dispatcher.findExecution(id)?.head).toBeUndefined();
    expect(await store.executions.head(id)).toBeUndefined();
    // The poller is free again: the next work is its.
    const next = start([simple("pay")]);
    await (await store.next()).pass();
    expect((await claims.value).map((claim) => claim.id)).toEqual([next.id]);
  });

  test("what was on disk before a failed commit is still what counts", async () => {
    const { store, start, dispatch } = world;
    const { id, done } = start([simple("pay"), simple("ship")]);
    await (await store.next()).pass();
    await done;
    const lost = expect(dispatch(id, completed(1, { try: 1 }))).rejects.toThrow("disk is full");
    (await store.next()).fail(new Error("disk is full"));
    await lost;
    expect((await store.executions.task(id, 1))?.status).toBe("SCHEDULED");
    const again = dispatch(id, completed(1, { try: 2 }));
    await (await store.next()).pass();
    await again;
    expect((await store.executions.payload(id, 1, "output")).text).toBe('{"try":2}');
    expect((await store.executions.task(id, 2))?.ref).toBe("ship");
  });

  test("of events that failed together each is tried alone, and only the bad one fails", async () => {
    const { store, start, dispatch } = world;
    const branches = ["a", "b", "c"].map((ref) => [simple("pay", ref)]);
    const { id, done } = start([entry("FORK_JOIN", "fork", { forkTasks: branches }), joinOf(["a", "b", "c"])]);
    await (await store.next()).pass();
    await done;
    const first = dispatch(id, completed(2));
    const blocking = await store.next();
    const good = watch(dispatch(id, completed(3)));
    const bad = watch(dispatch(id, completed(4)));
    await blocking.pass();
    await first;
    (await store.next()).fail(new Error("cannot be written"));
    const alone = await store.next();
    expect(changedOf(alone)).toEqual([3]);
    await alone.pass();
    await good.value;
    (await store.next()).fail(new Error("cannot be written"));
    await expect(bad.value).rejects.toThrow("cannot be written");
  });

  test("a poller hears nothing of a claim that failed", async () => {
    const { store, start, poll } = world;
    const { done } = start([simple("pay")]);
    await (await store.next()).pass();
    await done;
    const claims = poll("pay");
    (await store.next()).refuse("work");
    expect(await claims).toEqual([]);
  });
});

describe("a commit that conflicts releases nothing", () => {
  test("a revision that was overtaken is decided again on what is on disk", async () => {
    const { store, start, dispatch, poll } = world;
    const { id, done } = start([simple("pay"), simple("ship")]);
    await (await store.next()).pass();
    await done;
    const outcome = watch(dispatch(id, completed(1)));
    (await store.next()).refuse("revision");
    const again = await store.next();
    expect(outcome.isSettled).toBe(false);
    expect(await poll("ship")).toEqual([]);
    await again.pass();
    await outcome.value;
    expect(await store.queues.size("ship")).toBe(1);
  });

  test("a start whose idempotency key is taken is refused and leaves nothing", async () => {
    const { store, start, poll, sent } = world;
    const { id, done } = start([simple("pay")], { idempotency: { name: "w", key: "k", replaces: undefined } });
    const outcome = expect(done).rejects.toBeInstanceOf(IdempotencyConflict);
    (await store.next()).refuse("idempotency");
    await outcome;
    expect(await poll("pay")).toEqual([]);
    expect(sent).toEqual([]);
    expect(world.dispatcher.findExecution(id)?.head).toBeUndefined();
  });

  test("an event that was applied before is done with, without effects", async () => {
    const { store, start, dispatch, poll } = world;
    const { id, done } = start([simple("pay"), simple("ship")]);
    await (await store.next()).pass();
    await done;
    const repeated = dispatch(id, completed(1), { consumes: { sender: "s", n: 1 } });
    (await store.next()).refuse("outbox");
    expect(await repeated).toBeUndefined();
    expect(await poll("ship")).toEqual([]);
    expect((await store.executions.task(id, 1))?.status).toBe("SCHEDULED");
  });
});

describe("what was acknowledged survives", () => {
  test("log lines of a late result are kept, whatever it shares its transition with", async () => {
    const { store, start, dispatch } = world;
    store.isClosed = false;
    const parent = start([simple("pay"), child()]);
    await parent.done;
    await dispatch(parent.id, completed(1));
    const { id, done } = start([simple("pay"), simple("ship")]);
    await done;
    await dispatch(id, completed(1));
    store.isClosed = true;
    // A commit is under way; behind it wait an event that changes nothing and a late result with a log line.
    const first = dispatch(id, { kind: "pause" });
    const held = await store.next();
    const row = { sender: parent.id, n: 77, target: id, body: '{"kind":"timer","no":1}' };
    await disk.commit({ ...emptyUnit, sends: [row] });
    const consumed = dispatch(id, { kind: "timer", no: 1 }, { consumes: { sender: row.sender, n: row.n } });
    const late = dispatch(id, completed(1), { logs: [{ no: 1, at: 5, line: "late" }] });
    store.isClosed = false;
    await held.pass();
    await Promise.all([first, consumed, late]);
    expect((await store.logs(id, 1)).map(({ line }) => line)).toEqual(["late"]);
  });

  test("the rest of a large termination is an event in the outbox, and a restart goes on with it", async () => {
    const { store, start, dispatch } = world;
    const refs = Array.from({ length: 1005 }, (_, index) => `b${index}`);
    const fork = entry("FORK_JOIN", "fork", { forkTasks: refs.map((ref) => [simple("pay", ref)]) });
    const { id, done } = start([fork, joinOf(refs)]);
    await (await store.next()).pass();
    await done;
    const terminated = dispatch(id, { kind: "terminate" });
    const held = await store.next();
    expect((held.unit as TransitionUnit).sends.map(({ target, body }) => [target, body])).toEqual([
      [id, '{"kind":"continue"}'],
    ]);
    await held.pass();
    await terminated;
    const head = await store.executions.head(id);
    if (head === undefined) throw new Error("Expected the execution to be there");
    expect(await store.executions.open(head, 10)).not.toEqual([]);
    // The process ends here: what it was about to commit never comes. Another one finds the outbox.
    const next = aWorld(disk);
    next.store.isClosed = false;
    await next.dispatcher.recover(await disk.undelivered(10), eventFromText);
    await next.dispatcher.idle();
    expect(await disk.executions.open(head, 10)).toEqual([]);
    expect(await disk.undelivered(10)).toEqual([]);
    expect(await disk.queues.size("pay")).toBe(0);
  });

  test("an event that cannot be delivered does not keep the others from being delivered", async () => {
    const { store, start } = world;
    store.isClosed = false;
    const { id, done } = start([simple("pay")]);
    await done;
    const rows = ["no event", '{"kind":"pause"}'].map((body, n) => ({ sender: id, n, target: id, body }));
    await disk.commit({ ...emptyUnit, sends: rows });
    await world.dispatcher.recover(await disk.undelivered(10), eventFromText);
    expect((await disk.executions.head(id))?.status).toBe("PAUSED");
    expect((await disk.undelivered(10)).map(({ n }) => n)).toEqual([0]);
  });
});

describe("pollers are neither lost nor forgotten", () => {
  test("a poller that is being handed work when the server stops still gets it", async () => {
    const { store, start, poll, queues } = world;
    const claims = poll("pay", { timeoutMs: 60_000 });
    await settled();
    const idle = poll("pay", { timeoutMs: 60_000 });
    await settled();
    start([simple("pay")]);
    const held = await store.next();
    queues.close();
    expect(await idle).toEqual([]);
    await held.pass();
    expect(await claims).toHaveLength(1);
  });

  test("a poller whose reservation came to nothing gets what came meanwhile", async () => {
    const { store, start, poll } = world;
    const claims = poll("pay", { timeoutMs: 60_000 });
    await settled();
    const lost = start([simple("pay")]);
    const outcome = expect(lost.done).rejects.toThrow("disk is full");
    const first = await store.next();
    const other = start([simple("pay")]);
    await (await store.next()).pass();
    await other.done;
    first.fail(new Error("disk is full"));
    await outcome;
    await (await store.next()).pass();
    expect((await claims).map((claim) => claim.id)).toEqual([other.id]);
  });

  test("work that is put back is free for the next, also under a concurrency limit", async () => {
    const { store, start, poll, queues, definitions } = world;
    store.isClosed = false;
    await definitions.putTaskDefs([normalizeTaskDef({ name: "pay", concurrentExecLimit: 1 })]);
    await Promise.all([start([simple("pay")]).done, start([simple("pay")]).done]);
    const [first] = await poll("pay");
    if (first === undefined) throw new Error("Expected a claim");
    expect(await poll("pay")).toEqual([]);
    const waiting = poll("pay", { timeoutMs: 60_000 });
    await queues.putBack([first]);
    expect(await waiting).toHaveLength(1);
  });

  test("work that a rate limit held back is tried again when the limit is free by then", async () => {
    const { store, start, poll, definitions } = world;
    store.isClosed = false;
    const limits = { rateLimitPerFrequency: 1, rateLimitFrequencyInSeconds: 60 };
    await definitions.putTaskDefs([normalizeTaskDef({ name: "pay", ...limits })]);
    await start([simple("pay")]).done;
    store.isClosed = true;
    const claims = poll("pay", { timeoutMs: 60_000 });
    (await store.next()).refuse("rate");
    await (await store.next()).pass();
    expect(await claims).toHaveLength(1);
  });

  test("a timer that nobody changes does not keep the others, or the server, from going on", async () => {
    world.store.isClosed = false;
    await world.start([entry("WAIT", "wait", { inputParameters: { duration: "1 seconds" } })]).done;
    const error = vi.fn();
    const log = { ...createLogger({ level: "off", format: "json", now: Date.now }), error };
    const timers = new Timers({
      store: disk,
      peers: new Peers(disk, log),
      clock: () => Date.now() + 10_000,
      log,
      onDue: () => Promise.resolve(),
    });
    await timers.look();
    await vi.waitFor(() => expect(error).toHaveBeenCalledOnce());
    timers.close();
  });

  test("work that became ready by itself is known as such to its execution", async () => {
    const { store, start, dispatch, dispatcher, queues } = world;
    store.isClosed = false;
    const { id, done } = start([simple("pay")]);
    await done;
    await dispatch(id, {
      kind: "task-result",
      no: 1,
      result: { status: "IN_PROGRESS", outputMode: "replace", callbackAfterSeconds: 100 },
    });
    const work = await store.executions.work(id, 1);
    if (work === undefined) throw new Error("Expected work");
    await queues.release({ id, no: 1, work });
    expect(dispatcher.findExecution(id)?.work.get(1)).toEqual(await store.executions.work(id, 1));
  });
});

type Attached = Parameters<Dispatcher["dispatch"]>[2];
type World = ReturnType<typeof aWorld>;

/** The runtime around a store whose commits the test holds. */
function aWorld(on: Store) {
  const store = new GatedStore(on);
  const log = createLogger({ level: "off", format: "json", now: Date.now });
  let time = Date.now();
  const clock = () => time++;
  const peers = new Peers(store, log);
  const definitions = new Definitions(store, peers);
  const newExecutionId = createExecutionIds(clock);
  const timers = new Timers({ store, peers, clock, log, onDue: () => Promise.resolve() });
  const queues = new Queues({
    store,
    peers,
    clock,
    log,
    window: 100,
    onClaim: ({ id, no, work }) => dispatcher.findExecution(id)?.setClaim(no, work),
    onReady: ({ id, no, work }) => dispatcher.findExecution(id)?.setReady(no, work),
  });
  const context = createContexts({
    clock,
    store,
    definitions,
    // No script is run here.
    sandbox: {} as Sandbox,
    pollData: new PollData(1000),
    settings: {
      missingPath: "parent",
      brand: "service",
      maxVariablesBytes: 1e6,
      maxTaskInputBytes: 1e6,
      maxTaskOutputBytes: 1e6,
      maxWorkflowOutputBytes: 1e6,
      maxDepth: 100,
      messages: { maxWaiting: 10, keepMs: 60_000, maxBatch: 10 },
    },
    taskTypes: taskTypes(builtInTaskTypes),
    secrets: environmentSecrets({}),
    environment: environmentValues({}),
    schemas: new SchemaCheck(),
    newExecutionId,
    constants: new Map(),
  });
  const sent: { readonly target: string; readonly event: Event }[] = [];
  const dispatcher = new Dispatcher({
    // Nothing is large here.
    payloads: { load: async () => "{}", offload: () => undefined },
    store,
    definitions,
    queues,
    timers,
    log,
    cacheBytes: 1e9,
    peers,
    context,
    onCommit: () => {},
    send: async (target, event, consumes) => {
      sent.push({ target, event });
      await dispatcher.dispatch(target, event, { consumes });
    },
    prepare: (event) => event,
  });
  return {
    store,
    definitions,
    dispatcher,
    queues,
    timers,
    sent,
    dispatch: (id: string, event: Event, attached?: Attached) => dispatcher.dispatch(id, event, attached),
    poll: (queue: string, options: Partial<PollOptions> = {}) =>
      queues.poll(queue, { count: 1, timeoutMs: 0, workerId: "w1", ...options }),
    /** Starts an execution of these tasks; `done` is what its caller awaits. */
    start(tasks: readonly unknown[], attached: Attached = {}) {
      const def = normalizeWorkflowDef({
        name: "w",
        version: 1,
        schemaVersion: 2,
        tasks: JSON.parse(JSON.stringify(tasks)),
      });
      const pinned = definitions.pinGiven(def);
      const id = newExecutionId();
      const event: Event = {
        kind: "start",
        id,
        defHash: pinned.hash,
        workflowName: pinned.name,
        workflowVersion: pinned.version,
        input: new RawJson("{}"),
      };
      return { id, done: dispatcher.dispatch(id, event, { ...attached, isNew: true }) };
    },
  };
}

const emptyUnit: TransitionUnit = {
  kind: "transition",
  changes: undefined,
  defs: [],
  consumes: [],
  idempotency: undefined,
  slot: undefined,
  sends: [],
  logs: [],
};

const joinOf = (joinOn: readonly string[]) => entry("JOIN", "join", { joinOn });

const child = () =>
  entry("SUB_WORKFLOW", "child", {
    subWorkflowParam: {
      name: "c",
      workflowDefinition: { name: "c", version: 1, schemaVersion: 2, tasks: [simple("inner")] },
    },
  });

const completed = (no: number, output: Record<string, number> = {}): Event => ({
  kind: "task-result",
  no,
  result: { status: "COMPLETED", outputMode: "replace", output: new RawJson(JSON.stringify(output)) },
});

const changesOf = ({ unit }: Held) => (unit.kind === "transition" ? unit.changes : undefined);
const workOf = (held: Held) => [...(changesOf(held)?.work.values() ?? [])];
const changedOf = (held: Held): number[] =>
  (changesOf(held)?.changedTasks ?? []).map(({ no }) => no).filter((no) => no !== 1);

/** A promise, and whether it is settled. */
function watch<T>(value: Promise<T>): { readonly value: Promise<T>; readonly isSettled: boolean } {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  value.then(settle, settle);
  return {
    value,
    get isSettled() {
      return isSettled;
    },
  };
}
