import { entry, type Session } from "../recorder/session.ts";

export async function workflowSearch({
  ended,
  name,
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
  await registerTasks(taskDef("t_se"));
  await register(workflow("se_a", [simple("t_se", "s1", { x: 1 })]), workflow("se_b", [entry("NOOP", "n")]));
  const ids: string[] = [];
  for (let i = 0; i < 3; i++)
    ids.push(await start("se_a", { i }, { correlationId: name(`cs${i}`), priority: i }, `a${i}`));
  for (let i = 0; i < 2; i++) ids.push(await start("se_b", { i }, {}, `b${i}`));
  await ended(String(ids[4]));
  await send("DELETE", `/workflow/${ids[0]}?reason=because`);
  await settle(2500);
  const q = encodeURIComponent;
  const search = (what: string, query: string, path = "/workflow/search") => record(what, "GET", `${path}?${query}`);
  await search("by type", `query=${q(`workflowType='${name("se_a")}'`)}`);
  await search("by type, no quotes", `query=${q(`workflowType=${name("se_a")}`)}`);
  await search("by type, double quotes", `query=${q(`workflowType="${name("se_a")}"`)}`);
  await search("by type and status", `query=${q(`workflowType='${name("se_a")}' AND status='RUNNING'`)}`);
  await search("status IN", `query=${q(`workflowType='${name("se_a")}' AND status IN (RUNNING,TERMINATED)`)}`);
  await search("type IN", `query=${q(`workflowType IN (${name("se_a")},${name("se_b")})`)}&sort=${q("startTime:ASC")}`);
  await search(
    "startTime greater",
    `query=${q(`workflowType='${name("se_a")}' AND startTime>${Date.now() - 600000}`)}`,
  );
  await search("startTime less", `query=${q(`workflowType='${name("se_a")}' AND startTime<1000`)}`);
  await search("by correlation id", `query=${q(`correlationId='${name("cs1")}'`)}`);
  await search("by workflow id", `query=${q(`workflowId='${ids[1]}'`)}`);
  await search("sort by startTime ASC", `query=${q(`workflowType='${name("se_a")}'`)}&sort=${q("startTime:ASC")}`);
  await search("sort by startTime DESC", `query=${q(`workflowType='${name("se_a")}'`)}&sort=${q("startTime:DESC")}`);
  await search("sort without order", `query=${q(`workflowType='${name("se_a")}'`)}&sort=startTime`);
  await search("sort by unknown field", `query=${q(`workflowType='${name("se_a")}'`)}&sort=${q("zzz:ASC")}`);
  await search(
    "page start=1 size=1",
    `query=${q(`workflowType='${name("se_a")}'`)}&start=1&size=1&sort=${q("startTime:ASC")}`,
  );
  await search("size 0", `query=${q(`workflowType='${name("se_a")}'`)}&size=0`);
  await search("size too big", `query=${q(`workflowType='${name("se_a")}'`)}&size=6000`);
  await search("free text term", `freeText=${name("cs1")}`);
  await search("free text star with query", `freeText=*&query=${q(`workflowType='${name("se_b")}'`)}`);
  await search("query unknown field", `query=${q("nofield='x'")}`);
  await search("query malformed", `query=${q("workflowType=='x' AND")}`);
  await search("query no result", `query=${q("workflowType='none_at_all'")}`);
  await search(
    "search-v2",
    `query=${q(`workflowType='${name("se_b")}'`)}&sort=${q("startTime:ASC")}`,
    "/workflow/search-v2",
  );
  await search("search-by-tasks", `query=${q(`workflowType='${name("se_a")}'`)}`, "/workflow/search-by-tasks");
  await search("search-by-tasks-v2", `query=${q(`workflowType='${name("se_a")}'`)}`, "/workflow/search-by-tasks-v2");
  await search("tasks search by type", `query=${q(`taskType='${name("t_se")}'`)}`, "/tasks/search");
  await search(
    "tasks search by status",
    `query=${q(`taskType='${name("t_se")}' AND status='SCHEDULED'`)}`,
    "/tasks/search",
  );
  await search("tasks search by workflow type", `query=${q(`workflowType='${name("se_a")}'`)}`, "/tasks/search");
  await search("tasks search-v2", `query=${q(`taskType='${name("t_se")}'`)}`, "/tasks/search-v2");
  await search("tasks search free text", `freeText=${name("t_se")}`, "/tasks/search");
  await search("bad size type", "size=abc");
}
