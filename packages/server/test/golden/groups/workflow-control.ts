import type { WireTask } from "../../support/client.ts";
import { entry, nobody, result, type Session } from "../recorder/session.ts";

export async function workflowControl({
  child,
  ended,
  execution,
  finish,
  label,
  labelTasks,
  name,
  record,
  recordExecution,
  register,
  registerTasks,
  send,
  settle,
  simple,
  start,
  take,
  taskDef,
  untilTask,
  workflow,
}: Session): Promise<void> {
  await registerTasks(taskDef("t_c"), taskDef("t_c2"));
  await register(
    workflow("c", [simple("t_c", "s1", { x: "${workflow.input.x}" }), simple("t_c2", "s2", { y: "${s1.output.y}" })], {
      outputParameters: { y: "${s1.output.y}", z: "${s2.output.z}" },
    }),
    workflow("c_nores", [entry("NOOP", "n")], { restartable: false }),
    workflow("c_child", [simple("t_c", "cs")]),
    workflow("c_parent", [
      entry("SUB_WORKFLOW", "sub", { subWorkflowParam: { name: name("c_child"), version: 1 } }),
      entry("NOOP", "n"),
    ]),
  );
  const a = await start("c", { x: 1 }, {}, "wf");
  await record("resume: not paused", "PUT", `/workflow/${a}/resume`);
  await record("pause", "PUT", `/workflow/${a}/pause`);
  await record("pause again", "PUT", `/workflow/${a}/pause`);
  await record("get paused", "GET", `/workflow/${a}`, { after: ({ json }) => labelTasks(json) });
  const t = await take("t_c", 3000);
  await record("complete task while paused", "POST", "/tasks", { body: result(t, "COMPLETED", { y: "Y" }) });
  await settle(700);
  await record("get paused: nothing new scheduled", "GET", `/workflow/${a}`);
  await record("resume", "PUT", `/workflow/${a}/resume`);
  await untilTask(a, "s2", "SCHEDULED");
  await record("decide", "PUT", `/workflow/decide/${a}`);
  await record("restart while running", "POST", `/workflow/${a}/restart`);
  await record("retry while running", "POST", `/workflow/${a}/retry`);
  await record("rerun while running", "POST", `/workflow/${a}/rerun`, { body: {} });
  const rmr = await start("c", {}, {}, "wf_rm_running");
  await record("remove while running", "DELETE", `/workflow/${rmr}/remove`);
  await send("DELETE", `/workflow/${rmr}`);
  await record("terminate with reason", "DELETE", `/workflow/${a}?reason=enough`);
  await record("get terminated", "GET", `/workflow/${a}`, { after: ({ json }) => labelTasks(json) });
  await record("terminate again", "DELETE", `/workflow/${a}?reason=again`);
  await record("pause terminated", "PUT", `/workflow/${a}/pause`);
  await record("retry terminated", "POST", `/workflow/${a}/retry`);
  await record("get after retry", "GET", `/workflow/${a}`, { after: ({ json }) => labelTasks(json) });
  await finish("t_c2", "FAILED", {}, { reasonForIncompletion: "bad" });
  await ended(a);
  await record("retry failed", "POST", `/workflow/${a}/retry?resumeSubworkflowTasks=true`);
  await finish("t_c2", "COMPLETED", { z: "Z" });
  await ended(a);
  await recordExecution("completed after retry", a);
  await record("retry completed", "POST", `/workflow/${a}/retry`);
  await record("rerun from second task with new input", "POST", `/workflow/${a}/rerun`, {
    body: {
      reRunFromTaskId: (await execution(a)).tasks.at(-1)?.taskId,
      taskInput: { y: "changed" },
      workflowInput: { x: 2 },
    },
  });
  await record("get after rerun", "GET", `/workflow/${a}`, { after: ({ json }) => labelTasks(json) });
  await finish("t_c2", "COMPLETED", { z: "Z2" });
  await ended(a);
  await record("rerun from the start", "POST", `/workflow/${a}/rerun`, { body: { workflowInput: { x: 3 } } });
  await record("get after rerun from the start", "GET", `/workflow/${a}`, { after: ({ json }) => labelTasks(json) });
  await record("rerun unknown task", "POST", `/workflow/${a}/rerun`, { body: { reRunFromTaskId: nobody } });
  await record("rerun bad body", "POST", `/workflow/${a}/rerun`, { text: "[]" });
  await finish("t_c", "COMPLETED", { y: "Y3" });
  await finish("t_c2", "COMPLETED", { z: "Z3" });
  await ended(a);
  await record("restart", "POST", `/workflow/${a}/restart`);
  await record("get after restart", "GET", `/workflow/${a}`, { after: ({ json }) => labelTasks(json) });
  const b = await start("c", { x: 1 }, {}, "wf_skip");
  await record("skip a task not yet scheduled, no body", "PUT", `/workflow/${b}/skiptask/s2`);
  const bb = await start("c", { x: 1 }, {}, "wf_skip_body");
  await record("skip with a body", "PUT", `/workflow/${bb}/skiptask/s2`, {
    body: { taskInput: { i: 1 }, taskOutput: { z: "skipped" } },
  });
  await send("POST", `/tasks/${bb}/s1/COMPLETED`, { body: { y: 1 } });
  await ended(bb, 4000);
  await recordExecution("execution with a task skipped by a body", bb);
  await record("skip a scheduled task", "PUT", `/workflow/${b}/skiptask/s1`);
  await record("skip unknown reference", "PUT", `/workflow/${b}/skiptask/ghost`);
  await record("get after skip", "GET", `/workflow/${b}`, { after: ({ json }) => labelTasks(json) });
  await send("POST", `/tasks/${b}/s1/COMPLETED`, { body: { y: 1 } });
  await settle(700);
  await recordExecution("execution with a skipped task", b);
  const b2 = await start("c", { x: 1 }, {}, "wf_skip2");
  await record(
    "skip with query parameters",
    "PUT",
    `/workflow/${b2}/skiptask/s2?taskOutput%5Bz%5D=q&taskInput%5Bi%5D=2`,
  );
  await send("POST", `/tasks/${b2}/s1/COMPLETED`, { body: { y: 1 } });
  await settle(700);
  await recordExecution("execution with a task skipped by query parameters", b2);
  const n = await start("c_nores", {}, {}, "wf_not_restartable");
  await ended(n);
  await record("restart not restartable", "POST", `/workflow/${n}/restart`);
  await record("retry completed without tasks to retry", "POST", `/workflow/${n}/retry`);
  const r = await start("c", {}, {}, "wf_reset");
  const rt = await take("t_c");
  await send("POST", "/tasks", { body: result(rt, "IN_PROGRESS", {}, { callbackAfterSeconds: 3600 }) });
  await record("resetcallbacks", "POST", `/workflow/${r}/resetcallbacks`);
  await settle(300);
  await record("poll after resetcallbacks", "GET", `/tasks/poll/${name("t_c")}?workerid=w1`, {
    after: ({ json }) => label((json as WireTask | undefined)?.taskId, "task:s1 of wf_reset"),
  });
  await record("remove", "DELETE", `/workflow/${n}/remove`);
  await record("get removed", "GET", `/workflow/${n}`);
  await record("remove again", "DELETE", `/workflow/${n}/remove`);
  const m = await start("c", {}, {}, "wf_rm2");
  await send("DELETE", `/workflow/${m}`);
  await record("remove without archive", "DELETE", `/workflow/${m}/remove?archiveWorkflow=false`);
  await record("get removed without archive", "GET", `/workflow/${m}`);
  const k = await start("c", {}, {}, "wf_tr");
  await record("terminate-remove", "DELETE", `/workflow/${k}/terminate-remove?reason=bye&archiveWorkflow=false`);
  await record("get after terminate-remove", "GET", `/workflow/${k}`);
  const p = await start("c_parent", {}, {}, "wf_parent");
  const sub = await child(p);
  label(sub, "wf_child");
  await record("pause parent", "PUT", `/workflow/${p}/pause`);
  await settle(300);
  await record("child of a paused parent", "GET", `/workflow/${sub}?includeTasks=false`);
  await send("PUT", `/workflow/${p}/resume`);
  await record("terminate parent", "DELETE", `/workflow/${p}?reason=cascade`);
  await ended(sub);
  await recordExecution("child after terminate of parent", sub);
  await recordExecution("parent after terminate", p);
  for (const [method, path] of [
    ["PUT", "/pause"],
    ["PUT", "/resume"],
    ["POST", "/restart"],
    ["POST", "/retry"],
    ["PUT", "/skiptask/x"],
    ["POST", "/resetcallbacks"],
    ["DELETE", ""],
    ["DELETE", "/remove"],
    ["DELETE", "/terminate-remove"],
  ] as const)
    await record(`unknown id: ${method} ${path}`, method, `/workflow/${nobody}${path}`);
  await record("unknown id: rerun", "POST", `/workflow/${nobody}/rerun`, { body: {} });
  await record("unknown id: decide", "PUT", `/workflow/decide/${nobody}`);
}
