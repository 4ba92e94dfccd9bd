import type { Answer, Session } from "../recorder/session.ts";

export async function tasksQueue({
  name,
  normal,
  record,
  register,
  registerTasks,
  send,
  settle,
  simple,
  start,
  taskDef,
  workflow,
}: Session): Promise<void> {
  await registerTasks(taskDef("t_q"));
  await register(workflow("q", [simple("t_q", "s1")]));
  await start("q", {}, {}, "wf1");
  await start("q", {}, {}, "wf2");
  await settle(500);
  const mine = ({ json }: Answer) =>
    normal(Object.fromEntries(Object.entries(json as object).filter(([queue]) => queue.includes(name("t_q")))));
  await record("size", "GET", `/tasks/queue/size?taskType=${name("t_q")}`);
  await record("size with domain", "GET", `/tasks/queue/size?taskType=${name("t_q")}&domain=x`);
  await record("size without taskType", "GET", "/tasks/queue/size");
  await record("sizes (deprecated)", "GET", `/tasks/queue/sizes?taskType=${name("t_q")}&taskType=${name("other")}`);
  await record("sizes without type", "GET", "/tasks/queue/sizes");
  await record("all", "GET", "/tasks/queue/all", { shape: mine });
  await record("all verbose", "GET", "/tasks/queue/all/verbose", { shape: mine });
  await record("poll data before poll", "GET", `/tasks/queue/polldata?taskType=${name("t_q")}`);
  await send("GET", `/tasks/poll/${name("t_q")}?workerid=worker-7`);
  await settle(500);
  await record("poll data after poll", "GET", `/tasks/queue/polldata?taskType=${name("t_q")}`);
  await record("poll data all", "GET", "/tasks/queue/polldata/all", {
    shape: ({ json }) =>
      normal((json as { queueName: string }[]).filter(({ queueName }) => queueName.includes(name("t_q")))),
  });
  await record("poll data without type", "GET", "/tasks/queue/polldata");
  await record("size after one poll", "GET", `/tasks/queue/size?taskType=${name("t_q")}`);
  await record("requeue", "POST", `/tasks/queue/requeue/${name("t_q")}`);
  await record("requeue unknown", "POST", `/tasks/queue/requeue/${name("t_nothing")}`);
  await record(
    "task external storage location",
    "GET",
    "/tasks/externalstoragelocation?path=p&operation=WRITE&payloadType=TASK_OUTPUT",
  );
}
