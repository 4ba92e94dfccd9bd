import type { WireTask } from "../../support/client.ts";
import { nobody, result, type Session, sleep } from "../recorder/session.ts";

export async function tasksPollUpdate({
  ended,
  label,
  labelTask,
  labelTasks,
  name,
  patience,
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
  await registerTasks(taskDef("t_po"), taskDef("t_po2"), taskDef("t_dom"), taskDef("t_po3"));
  await register(
    workflow(
      "po",
      [
        simple("t_po", "s1", { x: "${workflow.input.x}", nested: { a: ["${workflow.input.x}", 2] } }),
        simple("t_po2", "s2", { y: "${s1.output.y}" }),
      ],
      { outputParameters: { z: "${s2.output.z}" } },
    ),
    workflow("po_dom", [simple("t_dom", "d1")]),
    workflow("po3", [simple("t_po3", "a")]),
  );
  await record("poll: nothing queued", "GET", `/tasks/poll/${name("t_po")}?workerid=w1`);
  await record("poll: unknown type", "GET", `/tasks/poll/${name("t_unknown")}`);
  await record(
    "batch poll: nothing queued",
    "GET",
    `/tasks/poll/batch/${name("t_po")}?count=3&timeout=100&workerid=w1`,
  );
  const id = await start("po", { x: "X" }, {}, "wf");
  await settle(200);
  const polled = await record("poll: one task", "GET", `/tasks/poll/${name("t_po")}?workerid=w1`, {
    after: ({ json }) => labelTask(json as WireTask),
  });
  const t = polled.json as WireTask;
  await record("poll again: nothing", "GET", `/tasks/poll/${name("t_po")}?workerid=w1`);
  await record("get task", "GET", `/tasks/${t.taskId}`);
  await record("get unknown task", "GET", `/tasks/${nobody}`);
  await record("log: none yet", "GET", `/tasks/${t.taskId}/log`);
  await record("log: add", "POST", `/tasks/${t.taskId}/log`, { text: "hello log", contentType: "text/plain" });
  await record("log: add as JSON string", "POST", `/tasks/${t.taskId}/log`, { text: '"hello json"' });
  await record("log: empty body", "POST", `/tasks/${t.taskId}/log`, { text: "", contentType: "text/plain" });
  await settle(1200);
  await record("log: get", "GET", `/tasks/${t.taskId}/log`);
  await record("log: unknown task add", "POST", `/tasks/${nobody}/log`, { text: "x", contentType: "text/plain" });
  await record("log: unknown task get", "GET", "/tasks/00000000-0000-4000-8000-000000000001/log");
  await record("update IN_PROGRESS with callback", "POST", "/tasks", {
    body: result(t, "IN_PROGRESS", { p: 1 }, { callbackAfterSeconds: 1 }),
  });
  await record("get task after IN_PROGRESS", "GET", `/tasks/${t.taskId}`);
  await record("poll before callback time", "GET", `/tasks/poll/${name("t_po")}?workerid=w1`);
  // The callback's second, and a little: the poll itself waits for 100 ms.
  await sleep(patience(1800, 1000));
  await record("poll after callback time", "GET", `/tasks/poll/${name("t_po")}?workerid=w2`);
  await record("extend lease", "POST", "/tasks", { body: result(t, "IN_PROGRESS", {}, { extendLease: true }) });
  await record("update with logs, COMPLETED", "POST", "/tasks", {
    body: result(t, "COMPLETED", { y: "Y" }, { logs: [{ log: "from result", createdTime: 1700000000000 }] }),
  });
  await record("update again after COMPLETED", "POST", "/tasks", { body: result(t, "COMPLETED", { y: "again" }) });
  await record("get task after completion", "GET", `/tasks/${t.taskId}`);
  await untilTask(id, "s2", "SCHEDULED");
  await start("po", { x: "X2" }, {}, "wf2");
  const t1b = await take("t_po");
  const batch = await record(
    "batch poll: returns the waiting task",
    "GET",
    `/tasks/poll/batch/${name("t_po2")}?count=5&timeout=300&workerid=w9`,
    {
      after: ({ json }) => {
        for (const task of json as WireTask[]) labelTask(task);
      },
    },
  );
  const [t2] = batch.json as WireTask[];
  await record("update-v2: none queued of that type", "POST", "/tasks/update-v2", {
    body: result(t2, "COMPLETED", { z: "Z" }),
  });
  await ended(id);
  await recordExecution("finished execution", id);
  const id3 = await start("po", { x: "X3" }, {}, "wf3");
  await settle(300);
  await record("update-v2: returns the next task", "POST", "/tasks/update-v2", {
    body: result(t1b, "COMPLETED", { y: 1 }),
    after: ({ json }) => label((json as WireTask | undefined)?.taskId, "task:s1 of wf3"),
  });
  await record("update-v2: IN_PROGRESS", "POST", "/tasks/update-v2", {
    body: result(await take("t_po2"), "IN_PROGRESS", {}, { callbackAfterSeconds: 60 }),
  });
  const bogus = { workflowInstanceId: id, taskId: nobody, status: "COMPLETED" };
  await record("update unknown task", "POST", "/tasks", { body: bogus });
  await record("update-v2 unknown task", "POST", "/tasks/update-v2", { body: bogus });
  await record("update without task id", "POST", "/tasks", { body: { workflowInstanceId: id, status: "COMPLETED" } });
  await record("update without workflow id", "POST", "/tasks", { body: { taskId: t.taskId, status: "COMPLETED" } });
  await record("update-v2 without workflow id", "POST", "/tasks/update-v2", {
    body: { taskId: t.taskId, status: "COMPLETED" },
  });
  await record("update without status", "POST", "/tasks", { body: { workflowInstanceId: id3, taskId: t1b.taskId } });
  await record("update unknown status", "POST", "/tasks", {
    body: { workflowInstanceId: id3, taskId: t1b.taskId, status: "DONE" },
  });
  await record("update status TIMED_OUT", "POST", "/tasks", {
    body: { workflowInstanceId: id3, taskId: t1b.taskId, status: "TIMED_OUT" },
  });
  await record("update unknown workflow id", "POST", "/tasks", {
    body: { workflowInstanceId: "00000000-0000-4000-8000-000000000009", taskId: t1b.taskId, status: "COMPLETED" },
  });
  await record("update empty object", "POST", "/tasks", { body: {} });
  await record("update malformed", "POST", "/tasks", { text: '{"a"' });
  await record("update with unknown fields", "POST", "/tasks", { body: { ...result(t, "COMPLETED"), foo: 1 } });
  const idr = await start("po3", {}, {}, "wf_ref");
  await settle(300);
  await record("by reference: IN_PROGRESS", "POST", `/tasks/${idr}/a/IN_PROGRESS?workerid=w5`, { body: { step: 1 } });
  await record("by reference: unknown reference", "POST", `/tasks/${idr}/ghost/COMPLETED`, { body: {} });
  await record("by reference: unknown workflow", "POST", `/tasks/${nobody}/a/COMPLETED`, { body: {} });
  await record("by reference: bad status", "POST", `/tasks/${idr}/a/DONE`, { body: {} });
  // On an execution of its own: a server that takes no body for an empty one has nothing left to complete afterwards.
  const without = await start("po3", {}, {}, "wf_ref");
  await record("by reference: no body", "POST", `/tasks/${without}/a/COMPLETED`);
  await send("DELETE", `/workflow/${without}`);
  await record("by reference: COMPLETED", "POST", `/tasks/${idr}/a/COMPLETED?workerid=w5`, { body: { out: 1 } });
  await ended(idr);
  await recordExecution("by reference: finished", idr);
  await record("by reference: after completion", "POST", `/tasks/${idr}/a/COMPLETED`, { body: {} });
  const ids = await start("po3", {}, {}, "wf_sync");
  await settle(300);
  await record("by reference sync", "POST", `/tasks/${ids}/a/COMPLETED/sync?workerid=w6`, {
    body: { out: 2 },
    after: ({ json }) => labelTasks(json),
  });
  await record("by reference sync: nothing to update", "POST", `/tasks/${ids}/a/COMPLETED/sync`, { body: {} });
  await start("po_dom", {}, { taskToDomain: { [name("t_dom")]: "blue" } }, "wf_dom");
  await settle(300);
  await record("poll without domain", "GET", `/tasks/poll/${name("t_dom")}?workerid=w1`);
  await record("poll with domain", "GET", `/tasks/poll/${name("t_dom")}?workerid=w1&domain=blue`, {
    after: ({ json }) => label((json as WireTask | undefined)?.taskId, "task:d1"),
  });
  const idf = await start("po3", {}, {}, "wf_fail");
  const tf = await take("t_po3");
  await record("update FAILED with long reason", "POST", "/tasks", {
    body: result(tf, "FAILED", { e: 1 }, { reasonForIncompletion: "r".repeat(600) }),
  });
  await ended(idf);
  await recordExecution("failed execution", idf);
  await record("batch poll count 0", "GET", `/tasks/poll/batch/${name("t_po")}?count=0`);
  await record("batch poll bad count", "GET", `/tasks/poll/batch/${name("t_po")}?count=x`);
  await record("batch poll timeout too long", "GET", `/tasks/poll/batch/${name("t_po")}?count=1&timeout=6000`);
  await record("batch poll empty waits for timeout", "GET", `/tasks/poll/batch/${name("t_po")}?count=1&timeout=900`, {
    timed: (ms) => ({ about900ms: ms >= 600, ms: ms >= 600 ? ">=600" : "<600" }),
  });
}
