import { entry, type Session } from "../recorder/session.ts";

export async function workflowTest({
  name,
  record,
  register,
  registerTasks,
  simple,
  taskDef,
  workflow,
}: Session): Promise<void> {
  await registerTasks(taskDef("t_tst"), taskDef("t_tst2"));
  const def = workflow(
    "tst",
    [
      simple("t_tst", "a", { x: "${workflow.input.x}" }),
      entry("SWITCH", "sw", {
        evaluatorType: "value-param",
        expression: "v",
        inputParameters: { v: "${a.output.v}" },
        decisionCases: { yes: [simple("t_tst2", "b")] },
        defaultCase: [],
      }),
      entry("HTTP", "h", { inputParameters: { http_request: { uri: "http://127.0.0.1:9/none", method: "GET" } } }),
    ],
    { outputParameters: { r: "${h.output.response.body.k}", v: "${a.output.v}" } },
  );
  await register(def);
  await record("registered definition, all mocked", "POST", "/workflow/test", {
    body: {
      name: name("tst"),
      version: 1,
      input: { x: 1 },
      taskRefToMockOutput: {
        a: [{ status: "COMPLETED", output: { v: "yes" } }],
        b: [{ status: "COMPLETED", output: { q: 1 } }],
        h: [{ status: "COMPLETED", output: { response: { body: { k: "K" } } } }],
      },
    },
  });
  await record("inline definition", "POST", "/workflow/test", {
    body: {
      name: name("tst_inline"),
      workflowDef: { ...def, name: name("tst_inline") },
      taskRefToMockOutput: {
        a: [{ status: "COMPLETED", output: { v: "no" } }],
        h: [{ status: "COMPLETED", output: {} }],
      },
    },
  });
  await record("failing mock", "POST", "/workflow/test", {
    body: { name: name("tst"), version: 1, taskRefToMockOutput: { a: [{ status: "FAILED", output: {} }] } },
  });
  await record("no mocks", "POST", "/workflow/test", { body: { name: name("tst"), version: 1 } });
  await record("retry then success with two mocks", "POST", "/workflow/test", {
    body: {
      name: name("tst"),
      version: 1,
      taskRefToMockOutput: {
        a: [
          { status: "FAILED", output: {} },
          { status: "COMPLETED", output: { v: "no" } },
        ],
        h: [{ status: "COMPLETED", output: {} }],
      },
    },
  });
  await record("unknown workflow", "POST", "/workflow/test", { body: { name: name("nope") } });
  await record("no name", "POST", "/workflow/test", { body: {} });
  await record("bad mock status", "POST", "/workflow/test", {
    body: { name: name("tst"), taskRefToMockOutput: { a: [{ status: "ZZ", output: {} }] } },
  });
}
