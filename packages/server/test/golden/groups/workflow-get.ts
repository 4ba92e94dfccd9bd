import { entry, nobody, type Session } from "../recorder/session.ts";

export async function workflowGet({
  ended,
  finish,
  labelTasks,
  name,
  record,
  register,
  registerTasks,
  simple,
  start,
  taskDef,
  untilTask,
  workflow,
}: Session): Promise<void> {
  await registerTasks(taskDef("t_get"));
  await register(
    workflow(
      "get",
      [
        simple("t_get", "s1", { x: "${workflow.input.x}" }),
        entry("SET_VARIABLE", "v1", { inputParameters: { seen: "${s1.output.y}" } }),
        simple("t_get", "s2", { z: 1 }),
      ],
      { outputParameters: { y: "${s1.output.y}", v: "${workflow.variables.seen}" }, variables: { seen: "none" } },
    ),
  );
  const id = await start("get", { x: 1 }, { correlationId: name("corr") }, "wf");
  await record("fresh execution", "GET", `/workflow/${id}`, { after: ({ json }) => labelTasks(json) });
  await finish("t_get", "COMPLETED", { y: "why" });
  await untilTask(id, "s2", "SCHEDULED");
  await record("includeTasks=false", "GET", `/workflow/${id}?includeTasks=false`);
  await record("status", "GET", `/workflow/${id}/status`);
  await record(
    "status with output and variables",
    "GET",
    `/workflow/${id}/status?includeOutput=true&includeVariables=true`,
  );
  await record("tasks page", "GET", `/workflow/${id}/tasks`);
  await record("tasks page start=1 count=1", "GET", `/workflow/${id}/tasks?start=1&count=1`);
  await record("tasks by status", "GET", `/workflow/${id}/tasks?status=COMPLETED&status=SCHEDULED`);
  await record("tasks by status lower case", "GET", `/workflow/${id}/tasks?status=completed`);
  await record("tasks by unknown status", "GET", `/workflow/${id}/tasks?status=ZZZ`);
  await record("tasks start beyond", "GET", `/workflow/${id}/tasks?start=50`);
  await record("tasks negative start", "GET", `/workflow/${id}/tasks?start=-1`);
  await record("running by name", "GET", `/workflow/running/${name("get")}`);
  await record("running by name version 2", "GET", `/workflow/running/${name("get")}?version=2`);
  await record(
    "running by name in time window",
    "GET",
    `/workflow/running/${name("get")}?startTime=${Date.now() - 60000}&endTime=${Date.now() + 60000}`,
  );
  await record("running unknown", "GET", `/workflow/running/${name("nope")}`);
  await record("correlated", "GET", `/workflow/${name("get")}/correlated/${name("corr")}`);
  await record("correlated with tasks", "GET", `/workflow/${name("get")}/correlated/${name("corr")}?includeTasks=true`);
  await record("correlated unknown", "GET", `/workflow/${name("get")}/correlated/none`);
  await record("correlated list", "POST", `/workflow/${name("get")}/correlated`, { body: [name("corr"), "none"] });
  await record("correlated list bad body", "POST", `/workflow/${name("get")}/correlated`, { body: { a: 1 } });
  await finish("t_get", "COMPLETED", {});
  await ended(id);
  await record("finished execution", "GET", `/workflow/${id}`);
  await record("finished status", "GET", `/workflow/${id}/status?includeOutput=true&includeVariables=true`);
  await record("correlated after close, default", "GET", `/workflow/${name("get")}/correlated/${name("corr")}`);
  await record(
    "correlated after close, includeClosed",
    "GET",
    `/workflow/${name("get")}/correlated/${name("corr")}?includeClosed=true`,
  );
  for (const p of ["", "/status", "/tasks"]) await record(`unknown id${p}`, "GET", `/workflow/${nobody}${p}`);
  await record("id not a uuid", "GET", "/workflow/zzz");
  await record("bad boolean", "GET", `/workflow/${id}?includeTasks=maybe`);
  await record(
    "external storage location",
    "GET",
    "/workflow/externalstoragelocation?path=p&operation=WRITE&payloadType=WORKFLOW_INPUT",
  );
  await record("external storage location missing parameter", "GET", "/workflow/externalstoragelocation?path=p");
  await record(
    "external storage location bad operation",
    "GET",
    "/workflow/externalstoragelocation?path=p&operation=ZZ&payloadType=WORKFLOW_INPUT",
  );
}
