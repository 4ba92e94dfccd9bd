import type { Session } from "../recorder/session.ts";

export async function metadataTaskdefs({
  name,
  normal,
  prefix,
  record,
  registerTasks,
  taskDef,
}: Session): Promise<void> {
  // There from the start: the list shows it too.
  await registerTasks(taskDef("t_meta"));
  await record("create array", "POST", "/metadata/taskdefs", {
    body: [
      taskDef("td1", {
        retryCount: 2,
        retryLogic: "EXPONENTIAL_BACKOFF",
        retryDelaySeconds: 4,
        inputKeys: ["a"],
        outputKeys: ["b"],
        inputTemplate: { k: "v" },
        concurrentExecLimit: 3,
        rateLimitPerFrequency: 10,
        rateLimitFrequencyInSeconds: 5,
        pollTimeoutSeconds: 100,
        backoffScaleFactor: 2,
      }),
    ],
  });
  await record("create minimal", "POST", "/metadata/taskdefs", { body: [{ name: name("td_min") }] });
  await record("get minimal: shows defaults", "GET", `/metadata/taskdefs/${name("td_min")}`);
  await record("get full", "GET", `/metadata/taskdefs/${name("td1")}`);
  await record("create again (same name)", "POST", "/metadata/taskdefs", { body: [taskDef("td1")] });
  await record("get after create again", "GET", `/metadata/taskdefs/${name("td1")}`);
  await record("update", "PUT", "/metadata/taskdefs", { body: taskDef("td1", { description: "changed" }) });
  await record("get after update", "GET", `/metadata/taskdefs/${name("td1")}`);
  await record("update unknown", "PUT", "/metadata/taskdefs", { body: taskDef("td_unknown") });
  await record("get unknown", "GET", `/metadata/taskdefs/${name("td_none")}`);
  await record("list", "GET", "/metadata/taskdefs", {
    shape: ({ json }) => normal((json as { name: string }[]).filter((def) => def.name.startsWith(prefix))),
  });
  const bad: Record<string, unknown> = {
    "no name": { retryCount: 1 },
    "empty name": { name: "" },
    "negative retry": taskDef("b", { retryCount: -1 }),
    "negative timeout": taskDef("b", { timeoutSeconds: -5 }),
    "response timeout 0": taskDef("b", { responseTimeoutSeconds: 0 }),
    "response timeout above timeout": taskDef("b", { timeoutSeconds: 10, responseTimeoutSeconds: 20 }),
    "bad retry logic": taskDef("b", { retryLogic: "SOMETIMES" }),
    "bad timeout policy": taskDef("b", { timeoutPolicy: "NEVER" }),
    "bad email": taskDef("b", { ownerEmail: "x" }),
    "negative concurrent limit": taskDef("b", { concurrentExecLimit: -1 }),
    "negative poll timeout": taskDef("b", { pollTimeoutSeconds: -1 }),
    "backoff scale 0": taskDef("b", { backoffScaleFactor: 0 }),
    "unknown field": taskDef("b", { nothing: 1 }),
    "retry count text": taskDef("b", { retryCount: "abc" }),
    "name with colon": taskDef("a:b"),
    "total timeout below timeout": taskDef("b", {
      timeoutSeconds: 100,
      totalTimeoutSeconds: 10,
      responseTimeoutSeconds: 5,
    }),
    "retry count 11": taskDef("b", { retryCount: 11 }),
    "negative rate limit": taskDef("b", { rateLimitPerFrequency: -1 }),
    "no owner email": { name: name("b_noemail"), retryCount: 1 },
  };
  for (const [what, def] of Object.entries(bad))
    await record(`create: ${what}`, "POST", "/metadata/taskdefs", { body: [def] });
  for (const what of ["no name", "negative timeout", "bad retry logic", "response timeout above timeout"])
    await record(`update: ${what}`, "PUT", "/metadata/taskdefs", { body: bad[what] });
  await record("create: object instead of array", "POST", "/metadata/taskdefs", { body: taskDef("obj") });
  await record("create: empty array", "POST", "/metadata/taskdefs", { body: [] });
  await record("create: malformed", "POST", "/metadata/taskdefs", { text: "[{" });
  await record("delete", "DELETE", `/metadata/taskdefs/${name("td1")}`);
  await record("delete again", "DELETE", `/metadata/taskdefs/${name("td1")}`);
}
