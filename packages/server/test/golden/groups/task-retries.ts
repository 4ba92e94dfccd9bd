import { entry, type Session } from "../recorder/session.ts";

export async function taskRetries({
  ended,
  execution,
  finish,
  label,
  name,
  recordExecution,
  register,
  registerTasks,
  settle,
  simple,
  start,
  take,
  taskDef,
  until,
  workflow,
}: Session): Promise<void> {
  await registerTasks(
    taskDef("t_r1", { retryCount: 2, retryLogic: "FIXED", retryDelaySeconds: 0 }),
    taskDef("t_r2", { retryCount: 2, retryLogic: "LINEAR_BACKOFF", retryDelaySeconds: 1, backoffScaleFactor: 1 }),
    taskDef("t_r3", { retryCount: 3 }),
    taskDef("t_rt", {
      retryCount: 1,
      retryDelaySeconds: 0,
      responseTimeoutSeconds: 1,
      timeoutSeconds: 0,
      timeoutPolicy: "RETRY",
    }),
    taskDef("t_to", { retryCount: 0, timeoutSeconds: 2, responseTimeoutSeconds: 1, timeoutPolicy: "TIME_OUT_WF" }),
    taskDef("t_pt", { retryCount: 0, pollTimeoutSeconds: 1, timeoutPolicy: "TIME_OUT_WF" }),
  );
  await register(
    workflow("r1", [simple("t_r1", "s")]),
    workflow("r2", [simple("t_r2", "s")]),
    workflow("r3", [simple("t_r3", "s")]),
    workflow("ropt", [simple("t_r1", "s", {}, { optional: true }), entry("NOOP", "n")]),
    workflow("rt", [simple("t_rt", "s")]),
    workflow("rto", [simple("t_to", "s")]),
    workflow("rpt", [simple("t_pt", "s")]),
    workflow("wto", [entry("WAIT", "w")], { timeoutSeconds: 2, timeoutPolicy: "TIME_OUT_WF" }),
    workflow("rfw_handler", [entry("NOOP", "n")], { outputParameters: { got: "${workflow.input}" } }),
    workflow("rfw", [simple("t_r3", "s")], { failureWorkflow: name("rfw_handler") }),
  );
  const rt = await start("rt", {}, {}, "wf_response_timeout"),
    rto = await start("rto", {}, {}, "wf_task_timeout"),
    rpt = await start("rpt", {}, {}, "wf_poll_timeout"),
    wto = await start("wto", {}, {}, "wf_timeout");
  await take("t_rt");
  await take("t_to");
  const a = await start("r1", {}, {}, "wf_fixed");
  await finish("t_r1", "FAILED", { n: 1 }, { reasonForIncompletion: "one" });
  await until(a, (w) => w.tasks.length === 2);
  await recordExecution("FIXED: after the first failure", a);
  await finish("t_r1", "FAILED", {}, { reasonForIncompletion: "two" });
  await finish("t_r1", "FAILED", {}, { reasonForIncompletion: "three" });
  await ended(a);
  await recordExecution("FIXED: retries used up", a);
  const b = await start("r2", {}, {}, "wf_linear");
  await finish("t_r2", "FAILED");
  await finish("t_r2", "COMPLETED", { ok: true });
  await ended(b);
  await recordExecution("LINEAR_BACKOFF: completed on second attempt", b);
  const c = await start("r3", {}, {}, "wf_terminal");
  await finish("t_r3", "FAILED_WITH_TERMINAL_ERROR", {}, { reasonForIncompletion: "stop" });
  await ended(c);
  await recordExecution("terminal error: no retry", c);
  const d = await start("ropt", {}, {}, "wf_optional");
  for (let i = 0; i < 3; i++) await finish("t_r1", "FAILED", {}, { reasonForIncompletion: `opt${i}` });
  await ended(d);
  await recordExecution("optional task failed: workflow goes on", d);
  const f = await start("rfw", { k: "v" }, { correlationId: "cf" }, "wf_with_failure_workflow");
  await finish("t_r3", "FAILED_WITH_TERMINAL_ERROR", {}, { reasonForIncompletion: "call handler" });
  await ended(f);
  await settle(500);
  await recordExecution("failure workflow: parent", f);
  const handler = (await execution(f)).output["conductor.failure_workflow"];
  label(handler, "wf_failure_handler");
  await ended(String(handler));
  await recordExecution("failure workflow: handler run", String(handler));
  await ended(wto);
  await recordExecution("workflow timeout TIME_OUT_WF", wto);
  await until(rt, (w) => w.tasks.length >= 2);
  await recordExecution("response timeout: second attempt scheduled", rt);
  await ended(rto);
  await recordExecution("task timeout TIME_OUT_WF", rto);
  await ended(rpt);
  await recordExecution("poll timeout TIME_OUT_WF", rpt);
}
