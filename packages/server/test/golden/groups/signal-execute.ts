import { entry, nobody, type Session } from "../recorder/session.ts";

export async function signalExecute({
  child,
  ended,
  label,
  labelTasks,
  name,
  record,
  recordExecution,
  register,
  registerTasks,
  settle,
  simple,
  start,
  taskDef,
  untilTask,
  workflow,
}: Session): Promise<void> {
  await registerTasks(taskDef("t_sx"));
  await register(
    workflow(
      "sx_noop",
      [
        entry("INLINE", "i1", {
          inputParameters: { evaluatorType: "graaljs", expression: "$.a + 1", a: "${workflow.input.a}" },
        }),
      ],
      { outputParameters: { r: "${i1.output.result}" } },
    ),
    workflow(
      "sx_wait",
      [
        entry("NOOP", "n0"),
        entry("WAIT", "w1"),
        entry("INLINE", "i2", {
          inputParameters: { evaluatorType: "graaljs", expression: "$.v", v: "${w1.output.v}" },
        }),
        entry("WAIT", "h1"),
        entry("NOOP", "n9"),
      ],
      { outputParameters: { v: "${w1.output.v}", h: "${h1.output.h}" } },
    ),
    workflow("sx_human", [entry("HUMAN", "hu")]),
    workflow("sx_sub", [entry("SUB_WORKFLOW", "sub", { subWorkflowParam: { name: name("sx_wait"), version: 1 } })]),
    workflow("sx_simple", [simple("t_sx", "s1", { p: 1 })]),
    workflow("sx_fail", [
      entry("TERMINATE", "t", { inputParameters: { terminationStatus: "FAILED", terminationReason: "no" } }),
    ]),
  );
  const execute = (what: string, stem: string, query: string) =>
    record(what, "POST", `/workflow/execute/${name(stem)}/1${query}`, {
      body: { name: name(stem), version: 1, input: { a: 1 } },
      after: ({ json }) => {
        const run = json as { targetWorkflowId?: string; workflowId?: string };
        label(run.targetWorkflowId, "target");
        label(run.workflowId, "wf");
        labelTasks(run);
      },
    });
  await execute("execute completed, default strategy", "sx_noop", "?waitForSeconds=5");
  for (const strategy of ["TARGET_WORKFLOW", "BLOCKING_WORKFLOW", "BLOCKING_TASK", "BLOCKING_TASK_INPUT"]) {
    await execute(`execute completed, ${strategy}`, "sx_noop", `?returnStrategy=${strategy}&waitForSeconds=5`);
    await execute(
      `execute blocked at WAIT, ${strategy}`,
      "sx_wait",
      `?returnStrategy=${strategy}&waitForSeconds=3&waitUntilTaskRef=w1`,
    );
    await execute(
      `execute blocked in sub workflow, ${strategy}`,
      "sx_sub",
      `?returnStrategy=${strategy}&waitForSeconds=3`,
    );
  }
  await execute("execute blocked at worker task until timeout", "sx_simple", "?waitForSeconds=1");
  await execute("execute with requestId", "sx_noop", "?requestId=req-1&waitForSeconds=5");
  await execute("execute with consistency SYNCHRONOUS", "sx_noop", "?consistency=SYNCHRONOUS&waitForSeconds=5");
  await execute("execute failed workflow", "sx_fail", "?waitForSeconds=5");
  await record("execute version 0 = latest", "POST", `/workflow/execute/${name("sx_noop")}/0?waitForSeconds=5`, {
    body: { input: { a: 5 } },
    after: ({ json }) => labelTasks(json),
  });
  await record("execute unknown", "POST", `/workflow/execute/${name("nope")}/1`, { body: {} });
  await record("execute bad strategy", "POST", `/workflow/execute/${name("sx_noop")}/1?returnStrategy=ALL`, {
    body: {},
  });
  await record("execute bad version", "POST", `/workflow/execute/${name("sx_noop")}/abc`, { body: {} });
  await record("execute without version segment", "POST", `/workflow/execute/${name("sx_noop")}`, { body: {} });
  await record("execute no body", "POST", `/workflow/execute/${name("sx_noop")}/1`, {});
  for (const strategy of ["TARGET_WORKFLOW", "BLOCKING_WORKFLOW", "BLOCKING_TASK", "BLOCKING_TASK_INPUT"]) {
    const id = await start("sx_wait", {}, {}, `wf_${strategy}`);
    await untilTask(id, "w1", "IN_PROGRESS");
    await record(
      `signal/sync first block, ${strategy}`,
      "POST",
      `/tasks/${id}/COMPLETED/signal/sync?returnStrategy=${strategy}&timeoutMillis=3000`,
      { body: { v: "sig" }, after: ({ json }) => labelTasks(json) },
    );
    await record(
      `signal/sync second block, ${strategy}`,
      "POST",
      `/tasks/${id}/COMPLETED/signal/sync?returnStrategy=${strategy}&timeoutMillis=3000`,
      { body: { h: "hum" } },
    );
  }
  const a = await start("sx_wait", {}, {}, "wf_async");
  await untilTask(a, "w1", "IN_PROGRESS");
  await record("signal (async) returns", "POST", `/tasks/${a}/COMPLETED/signal`, { body: { v: 1 } });
  await untilTask(a, "h1", "IN_PROGRESS");
  await record("signal FAILED", "POST", `/tasks/${a}/FAILED/signal`, { body: { why: "x" } });
  await ended(a);
  await recordExecution("after FAILED signal", a);
  await record("signal finished workflow", "POST", `/tasks/${a}/COMPLETED/signal`, { body: {} });
  await record("signal/sync finished workflow", "POST", `/tasks/${a}/COMPLETED/signal/sync`, { body: {} });
  await record("signal unknown workflow", "POST", `/tasks/${nobody}/COMPLETED/signal`, { body: {} });
  await record("signal/sync unknown workflow", "POST", `/tasks/${nobody}/COMPLETED/signal/sync`, { body: {} });
  await record("signal bad status", "POST", `/tasks/${nobody}/DONE/signal`, { body: {} });
  await record("signal no body", "POST", `/tasks/${nobody}/COMPLETED/signal`, {});
  const s = await start("sx_sub", {}, {}, "wf_sub");
  await child(s);
  await settle(500);
  await record(
    "signal/sync through a sub workflow",
    "POST",
    `/tasks/${s}/COMPLETED/signal/sync?returnStrategy=BLOCKING_WORKFLOW&timeoutMillis=3000`,
    { body: { v: "deep" } },
  );
  const hu = await start("sx_human", {}, {}, "wf_human");
  await untilTask(hu, "hu", "IN_PROGRESS", 4000);
  await record("signal/sync on a HUMAN task", "POST", `/tasks/${hu}/COMPLETED/signal/sync?timeoutMillis=1500`, {
    body: { v: 1 },
  });
  const si = await start("sx_simple", {}, {}, "wf_simple");
  await settle(300);
  await record("signal/sync on a worker task", "POST", `/tasks/${si}/COMPLETED/signal/sync?timeoutMillis=1500`, {
    body: { v: 1 },
  });
}
