import { type Answer, entry, type Session, sleep } from "../recorder/session.ts";

export async function schedules(session: Session): Promise<void> {
  const { label, name, normal, prefix, record, recordExecution, register, send, workflow } = session;
  await register(workflow("sch", [entry("NOOP", "n")], { outputParameters: { i: "${workflow.input}" } }));
  const far = {
    name: name("s1"),
    cronExpression: "0 0 12 1 1 *",
    startWorkflowRequest: {
      name: name("sch"),
      version: 1,
      input: { a: 1 },
      correlationId: "c-${scheduledTime}",
      priority: 3,
    },
  };
  const [from, to] = [Date.UTC(2030, 0, 1), Date.UTC(2031, 0, 1)];
  const path = "/scheduler/schedules";
  const one = `${path}/${name("s1")}`;
  const none = `${path}/${name("none")}`;
  await record("create", "POST", path, { body: far });
  await record("get", "GET", one);
  await record("update with zone and description", "POST", path, {
    body: {
      ...far,
      zoneId: "Asia/Tokyo",
      description: "d",
      runCatchupScheduleInstances: true,
      scheduleStartTime: from,

      scheduleEndTime: to,
    },
  });
  await record("list by workflow", "GET", `${path}?workflowName=${name("sch")}`);
  await record("list all", "GET", path, {
    shape: ({ json }) => normal((json as { name: string }[]).filter((each) => each.name.startsWith(prefix))),
  });
  await record("list by unknown workflow", "GET", `${path}?workflowName=none`);
  await record("get unknown", "GET", none);
  await record("pause with reason", "PUT", `${one}/pause?reason=holiday`);
  await record("get paused", "GET", one);
  await record("pause again", "PUT", `${one}/pause`);
  await record("search paused", "GET", `${path}/search?workflowName=${name("sch")}&paused=true`);
  await record("search not paused", "GET", `${path}/search?workflowName=${name("sch")}&paused=false`);
  await record("search by name", "GET", `${path}/search?scheduleName=${name("s1")}`);
  await record("resume", "PUT", `${one}/resume`);
  await record("resume again", "PUT", `${one}/resume`);
  await record("pause unknown", "PUT", `${none}/pause`);
  await record("resume unknown", "PUT", `${none}/resume`);
  const both = [name("s1"), name("none")];
  await record("bulk pause", "PUT", "/scheduler/bulk/pause", { body: both });
  await record("bulk resume", "PUT", "/scheduler/bulk/resume", { body: both });
  const second = { ...far, name: name("s2") };
  const drafts: Readonly<Record<string, object>> = {
    "no name": { ...far, name: undefined },
    "no cron": { ...second, cronExpression: undefined },
    "bad cron": { ...second, cronExpression: "every day" },
    "five fields": { ...second, cronExpression: "0 12 * * *" },
    "no request": { ...second, startWorkflowRequest: undefined },
    "request without name": { ...second, startWorkflowRequest: { input: {} } },
    "unknown workflow": { ...far, name: name("s3"), startWorkflowRequest: { name: name("none") } },
    "bad zone": { ...second, zoneId: "Mars/Base" },
    "end before start": { ...second, scheduleStartTime: to, scheduleEndTime: from },
    empty: {},
    "name with space": { ...far, name: name("a b") },
    "priority 200": { ...far, name: name("s4"), startWorkflowRequest: { name: name("sch"), priority: 200 } },
    macro: { ...far, name: name("s5"), cronExpression: "@daily" },
  };
  for (const [what, body] of Object.entries(drafts)) await record(`create: ${what}`, "POST", path, { body });
  await recordTimes(session, from, to);
  await record("create firing every second", "POST", path, {
    body: { ...far, name: name("s_fire"), cronExpression: "* * * * * *" },
  });
  await record("create firing unknown workflow", "POST", path, {
    body: {
      ...far,
      name: name("s_bad"),
      cronExpression: "* * * * * *",
      startWorkflowRequest: { name: name("none") },
    },
  });
  await fired(session);
  for (const stem of ["s_fire", "s_bad"]) await send("PUT", `${path}/${name(stem)}/pause`);
  await recordRuns(session);
  const { json } = await send("GET", `/scheduler/search/executions?freeText=${name("s_fire")}&size=5`);
  const { workflowId = "" } = (json as { results: { workflowId?: string }[] }).results.find(isStarted) ?? {};
  label(workflowId, "wf_scheduled");
  await recordExecution("workflow started by the schedule", workflowId);
  for (const action of ["pause", "resume", "requeue"])
    await record(`admin ${action}`, "GET", `/scheduler/admin/${action}`);
  await record("delete", "DELETE", one);
  await record("delete again", "DELETE", one);
  for (const stem of ["s_fire", "s_bad", "s2", "s3", "s4", "s5", "a b"])
    await send("DELETE", `${path}/${encodeURIComponent(name(stem))}`);
}

async function recordTimes({ record, normal }: Session, from: number, to: number): Promise<void> {
  const window = `&scheduleStartTime=${from}&scheduleEndTime=${to}`;
  const queries: readonly (readonly [what: string, cron: string | undefined, more: string])[] = [
    ["every 10 minutes from 2030", "0 0/10 * * * ?", window],
    ["limit 2", "0 0 9 * * MON-FRI", `${window}&limit=2`],
    ["last day of month", "0 0 0 L * *", `&scheduleStartTime=${from}&limit=4`],
    ["third friday", "0 0 0 ? * FRI#3", `&scheduleStartTime=${from}&limit=4`],
    ["nearest weekday", "0 0 0 15W * ?", `&scheduleStartTime=${from}&limit=4`],
    ["day and weekday both set", "0 0 0 13 * FRI", `&scheduleStartTime=${from}&limit=4`],
    ["step seconds", "*/15 * * * * *", `&scheduleStartTime=${from}&limit=10`],
    ["daily macro", "@daily", `&scheduleStartTime=${from}`],
    ["leap day", "0 0 0 29 2 *", `&scheduleStartTime=${from}&limit=3`],
    ["bad cron", "nope", ""],
    ["no cron", undefined, "&limit=1"],
    ["end before start", "0 0 0 * * *", `&scheduleStartTime=${to}&scheduleEndTime=${from}`],
    ["limit 0", "0 0 0 * * *", `&scheduleStartTime=${from}&limit=0`],
  ];
  for (const [what, cron, more] of queries) {
    const query = cron === undefined ? more.slice(1) : `cronExpression=${encodeURIComponent(cron)}${more}`;
    await record(`next: ${what}`, "GET", `/scheduler/nextFewSchedules?${query}`, {
      shape: ({ json }) => (Array.isArray(json) ? { count: json.length, items: json } : normal(json)),
    });
  }
}

/** Two records of each of the firing schedules. */
async function fired({ name, send, patience }: Session): Promise<void> {
  const giveUpAt = performance.now() + patience(20_000, 10_000);
  for (const stem of ["s_fire", "s_bad"]) {
    const query = encodeURIComponent(`scheduleName IN (${name(stem)})`);
    for (;;) {
      const { json } = await send("GET", `/scheduler/search/executions?query=${query}`);
      if ((json as { totalHits: number }).totalHits >= 2 || performance.now() > giveUpAt) break;
      await sleep(100);
    }
  }
}

async function recordRuns({ name, normal, record }: Session): Promise<void> {
  const trimmed = ({ json }: Answer) => {
    const { totalHits, results } = json as { totalHits: number; results: unknown[] };
    return { totalHits: totalHits > 0 ? ">0" : totalHits, results: normal(results.slice(0, 2)) };
  };
  const [fire, bad] = [name("s_fire"), name("s_bad")];
  const queries: Readonly<Record<string, string>> = {
    "executions of the firing schedule": `query=${encodeURIComponent(`scheduleName='${fire}'`)}`,
    "executions, no quotes in the query": `query=${encodeURIComponent(`scheduleName=${fire}`)}`,
    "executions, IN query": `query=${encodeURIComponent(`scheduleName IN (${fire})`)}&size=2`,
    "executions of the failing schedule by free text": `freeText=${bad}&size=2`,
    "executions by free text": `freeText=${fire}&size=2`,
    "executions by state": `query=${encodeURIComponent(`state='EXECUTED' AND scheduleName='${fire}'`)}&size=1`,
    "executions of the failing schedule": `query=${encodeURIComponent(`scheduleName='${bad}'`)}`,
    "executions, sorted, page": `start=1&size=1&sort=${encodeURIComponent("scheduledTime:DESC")}&query=${encodeURIComponent(`scheduleName='${fire}'`)}`,
  };
  for (const [what, query] of Object.entries(queries))
    await record(what, "GET", `/scheduler/search/executions?${query}`, { shape: trimmed });
}

const isStarted = ({ workflowId }: { readonly workflowId?: string }): boolean => workflowId !== undefined;
