import { type Answer, entry, type Session } from "../recorder/session.ts";

export async function workflowStart({
  label,
  labelTasks,
  name,
  record,
  register,
  registerTasks,
  simple,
  taskDef,
  workflow,
}: Session): Promise<void> {
  await registerTasks(taskDef("t_st"));
  await register(
    workflow("st", [simple("t_st", "s1", { x: "${workflow.input.x}" })], {
      inputTemplate: { fromTemplate: "yes", x: "template" },
    }),
    { ...workflow("st", [simple("t_st", "s1")]), version: 2 },
  );
  const as =
    (id: string) =>
    ({ status, text }: Answer) => {
      if (status === 200) label(text, id);
    };
  const full = await record("start by request", "POST", "/workflow", {
    body: { name: name("st"), version: 1, input: { x: 1 }, correlationId: name("c1"), priority: 5 },
    after: as("wf1"),
  });
  await record("get started", "GET", `/workflow/${full.text}`, { after: ({ json }) => labelTasks(json) });
  const lat = await record("start latest version (no version)", "POST", "/workflow", {
    body: { name: name("st") },
    after: as("wf2"),
  });
  await record("get latest: version 2", "GET", `/workflow/${lat.text}?includeTasks=false`);
  await record("start by name", "POST", `/workflow/${name("st")}?version=1&correlationId=${name("c2")}&priority=7`, {
    body: { x: 2 },
    after: as("wf3"),
  });
  await record("start by name with accept json", "POST", `/workflow/${name("st")}`, {
    body: {},
    headers: { accept: "application/json" },
    after: as("wf4"),
  });
  await record("start by request with accept json", "POST", "/workflow", {
    body: { name: name("st") },
    headers: { accept: "application/json" },
    after: as("wf5"),
  });
  await record("start unknown name", "POST", "/workflow", { body: { name: name("nope") } });
  await record("start unknown version", "POST", "/workflow", { body: { name: name("st"), version: 77 } });
  await record("start by unknown name in path", "POST", `/workflow/${name("nope")}`, { body: {} });
  await record("start without name", "POST", "/workflow", { body: { input: {} } });
  await record("start empty body object", "POST", "/workflow", { body: {} });
  await record("start no body", "POST", "/workflow", { text: "" });
  await record("start malformed", "POST", "/workflow", { text: "{" });
  await record("start array body", "POST", "/workflow", { text: "[]" });
  await record("start wrong content type", "POST", "/workflow", { text: "{}", contentType: "application/xml" });
  await record("start no content type", "POST", "/workflow", {
    text: JSON.stringify({ name: name("st") }),
    contentType: "application/octet-stream",
  });
  await record("start by name with no body", "POST", `/workflow/${name("st")}`, {});
  await record("start by name with array body", "POST", `/workflow/${name("st")}`, { text: "[1]" });
  await record("start priority too big", "POST", "/workflow", {
    body: { name: name("st"), priority: 100 },
    after: as("wf6"),
  });
  await record("start priority negative", "POST", "/workflow", { body: { name: name("st"), priority: -1 } });
  await record("start input not a map", "POST", "/workflow", { body: { name: name("st"), input: "x" } });
  await record("start null input", "POST", "/workflow", { body: { name: name("st"), input: null }, after: as("wf7") });
  await record("start unknown field", "POST", "/workflow", { body: { name: name("st"), zzz: 1 }, after: as("wf8") });
  await record("start with inline definition", "POST", "/workflow", {
    body: {
      name: name("inline"),
      workflowDef: workflow("inline", [entry("NOOP", "n1")], { outputParameters: { a: "${workflow.input.a}" } }),
      input: { a: 9 },
    },
    after: as("wf_inline"),
  });
  await record("start with invalid inline definition", "POST", "/workflow", {
    body: { name: name("inline2"), workflowDef: { name: name("inline2"), version: 1, tasks: [] } },
  });
  for (const strategy of ["FAIL", "RETURN_EXISTING", "FAIL_ON_RUNNING"]) {
    await record(`idempotency ${strategy}: first`, "POST", "/workflow", {
      body: { name: name("st"), idempotencyKey: name(`k${strategy}`), idempotencyStrategy: strategy },
      after: as(`wf_idem_${strategy}`),
    });
    await record(`idempotency ${strategy}: second`, "POST", "/workflow", {
      body: { name: name("st"), idempotencyKey: name(`k${strategy}`), idempotencyStrategy: strategy },
      after: as(`wf_idem2_${strategy}`),
    });
  }
  await record("idempotency unknown strategy", "POST", "/workflow", {
    body: { name: name("st"), idempotencyKey: "k", idempotencyStrategy: "ZZZ" },
  });
  const inDomain = await record("start with createdBy and taskToDomain", "POST", "/workflow", {
    body: { name: name("st"), version: 1, createdBy: "me", taskToDomain: { "*": "dom1" } },
    after: as("wf_dom"),
  });
  await record("get domain execution", "GET", `/workflow/${inDomain.text}`, { after: ({ json }) => labelTasks(json) });
}
