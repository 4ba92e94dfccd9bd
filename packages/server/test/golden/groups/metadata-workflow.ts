import { type Answer, entry, type Session } from "../recorder/session.ts";

export async function metadataWorkflow({
  name,
  normal,
  prefix,
  record,
  registerTasks,
  simple,
  taskDef,
  workflow,
}: Session): Promise<void> {
  const first = workflow("meta1", [simple("t_meta", "s1", { x: "${workflow.input.x}" })], {
    description: "first",
    inputParameters: ["x"],
    outputParameters: { y: "${s1.output.y}" },
    metadata: { classifier: "X" },
  });
  await registerTasks(taskDef("t_meta"));
  await record("create", "POST", "/metadata/workflow", { body: first });
  await record("create again: conflict", "POST", "/metadata/workflow", { body: first });
  await record("create again with overwrite", "POST", "/metadata/workflow?overwrite=true", { body: first });
  await record("create version 2", "POST", "/metadata/workflow", {
    body: { ...first, version: 2, description: "second" },
  });
  await record("create minimal, defaults filled", "POST", "/metadata/workflow", {
    body: { name: name("meta_min"), tasks: [{ name: name("t_meta"), taskReferenceName: "a", type: "SIMPLE" }] },
  });
  await record("get minimal: shows defaults", "GET", `/metadata/workflow/${name("meta_min")}`);
  await record("get latest", "GET", `/metadata/workflow/${name("meta1")}`);
  await record("get version 1", "GET", `/metadata/workflow/${name("meta1")}?version=1`);
  await record("get version 9: missing", "GET", `/metadata/workflow/${name("meta1")}?version=9`);
  await record("get unknown name", "GET", `/metadata/workflow/${name("nope")}`);
  await record("get bad version type", "GET", `/metadata/workflow/${name("meta1")}?version=abc`);
  const mine = ({ json }: Answer) => ({
    note: "filtered to this run",
    count: "n",
    items: normal((json as { name: string }[]).filter((def) => def.name.startsWith(prefix))),
  });
  await record("list all", "GET", "/metadata/workflow", { shape: mine });
  await record("list names", "GET", "/metadata/workflow/names", {
    shape: ({ json }) => normal((json as string[]).filter((own) => own.startsWith(prefix))),
  });
  await record("names and versions", "GET", "/metadata/workflow/names-and-versions", {
    shape: ({ json }) =>
      normal(Object.fromEntries(Object.entries(json as object).filter(([own]) => own.startsWith(prefix)))),
  });
  await record("latest versions", "GET", "/metadata/workflow/latest-versions", { shape: mine });
  await record("versions of a name", "GET", `/metadata/workflow/${name("meta1")}/versions`);
  await record("list by classifier", "GET", "/metadata/workflow?classifier=X", { shape: mine });
  await record("bulk put", "PUT", "/metadata/workflow", {
    body: [{ ...first, version: 3 }, workflow("meta2", [entry("NOOP", "n1")])],
  });
  await record("bulk put with one invalid", "PUT", "/metadata/workflow", {
    body: [
      { ...first, version: 4 },
      { name: name("meta_bad"), version: 1, tasks: [] },
    ],
  });
  await record("bulk put empty array", "PUT", "/metadata/workflow", { body: [] });
  await record("bulk put object instead of array", "PUT", "/metadata/workflow", { body: first });
  await record("validate ok", "POST", "/metadata/workflow/validate", { body: workflow("val1", [entry("NOOP", "n1")]) });
  const bad: Record<string, unknown> = {
    "no name": { version: 1, schemaVersion: 2, ownerEmail: "owner@example.com", tasks: [entry("NOOP", "n")] },
    "empty name": workflow("x", [entry("NOOP", "n")], { name: "" }),
    "no tasks": { name: name("v"), version: 1, schemaVersion: 2, ownerEmail: "owner@example.com" },
    "empty tasks": workflow("v", []),
    "bad owner email": workflow("v", [entry("NOOP", "n")], { ownerEmail: "not-an-email" }),
    "empty owner email": workflow("v", [entry("NOOP", "n")], { ownerEmail: "" }),
    "missing owner email": { name: name("v"), version: 1, tasks: [entry("NOOP", "n")] },
    "schema version 1": workflow("v", [entry("NOOP", "n")], { schemaVersion: 1 }),
    "schema version 3": workflow("v", [entry("NOOP", "n")], { schemaVersion: 3 }),
    "duplicate reference": workflow("v", [entry("NOOP", "n"), entry("NOOP", "n")]),
    "task without reference": workflow("v", [{ name: "a", type: "NOOP" }]),
    "task without name": workflow("v", [{ taskReferenceName: "a", type: "NOOP" }]),
    "task without type": workflow("v", [{ name: name("t_meta"), taskReferenceName: "a" }]),
    "simple task without definition": workflow("v", [simple("t_unregistered", "a")]),
    "unknown task type": workflow("v", [entry("WHATEVER", "a")]),
    "name with colon": workflow("v", [entry("NOOP", "n")], { name: name("a:b") }),
    "name with space": workflow("v", [entry("NOOP", "n")], { name: name("a b") }),
    "negative timeout": workflow("v", [entry("NOOP", "n")], { timeoutSeconds: -1 }),
    "bad timeout policy": workflow("v", [entry("NOOP", "n")], { timeoutPolicy: "SOMETHING" }),
    "expression names unknown ref": workflow("v", [
      entry("INLINE", "i", { inputParameters: { evaluatorType: "graaljs", expression: "1", x: "${ghost.output.y}" } }),
    ]),
    "expression bare name": workflow("v", [
      entry("INLINE", "i", { inputParameters: { evaluatorType: "graaljs", expression: "1", x: "${name}" } }),
    ]),
    "expression with space": workflow("v", [
      entry("INLINE", "i", { inputParameters: { evaluatorType: "graaljs", expression: "1", x: "${bad name.output}" } }),
    ]),
    "expression empty": workflow("v", [
      entry("INLINE", "i", { inputParameters: { evaluatorType: "graaljs", expression: "1", x: "${}" } }),
    ]),
    "output parameters unknown ref": workflow("v", [entry("NOOP", "n")], {
      outputParameters: { a: "${ghost.output.x}" },
    }),
    "event without sink": workflow("v", [entry("EVENT", "e")]),
    "decision without cases": workflow("v", [entry("DECISION", "d", { caseValueParam: "x" })]),
    "switch without cases": workflow("v", [
      entry("SWITCH", "d", { evaluatorType: "value-param", expression: "x", inputParameters: { x: 1 } }),
    ]),
    "switch without evaluator": workflow("v", [
      entry("SWITCH", "d", { expression: "x", inputParameters: { x: 1 }, decisionCases: { a: [entry("NOOP", "n")] } }),
    ]),
    "switch with unknown evaluator": workflow("v", [
      entry("SWITCH", "d", {
        evaluatorType: "zzz",
        expression: "x",
        inputParameters: { x: 1 },
        decisionCases: { a: [entry("NOOP", "n")] },
      }),
    ]),
    "switch without expression": workflow("v", [
      entry("SWITCH", "d", {
        evaluatorType: "value-param",
        inputParameters: { x: 1 },
        decisionCases: { a: [entry("NOOP", "n")] },
      }),
    ]),
    "do while without condition": workflow("v", [entry("DO_WHILE", "d", { loopOver: [entry("NOOP", "n")] })]),
    "do while without loopOver": workflow("v", [entry("DO_WHILE", "d", { loopCondition: "true" })]),
    "inline without expression": workflow("v", [
      entry("INLINE", "i", { inputParameters: { evaluatorType: "graaljs" } }),
    ]),
    "inline without evaluator": workflow("v", [entry("INLINE", "i", { inputParameters: { expression: "1" } })]),
    "http without request": workflow("v", [entry("HTTP", "h")]),
    "http without uri": workflow("v", [entry("HTTP", "h", { inputParameters: { http_request: { method: "GET" } } })]),
    "http without method": workflow("v", [
      entry("HTTP", "h", { inputParameters: { http_request: { uri: "http://x" } } }),
    ]),
    "jq without expression": workflow("v", [entry("JSON_JQ_TRANSFORM", "j", { inputParameters: { a: 1 } })]),
    "wait both duration and until": workflow("v", [
      entry("WAIT", "w", { inputParameters: { duration: "1s", until: "2030-01-01" } }),
    ]),
    "wait bad duration": workflow("v", [entry("WAIT", "w", { inputParameters: { duration: "soon" } })]),
    "sub workflow without param": workflow("v", [entry("SUB_WORKFLOW", "s")]),
    "sub workflow without name": workflow("v", [entry("SUB_WORKFLOW", "s", { subWorkflowParam: { version: 1 } })]),
    "start workflow without param": workflow("v", [entry("START_WORKFLOW", "s")]),
    "fork without join": workflow("v", [
      entry("FORK_JOIN", "f", { forkTasks: [[entry("NOOP", "a")], [entry("NOOP", "b")]] }),
    ]),
    "fork without branches": workflow("v", [entry("FORK_JOIN", "f"), entry("JOIN", "j", { joinOn: [] })]),
    "join on unknown": workflow("v", [
      entry("FORK_JOIN", "f", { forkTasks: [[entry("NOOP", "a")]] }),
      entry("JOIN", "j", { joinOn: ["ghost"] }),
    ]),
    "join alone": workflow("v", [entry("JOIN", "j", { joinOn: [] })]),
    "dynamic without param": workflow("v", [entry("DYNAMIC", "d")]),
    "dynamic fork without params": workflow("v", [entry("FORK_JOIN_DYNAMIC", "f"), entry("JOIN", "j")]),
    "dynamic fork without input param": workflow("v", [
      entry("FORK_JOIN_DYNAMIC", "f", { dynamicForkTasksParam: "dt" }),
      entry("JOIN", "j"),
    ]),
    "dynamic fork without join": workflow("v", [
      entry("FORK_JOIN_DYNAMIC", "f", {
        dynamicForkTasksParam: "dt",
        dynamicForkTasksInputParamName: "di",
        inputParameters: { dt: [], di: {} },
      }),
    ]),
    "terminate without status": workflow("v", [entry("TERMINATE", "t")]),
    "terminate bad status": workflow("v", [
      entry("TERMINATE", "t", { inputParameters: { terminationStatus: "MAYBE" } }),
    ]),
    "set variable without input": workflow("v", [entry("SET_VARIABLE", "s")]),
    "kafka without request": workflow("v", [entry("KAFKA_PUBLISH", "k")]),
    "negative start delay": workflow("v", [entry("NOOP", "n", { startDelay: -3 })]),
    "exclusive join alone": workflow("v", [entry("EXCLUSIVE_JOIN", "e", { joinOn: ["x"] })]),
    "several errors at once": {
      version: 1,
      schemaVersion: 9,
      ownerEmail: "zz",
      tasks: [{ type: "NOOP" }, entry("DYNAMIC", "d"), entry("EVENT", "e")],
    },
    "unknown extra field": workflow("v", [entry("NOOP", "n")], { surprise: 1 }),
    "tasks is a string": { ...workflow("v", []), tasks: "no" },
    "version is a string number": workflow("v", [entry("NOOP", "n")], { version: "3" }),
    "version zero": workflow("v", [entry("NOOP", "n")], { version: 0 }),
    "human ok": workflow("v", [entry("HUMAN", "h")]),
  };
  for (const [what, body] of Object.entries(bad))
    await record(`validate: ${what}`, "POST", "/metadata/workflow/validate", { body });
  for (const what of [
    "no name",
    "empty tasks",
    "duplicate reference",
    "simple task without definition",
    "schema version 1",
    "several errors at once",
    "bad timeout policy",
    "event without sink",
    "unknown task type",
  ])
    await record(`create: ${what}`, "POST", "/metadata/workflow", { body: bad[what] });
  await record("create: empty object", "POST", "/metadata/workflow", { body: {} });
  await record("create: null", "POST", "/metadata/workflow", { text: "null" });
  await record("create: no body", "POST", "/metadata/workflow", { text: "" });
  await record("create: malformed JSON", "POST", "/metadata/workflow", { text: '{"name": "a", ' });
  await record("create: text body type", "POST", "/metadata/workflow", { text: "hello", contentType: "text/plain" });
  await record("delete version 2", "DELETE", `/metadata/workflow/${name("meta1")}/2`);
  await record("delete version 2 again", "DELETE", `/metadata/workflow/${name("meta1")}/2`);
  await record("delete unknown", "DELETE", `/metadata/workflow/${name("nope")}/1`);
  await record("delete without version", "DELETE", `/metadata/workflow/${name("meta1")}`);
  await record("get after delete of 2", "GET", `/metadata/workflow/${name("meta1")}?version=2`);
}
