import { nobody, type Session } from "../recorder/session.ts";

export async function workflowBulk({
  normal,
  record,
  register,
  registerTasks,
  send,
  simple,
  start,
  taskDef,
  workflow,
}: Session): Promise<void> {
  await registerTasks(taskDef("t_b"));
  await register(workflow("b", [simple("t_b", "s1")]));
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push(await start("b", {}, {}, `b${i}`));
  const all = [...ids, nobody];
  await record("pause", "PUT", "/workflow/bulk/pause", { body: all });
  await record("pause again", "PUT", "/workflow/bulk/pause", { body: all });
  await record("resume", "PUT", "/workflow/bulk/resume", { body: all });
  await record("resume again", "PUT", "/workflow/bulk/resume", { body: all });
  await record("restart running", "POST", "/workflow/bulk/restart", { body: all });
  await record("retry running", "POST", "/workflow/bulk/retry", { body: all });
  await record("search", "POST", "/workflow/bulk/search?includeTasks=false", { body: [ids[0], nobody] });
  await record("terminate", "POST", "/workflow/bulk/terminate?reason=bulk", { body: all });
  await record("terminate again", "POST", "/workflow/bulk/terminate", { body: all });
  await record("retry terminated", "POST", "/workflow/bulk/retry", { body: [ids[0], nobody] });
  await send("DELETE", `/workflow/${ids[0]}`);
  await record("restart terminated", "POST", "/workflow/bulk/restart?useLatestDefinitions=true", {
    body: [ids[1], nobody],
  });
  await send("DELETE", `/workflow/${ids[1]}`);
  await record("remove", "DELETE", "/workflow/bulk/remove?archiveWorkflow=false", { body: [ids[0], nobody] });
  await record("terminate-remove", "DELETE", "/workflow/bulk/terminate-remove?archiveWorkflow=false&reason=x", {
    body: [ids[1], nobody],
  });
  await record("empty list", "PUT", "/workflow/bulk/pause", { body: [] });
  await record("null list", "PUT", "/workflow/bulk/pause", { text: "null" });
  await record("no body", "PUT", "/workflow/bulk/pause", {});
  await record("object body", "PUT", "/workflow/bulk/pause", { body: { a: 1 } });
  await record("too many ids", "PUT", "/workflow/bulk/pause", {
    body: Array.from({ length: 1001 }, (_, i) => `id${i}`),
    shape: ({ status, json }) => ({ body: status === 200 ? "<200>" : normal(json) }),
  });
}
