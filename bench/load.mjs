#!/usr/bin/env node
import crypto from "node:crypto";
// Load generator for a server that speaks the workflow HTTP interface. Built-in modules only, loopback only.
// --base may name several servers, with commas between them: requests go to them in turn.
// --pid names the server, whose children are measured with it; --database-pid a database that is reported apart.
//
//   node load.mjs --base http://127.0.0.1:8080/api --scenario simple3 [options]      prints one JSON object
//
// Scenarios
//   simple3     N workflows of 3 sequential worker tasks; C starters, W workers per task type that batch-poll and complete
//   fanout      one (or N) workflow with a dynamic fork of --tasks worker tasks and a join
//   loop        one workflow with a loop of --tasks iterations over one worker task; cost at the start against the end
//   system      N workflows of 10 sequential system tasks, no workers
//   start-only  N starts of a workflow whose only task nobody polls
//   idle        N workflows parked on WAIT; then CPU while idle, empty-poll latency, delivery latency of fresh work
//   read        GET of a workflow with --tasks tasks, status, task pages; search over what is stored (--search-type)
//
// Options: --n --c --workers --batch --poll-timeout --tasks --payload --pid --timeout --idle-seconds --search-type --label
//          --rate (simple3: starts per second, evenly; as fast as can be when left out)
//          --wait-seconds (after the last task: how long to wait for workflows to reach COMPLETED)
// The run fails (exit 1, "ok": false) if any workflow does not complete with the expected output, or a task id is
// delivered twice.
import { createClient } from "./client.mjs";
import { watchProcesses } from "./meter.mjs";
import { growthOf, quantiles as pct } from "./statistics.mjs";

const argv = process.argv.slice(2);
const arg = (k, d) => {
  const i = argv.indexOf(`--${k}`);
  return i < 0 ? d : argv[i + 1];
};
const num = (k, d, max = Infinity) => Math.min(Number(arg(k, d)), max);
const BASES = arg("base", "http://127.0.0.1:8080/api")
  .split(",")
  .map((base) => new URL(base));
if (BASES.some(({ hostname }) => !["127.0.0.1", "localhost", "::1", "[::1]"].includes(hostname))) {
  console.error("loopback only");
  process.exit(2);
}
const SC = arg("scenario", "simple3");
const P = {
  n: num(
    "n",
    { simple3: 1000, fanout: 1, loop: 1, system: 1000, "start-only": 2000, idle: 10000, read: 1 }[SC] ?? 100,
    5000000,
  ),
  c: num("c", 16, 512),
  rate: num("rate", 0, 1000000),
  workers: num("workers", 2, 64),
  batch: num("batch", 20, 1000),
  pollTimeout: num("poll-timeout", 100, 5000),
  tasks: num("tasks", 1000, 20000),
  payload: num("payload", 200, 100000),
  timeout: num("timeout", 300, 3600),
  waitSeconds: num("wait-seconds", 60, 600),
  idleSeconds: num("idle-seconds", 10, 120),
  pid: arg("pid", null),
};
const RUN = `b${crypto.randomBytes(4).toString("hex")}`;
const T0 = Date.now();
const deadline = T0 + P.timeout * 1000;
const late = () => Date.now() > deadline;
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const PAD = "x".repeat(Math.max(0, P.payload - 40));

// ---- http ------------------------------------------------------------------------------------------------------
const servers = BASES.map(({ hostname, port, pathname }) => ({
  client: createClient({ host: hostname, port: Number(port || 80) }),
  root: pathname.replace(/\/$/, ""),
}));
const stats = { requests: 0, errors: 0, retries: 0, errorSamples: [] };
function once(method, path, body) {
  const { client, root } = servers[stats.requests++ % servers.length];
  return client.request(method, root + path, body === undefined ? undefined : JSON.stringify(body));
}
async function call(method, path, body, { ok = (s) => s < 300, tries = 6 } = {}) {
  for (let i = 0; ; i++) {
    let r, err;
    try {
      r = await once(method, path, body);
      if (ok(r.status)) return r;
    } catch (e) {
      err = e;
    }
    stats.errors++;
    if (stats.errorSamples.length < 5)
      stats.errorSamples.push(
        `${method} ${path.split("?")[0].replace(/[0-9a-f-]{36}/g, "{id}")} -> ${err ? err.message : `${r.status} ${r.text.slice(0, 160)}`}`,
      );
    if (i + 1 >= tries || late()) {
      if (err) throw err;
      return r;
    }
    stats.retries++;
    await sleep(50 * 2 ** i);
  }
}
const json = (r) => {
  try {
    return JSON.parse(r.text);
  } catch {
    return null;
  }
};

// ---- measuring -------------------------------------------------------------------------------------------------
const pidsOf = (k) => (arg(k, null) ?? "").split(",").filter(Boolean).map(Number);
const pids = pidsOf("pid");
const server = watchProcesses(pids);
const database = watchProcesses(pidsOf("database-pid"));
const procAll = (how) => server.usage(how);
function meter() {
  const a = procAll({ fresh: true }),
    d = database.usage({ fresh: true }),
    t = Date.now(),
    own = process.cpuUsage();
  let max = a?.rss ?? 0;
  const timer = setInterval(() => {
    const x = procAll();
    if (x) max = Math.max(max, x.rss);
  }, 300);
  timer.unref();
  return () => {
    clearInterval(timer);
    const b = procAll({ fresh: true }),
      e = database.usage({ fresh: true }),
      o = process.cpuUsage(own),
      sec = (Date.now() - t) / 1000;
    return {
      seconds: +sec.toFixed(2),
      serverCpuSeconds: a && b ? +(b.cpu - a.cpu).toFixed(2) : null,
      serverCpuPercentOfOneCore: a && b ? +((100 * (b.cpu - a.cpu)) / sec).toFixed(1) : null,
      serverRssMiBMax: Math.round(Math.max(max, b?.rss ?? 0)) || null,
      serverRssMiBEnd: b ? Math.round(b.rss) : null,
      databaseCpuSeconds: d && e ? +(e.cpu - d.cpu).toFixed(2) : undefined,
      clientCpuSeconds: +((o.user + o.system) / 1e6).toFixed(2),
    };
  };
}
async function pool(n, c, fn) {
  let i = 0;
  await Promise.all(
    Array.from({ length: Math.min(c, n) }, async () => {
      while (i < n && !late()) await fn(i++);
    }),
  );
  return i;
}

// ---- building blocks -------------------------------------------------------------------------------------------
const name = (s) => `${RUN}_${s}`;
const taskDef = (s) => ({
  name: name(s),
  ownerEmail: "bench@example.com",
  retryCount: 0,
  timeoutSeconds: 0,
  responseTimeoutSeconds: 3600,
});
const flow = (s, tasks, extra = {}) => ({
  name: name(s),
  version: 1,
  schemaVersion: 2,
  ownerEmail: "bench@example.com",
  timeoutSeconds: 0,
  timeoutPolicy: "ALERT_ONLY",
  tasks,
  ...extra,
});
const simple = (type, ref, inputParameters = {}) => ({
  name: name(type),
  taskReferenceName: ref,
  type: "SIMPLE",
  inputParameters,
});
const need = (r, what) => {
  if (r.status >= 300) throw new Error(`${what}: ${r.status} ${r.text.slice(0, 300)}`);
  return r;
};
async function register(tasks, flows) {
  if (tasks.length) need(await call("POST", "/metadata/taskdefs", tasks), "task definitions");
  for (const f of flows) need(await call("POST", "/metadata/workflow", f), "workflow definition");
}
const startOne = async (wf, input, extra = {}) => {
  const r = need(await call("POST", "/workflow", { name: name(wf), version: 1, input, ...extra }), "start");
  return r.text.replace(/"/g, "").trim();
};
const getFlow = async (id, tasks = false) => json(await call("GET", `/workflow/${id}?includeTasks=${tasks}`));

const seen = new Map();
let duplicates = 0;
const pollLat = [],
  pollCall = [],
  updateCall = [];
let completedTasks = 0,
  stopWorkers = false;
/** One worker: polls one task type and completes what it gets, all tasks of a batch at once. */
async function worker(type, respond, w) {
  while (!stopWorkers && !late()) {
    const t = performance.now();
    let r;
    try {
      r = await call(
        "GET",
        `/tasks/poll/batch/${name(type)}?count=${P.batch}&timeout=${P.pollTimeout}&workerid=${w}`,
        undefined,
        { ok: (s) => s < 300 },
      );
    } catch {
      continue;
    }
    pollCall.push(performance.now() - t);
    const got = r.status === 200 && r.text ? (json(r) ?? []) : [];
    if (!got.length) {
      if (performance.now() - t < 5) await sleep(5);
      continue;
    }
    const now = Date.now();
    await Promise.all(
      got.map(async (task) => {
        if (seen.has(task.taskId)) {
          duplicates++;
          return;
        }
        seen.set(task.taskId, 1);
        if (task.scheduledTime) pollLat.push(Math.max(0, now - task.scheduledTime));
        const u = performance.now();
        await call("POST", "/tasks", {
          workflowInstanceId: task.workflowInstanceId,
          taskId: task.taskId,
          workerId: w,
          status: "COMPLETED",
          outputData: respond(task),
        });
        updateCall.push(performance.now() - u);
        completedTasks++;
      }),
    );
  }
}
async function settle(ids, check, seconds = P.waitSeconds) {
  // waits until every workflow is terminal and checks it; returns {completed, wrong, statuses, ends}
  const left = new Set(ids),
    out = { completed: 0, wrong: 0, statuses: {}, e2e: [], lastEnd: 0, firstStart: Infinity, samples: [] };
  const end = Math.max(Date.now() + seconds * 1000, 0);
  while (left.size && Date.now() < end) {
    const batch = [...left];
    let moved = 0;
    await pool2(batch, 16, async (id) => {
      const w = await getFlow(id);
      if (!w || w.status === "RUNNING" || w.status === "PAUSED") return;
      left.delete(id);
      moved++;
      out.statuses[w.status] = (out.statuses[w.status] ?? 0) + 1;
      if (w.status === "COMPLETED") {
        out.completed++;
        out.e2e.push(w.endTime - (w.startTime ?? w.createTime));
        out.lastEnd = Math.max(out.lastEnd, w.endTime);
        out.firstStart = Math.min(out.firstStart, w.startTime ?? w.createTime);
      }
      if (w.status !== "COMPLETED" || !check(w)) {
        out.wrong++;
        if (out.samples.length < 3)
          out.samples.push({
            id,
            status: w.status,
            reason: w.reasonForIncompletion,
            output: JSON.stringify(w.output)?.slice(0, 200),
          });
      }
    });
    if (left.size) await sleep(moved ? 20 : 200);
  }
  out.unfinished = left.size;
  if (left.size) out.statuses.UNFINISHED = left.size;
  return out;
}
async function pool2(xs, c, fn) {
  let i = 0;
  await Promise.all(
    Array.from({ length: Math.min(c, xs.length) }, async () => {
      while (i < xs.length) await fn(xs[i++]);
    }),
  );
}

// ---- scenarios -------------------------------------------------------------------------------------------------
const S = {
  async simple3() {
    await register(["t1", "t2", "t3"].map(taskDef), [
      flow(
        "wf",
        [
          simple("t1", "s1", { i: "${workflow.input.i}", pad: "${workflow.input.pad}" }),
          simple("t2", "s2", { i: "${s1.output.i}", pad: "${s1.output.pad}" }),
          simple("t3", "s3", { i: "${s2.output.i}", pad: "${s2.output.pad}" }),
        ],
        { outputParameters: { i: "${s3.output.i}", hops: "${s3.output.hops}" } },
      ),
    ]);
    const done = meter();
    const begun = Date.now();
    const ids = [],
      startLat = [],
      idx = new Map();
    const ws = [];
    for (const k of [1, 2, 3])
      for (let w = 0; w < P.workers; w++)
        ws.push(worker(`t${k}`, (t) => ({ i: t.inputData.i, hops: k, pad: t.inputData.pad }), `w${k}-${w}`));
    await pool(P.n, P.c, async (i) => {
      if (P.rate > 0) await sleep(Math.max(0, begun + (i * 1000) / P.rate - Date.now()));
      const t = performance.now();
      const id = await startOne("wf", { i, pad: PAD });
      startLat.push(performance.now() - t);
      ids.push(id);
      idx.set(id, i);
    });
    const startsDone = Date.now();
    while (completedTasks < ids.length * 3 && !late()) await sleep(20);
    const lastTask = Date.now();
    stopWorkers = true;
    const m = done();
    await Promise.all(ws);
    const v = await settle(ids, (w) => w.output?.i === idx.get(w.workflowId) && w.output?.hops === 3);
    const span = (Math.max(v.lastEnd, 0) - begun) / 1000;
    return {
      ok: v.completed === P.n && v.wrong === 0 && duplicates === 0 && completedTasks === P.n * 3,
      started: ids.length,
      completed: v.completed,
      wrong: v.wrong,
      unfinished: v.unfinished,
      wrongSamples: v.samples,
      tasksCompleted: completedTasks,
      duplicates,
      seconds: +span.toFixed(2),
      workflowsPerSecond: +(v.completed / span).toFixed(1),
      tasksPerSecond: +(completedTasks / span).toFixed(1),
      startPhaseSeconds: (startsDone - begun) / 1000,
      lastTaskAckSeconds: (lastTask - begun) / 1000,
      latencyMs: {
        start: pct(startLat),
        scheduleToPoll: pct(pollLat),
        pollCall: pct(pollCall),
        updateCall: pct(updateCall),
        workflowEndToEnd: pct(v.e2e),
      },
      growth: growthOf(updateCall),
      meter: m,
    };
  },
  async fanout() {
    await register(
      [taskDef("f")],
      [
        flow(
          "wf",
          [
            {
              name: "fk",
              taskReferenceName: "fk",
              type: "FORK_JOIN_DYNAMIC",
              dynamicForkTasksParam: "dt",
              dynamicForkTasksInputParamName: "di",
              inputParameters: { dt: "${workflow.input.dt}", di: "${workflow.input.di}" },
            },
            { name: "jn", taskReferenceName: "jn", type: "JOIN" },
          ],
          { outputParameters: { j: "${jn.output}" } },
        ),
      ],
    );
    const dt = [],
      di = {};
    for (let i = 0; i < P.tasks; i++) {
      dt.push({ name: name("f"), taskReferenceName: `r${i}`, type: "SIMPLE" });
      di[`r${i}`] = { i, pad: PAD };
    }
    const done = meter();
    const begun = Date.now();
    const startLat = [];
    const ids = [];
    const ws = Array.from({ length: P.workers }, (_, w) =>
      worker("f", (t) => ({ i: t.inputData.i, pad: PAD }), `w${w}`),
    );
    for (let i = 0; i < P.n && !late(); i++) {
      const t = performance.now();
      ids.push(await startOne("wf", { dt, di }));
      startLat.push(performance.now() - t);
    }
    while (completedTasks < P.tasks * ids.length && !late()) await sleep(20);
    const lastAck = Date.now();
    stopWorkers = true;
    const v = await settle(ids, (w) => {
      const j = w.output?.j ?? {};
      for (let i = 0; i < P.tasks; i++) if (j[`r${i}`]?.i !== i) return false;
      return Object.keys(j).length === P.tasks;
    });
    const m = done();
    await Promise.all(ws);
    const span = (v.lastEnd - begun) / 1000;
    return {
      ok: v.completed === P.n && v.wrong === 0 && duplicates === 0,
      workflowId: ids[0],
      completed: v.completed,
      wrong: v.wrong,
      unfinished: v.unfinished,
      wrongSamples: v.samples,
      duplicates,
      tasksCompleted: completedTasks,
      startCallMs: pct(startLat),
      secondsToLastTaskAck: (lastAck - begun) / 1000,
      secondsToWorkflowEnd: v.lastEnd ? +span.toFixed(2) : null,
      tasksPerSecond: v.lastEnd
        ? +(completedTasks / span).toFixed(1)
        : +(completedTasks / ((lastAck - begun) / 1000)).toFixed(1),
      latencyMs: { scheduleToPoll: pct(pollLat), updateCall: pct(updateCall) },
      meter: m,
    };
  },
  async loop() {
    await register(
      [taskDef("l")],
      [
        flow(
          "wf",
          [
            {
              name: "lp",
              taskReferenceName: "lp",
              type: "DO_WHILE",
              evaluatorType: "graaljs",
              loopCondition: "(function(){ return $.lp['iteration'] < $.n; })()",
              inputParameters: { n: "${workflow.input.n}", lp: "${lp.output}" },
              loopOver: [simple("l", "ls", { it: "${lp.output.iteration}", pad: PAD })],
            },
          ],
          { outputParameters: { it: "${lp.output.iteration}" } },
        ),
      ],
    );
    const done = meter();
    const stamps = [];
    const begun = Date.now();
    const cpu = [];
    const id = await startOne("wf", { n: P.tasks });
    const w = (async () => {
      while (completedTasks < P.tasks && !late()) {
        const r = await call("GET", `/tasks/poll/batch/${name("l")}?count=1&timeout=${P.pollTimeout}&workerid=w`);
        const got = r.status === 200 && r.text ? (json(r) ?? []) : [];
        for (const t of got) {
          if (seen.has(t.taskId)) {
            duplicates++;
            continue;
          }
          seen.set(t.taskId, 1);
          pollLat.push(Date.now() - t.scheduledTime);
          await call("POST", "/tasks", {
            workflowInstanceId: id,
            taskId: t.taskId,
            workerId: "w",
            status: "COMPLETED",
            outputData: { it: t.inputData.it, pad: PAD },
          });
          completedTasks++;
          stamps.push(Date.now());
          cpu.push(procAll()?.cpu ?? 0);
        }
        if (!got.length) await sleep(2);
      }
    })();
    await w;
    const v = late()
      ? { completed: 0, wrong: 0, unfinished: 1, lastEnd: 0, samples: [] }
      : await settle([id], (x) => x.output?.it === P.tasks);
    const m = done();
    const k = Math.max(1, Math.floor(stamps.length / 10));
    const per = (a, b) => +((stamps[b] - stamps[a]) / (b - a)).toFixed(2);
    const cpuPer = (a, b) => +((1000 * (cpu[b] - cpu[a])) / (b - a)).toFixed(2);
    const L = stamps.length;
    return {
      ok: v.completed === 1 && v.wrong === 0 && duplicates === 0,
      workflowId: id,
      iterations: completedTasks,
      completed: v.completed,
      wrong: v.wrong,
      wrongSamples: v.samples,
      duplicates,
      seconds: +(((v.lastEnd || Date.now()) - begun) / 1000).toFixed(2),
      msPerIteration:
        L > 2 * k
          ? {
              firstTenth: per(0, k),
              lastTenth: per(L - 1 - k, L - 1),
              growth: +(per(L - 1 - k, L - 1) / Math.max(0.01, per(0, k))).toFixed(2),
            }
          : null,
      serverCpuMsPerIteration:
        L > 2 * k && pids.length ? { firstTenth: cpuPer(0, k), lastTenth: cpuPer(L - 1 - k, L - 1) } : null,
      latencyMs: { scheduleToPoll: pct(pollLat) },
      meter: m,
    };
  },
  async system() {
    const js = (ref, expression, inp) => ({
      name: ref,
      taskReferenceName: ref,
      type: "INLINE",
      inputParameters: { evaluatorType: "graaljs", expression, ...inp },
    });
    const jq = (ref, q, inp) => ({
      name: ref,
      taskReferenceName: ref,
      type: "JSON_JQ_TRANSFORM",
      inputParameters: { queryExpression: q, ...inp },
    });
    const sv = (ref, inp) => ({ name: ref, taskReferenceName: ref, type: "SET_VARIABLE", inputParameters: inp });
    const sw = (ref, v, a) => ({
      name: ref,
      taskReferenceName: ref,
      type: "SWITCH",
      evaluatorType: "value-param",
      expression: "v",
      inputParameters: { v },
      decisionCases: { yes: [a] },
      defaultCase: [],
    });
    const tasks = [
      js("i1", "$.a + 1", { a: "${workflow.input.a}" }),
      sv("v1", { x: "${i1.output.result}" }),
      jq("q1", ".d.x + 1", { d: { x: "${workflow.variables.x}" } }),
      sw("w1", "${workflow.input.sw}", js("i2", "$.a + 1", { a: "${q1.output.result}" })),
      sv("v2", { y: "${i2.output.result}" }),
      jq("q2", "[.l[] | . + 1]", { l: ["${workflow.variables.y}"] }),
      js("i3", "$.l[0] + 1", { l: "${q2.output.result}" }),
      sv("v3", { z: "${i3.output.result}" }),
      js("i4", "$.z * 2", { z: "${workflow.variables.z}" }),
    ];
    await register([], [flow("wf", tasks, { outputParameters: { r: "${i4.output.result}" } })]);
    const done = meter();
    const begun = Date.now();
    const ids = [],
      startLat = [],
      idx = new Map();
    await pool(P.n, P.c, async (i) => {
      const t = performance.now();
      const id = await startOne("wf", { a: i, sw: "yes", pad: PAD });
      startLat.push(performance.now() - t);
      ids.push(id);
      idx.set(id, i);
    });
    const startsDone = Date.now();
    const v = await settle(ids, (w) => w.output?.r === (idx.get(w.workflowId) + 5) * 2);
    const m = done();
    const span = (v.lastEnd - begun) / 1000;
    return {
      ok: v.completed === P.n && v.wrong === 0,
      tasksPerWorkflow: 10,
      completed: v.completed,
      wrong: v.wrong,
      unfinished: v.unfinished,
      wrongSamples: v.samples,
      seconds: +span.toFixed(2),
      startPhaseSeconds: (startsDone - begun) / 1000,
      workflowsPerSecond: +(v.completed / span).toFixed(1),
      tasksPerSecond: +((v.completed * 10) / span).toFixed(1),
      latencyMs: { start: pct(startLat), workflowEndToEnd: pct(v.e2e) },
      growth: growthOf(startLat),
      meter: m,
    };
  },
  async "start-only"() {
    await register([taskDef("u")], [flow("wf", [simple("u", "s1", { i: "${workflow.input.i}" })])]);
    const done = meter();
    const begun = Date.now();
    const startLat = [];
    const ids = new Set();
    await pool(P.n, P.c, async (i) => {
      const t = performance.now();
      ids.add(await startOne("wf", { i, pad: PAD }));
      startLat.push(performance.now() - t);
    });
    const sec = (Date.now() - begun) / 1000,
      m = done();
    await sleep(300);
    const q = json(await call("GET", `/tasks/queue/size?taskType=${name("u")}`));
    return {
      ok: ids.size === P.n && q === P.n,
      started: ids.size,
      queueSizeAfter: q,
      seconds: sec,
      startsPerSecond: +(ids.size / sec).toFixed(1),
      latencyMs: { start: pct(startLat) },
      growth: growthOf(startLat),
      meter: m,
    };
  },
  async idle() {
    await register(["t1", "e1"].map(taskDef), [
      flow("park", [{ name: "w", taskReferenceName: "w", type: "WAIT" }]),
      flow("wf", [simple("t1", "s1", { i: "${workflow.input.i}" })], { outputParameters: { i: "${s1.output.i}" } }),
    ]);
    const before = procAll(),
      begun = Date.now();
    const ids = [];
    await pool(P.n, P.c, async (i) => {
      ids.push(await startOne("park", { i }));
    });
    const loadSec = (Date.now() - begun) / 1000,
      after = procAll();
    await sleep(2000);
    const q = meter();
    await sleep(P.idleSeconds * 1000);
    const quietUse = q();
    const empty = [];
    const e = meter();
    for (let i = 0; i < 50; i++) {
      const t = performance.now();
      await call("GET", `/tasks/poll/${name("e1")}?workerid=w`);
      empty.push(performance.now() - t);
    }
    const longEmpty = [];
    for (let i = 0; i < 10; i++) {
      const t = performance.now();
      await call("GET", `/tasks/poll/batch/${name("e1")}?count=1&timeout=100&workerid=w`);
      longEmpty.push(performance.now() - t);
    }
    e();
    const ws = [worker("t1", (t) => ({ i: t.inputData.i }), "w0")];
    const fresh = [],
      idx = new Map();
    const f = meter();
    for (let i = 0; i < 100 && !late(); i++) {
      const id = await startOne("wf", { i });
      fresh.push(id);
      idx.set(id, i);
      await sleep(20);
    }
    while (completedTasks < fresh.length && !late()) await sleep(20);
    stopWorkers = true;
    const v = await settle(fresh, (w) => w.output?.i === idx.get(w.workflowId));
    const freshUse = f();
    await Promise.all(ws);
    const probe = await getFlow(ids[Math.floor(ids.length / 2)], true);
    const parked = probe?.status === "RUNNING" && probe?.tasks?.[0]?.status === "IN_PROGRESS";
    return {
      ok: ids.length === P.n && v.completed === fresh.length && v.wrong === 0 && parked && duplicates === 0,
      parked: ids.length,
      parkedProbe: { status: probe?.status, task: probe?.tasks?.[0]?.status },
      type: name("park"),
      loadSeconds: loadSec,
      startsPerSecond: +(ids.length / loadSec).toFixed(1),
      rssMiB: { before: before && Math.round(before.rss), after: after && Math.round(after.rss) },
      idle: quietUse,
      latencyMs: {
        emptyPoll: pct(empty),
        emptyBatchPoll100ms: pct(longEmpty),
        freshScheduleToPoll: pct(pollLat),
        freshEndToEnd: pct(v.e2e),
      },
      fresh: freshUse,
    };
  },
  async read() {
    const id = arg("workflow-id", null) ?? (await S.fanout()).workflowId;
    const time = async (k, path, check) => {
      const xs = [];
      let bytes = 0,
        good = true;
      for (let i = 0; i < k && !late(); i++) {
        const t = performance.now();
        const r = await call("GET", path);
        xs.push(performance.now() - t);
        bytes = r.text.length;
        good &&= r.status === 200 && check(json(r));
      }
      return { ...pct(xs), bytes, ok: good };
    };
    const m = meter();
    const q = encodeURIComponent;
    const type = arg("search-type", null);
    const out = {
      getWithTasks: await time(40, `/workflow/${id}?includeTasks=true`, (w) => w.tasks.length >= P.tasks),
      getWithoutTasks: await time(40, `/workflow/${id}?includeTasks=false`, (w) => w.workflowId === id),
      status: await time(40, `/workflow/${id}/status`, (w) => w.workflowId === id),
      taskPage: await time(20, `/workflow/${id}/tasks?start=500&count=15`, (r) => r.results.length > 0),
    };
    if (type) {
      const s = (qs) => time(20, `/workflow/search?${qs}`, (r) => r.results.length > 0);
      out.searchByType = await s(`query=${q(`workflowType='${type}'`)}&size=100&sort=${q("startTime:DESC")}`);
      out.searchByTypeAndStatus = await s(`query=${q(`workflowType='${type}' AND status='RUNNING'`)}&size=100`);
      const all = json(await call("GET", "/workflow/search?size=1"))?.totalHits ?? 0;
      out.storedExecutions = all;
      out.searchAllPage50 = await s(
        `start=${Math.max(0, Math.min(5000, Math.floor(all / 2)))}&size=50&sort=${q("startTime:DESC")}`,
      );
      out.searchFreeText = await time(10, `/workflow/search?freeText=${type}&size=20`, (r) => Array.isArray(r.results));
      out.searchTotalHits = json(
        await call("GET", `/workflow/search?query=${q(`workflowType='${type}'`)}&size=1`),
      )?.totalHits;
    }
    return {
      ok: Object.values(out).every((x) => typeof x !== "object" || x.ok !== false),
      workflowId: id,
      tasks: P.tasks,
      ...out,
      meter: m(),
    };
  },
};
if (!S[SC]) {
  console.error("unknown scenario", SC);
  process.exit(2);
}
let result;
try {
  result = await S[SC]();
} catch (e) {
  result = { ok: false, failed: e.message };
}
stopWorkers = true;
const { ok, ...more } = result;
console.log(
  JSON.stringify(
    {
      label: arg("label", undefined),
      scenario: SC,
      ok,
      settings: P,
      ...more,
      client: {
        requests: stats.requests,
        errors: stats.errors,
        retries: stats.retries,
        errorSamples: stats.errorSamples,
      },
      totalSeconds: (Date.now() - T0) / 1000,
      timedOut: late() || undefined,
      node: process.version,
    },
    null,
    1,
  ),
);
process.exit(ok ? 0 : 1);
