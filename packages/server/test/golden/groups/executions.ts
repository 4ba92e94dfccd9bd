import type { WireExecution } from "../../support/client.ts";
import { entry, type Session } from "../recorder/session.ts";

type Json = Record<string, unknown>;

type Case = {
  readonly what: string;
  readonly definition: Json & { readonly name: string };
  readonly input?: Json;
  /** What is done to the execution from outside, once it is started. */
  readonly drive?: (id: string) => Promise<unknown>;
  /** Its tasks come from a queue that other cases use too: one after the other. */
  readonly usesWorkers?: true;
  /** Nobody ever takes its task. */
  readonly staysOpen?: true;
};

export async function executions(session: Session): Promise<void> {
  const { register, registerTasks, taskDef, workflow } = session;
  await registerTasks(taskDef("x1"), taskDef("x2"), taskDef("x_in", { inputTemplate: { tmpl: "t", x: "tmplx" } }));
  await register(
    workflow("x_child", [js("ci", "$.q + 1", { q: "${workflow.input.q}" })], {
      outputParameters: { r: "${ci.output.result}" },
    }),
    workflow("x_child_fail", [
      entry("TERMINATE", "ct", {
        inputParameters: { terminationStatus: "FAILED", terminationReason: "child says no", workflowOutput: { a: 1 } },
      }),
    ]),
  );
  let lane: Promise<unknown> = Promise.resolve();
  const runs = casesOf(session).map((one) => {
    if (one.usesWorkers !== true) return run(session, one);
    const inTurn = lane.then(() => run(session, one));
    lane = inTurn;
    return inTurn;
  });
  session.write(...(await Promise.all(runs)));
}

async function run(session: Session, { what, definition, input = {}, drive, staysOpen }: Case): Promise<object> {
  const { normal, label, send, patience } = session;
  const head = { name: what, definition: normal(definition) };
  const registered = await send("PUT", "/metadata/workflow", { body: [definition] });
  if (registered.status !== 200)
    return { ...head, registration: { status: registered.status, body: normal(registered.json) } };
  const started = await send("POST", "/workflow", { body: { name: definition.name, version: 1, input } });
  if (started.status !== 200) return { ...head, startStatus: started.status, startBody: normal(started.json) };
  const id = started.text;
  label(id, `wf:${what.replace(/\W+/g, "_")}`);
  await drive?.(id);
  const execution = await session.ended(id, staysOpen === true ? patience(2500, 0) : patience(20_000, 5000));
  for (const { referenceTaskName, subWorkflowId, outputData } of execution.tasks) {
    label(subWorkflowId, `sub:${referenceTaskName}`);
    label(outputData["workflowId"], `started:${referenceTaskName}`);
  }
  return { ...head, input: normal(input), execution: withoutCopies(normal(execution) as WireExecution) };
}

/** The copies of the definition are the same in every record. */
const withoutCopies = (execution: WireExecution): Json => ({
  ...execution,
  workflowDefinition: "<as registered>",
  tasks: execution.tasks.map((task) => ({
    ...task,
    workflowTask: "<workflow task>",
    taskDefinition: task["taskDefinition"] === null ? null : "<task definition>",
  })),
});

const js = (ref: string, expression: string, inputs: Json = {}): Json =>
  entry("INLINE", ref, { inputParameters: { evaluatorType: "graaljs", expression, ...inputs } });

function casesOf({ finish, name, send, simple, until, untilTask, upstream, workflow }: Session): Case[] {
  return [
    {
      what: "SIMPLE with input template and nested output",
      definition: workflow("x_simple", [simple("x_in", "s", { y: "${workflow.input.y}" })], {
        outputParameters: { o: "${s.output}" },
      }),
      usesWorkers: true,
      input: { y: 1 },
      drive: () => finish("x_in", "COMPLETED", { a: { b: [1] } }),
    },
    {
      what: "INLINE",
      definition: workflow("x_inline", [js("i", "({sum: $.a + $.b})", { a: 1, b: "${workflow.input.b}" })], {
        outputParameters: { s: "${i.output.result.sum}" },
      }),
      input: { b: 2 },
    },
    { what: "INLINE failing", definition: workflow("x_inline_bad", [js("i", "nope.x", {})]) },
    {
      what: "SET_VARIABLE",
      definition: workflow(
        "x_setvar",
        [entry("SET_VARIABLE", "v", { inputParameters: { a: 1, b: { c: "${workflow.input.z}" } } })],
        { outputParameters: { a: "${workflow.variables.a}", b: "${workflow.variables.b.c}" } },
      ),
      input: { z: "zz" },
    },
    {
      what: "SWITCH value-param hit",
      definition: workflow("x_sw1", [
        entry("SWITCH", "sw", {
          evaluatorType: "value-param",
          expression: "k",
          inputParameters: { k: "${workflow.input.k}" },
          decisionCases: { a: [js("ia", '"A"')], b: [js("ib", '"B"')] },
          defaultCase: [js("id", '"D"')],
        }),
        js("after", "1"),
      ]),
      input: { k: "b" },
    },
    {
      what: "SWITCH default",
      definition: workflow("x_sw2", [
        entry("SWITCH", "sw", {
          evaluatorType: "value-param",
          expression: "k",
          inputParameters: { k: "${workflow.input.k}" },
          decisionCases: { a: [js("ia", '"A"')] },
          defaultCase: [js("id", '"D"')],
        }),
      ]),
      input: { k: "zzz" },
    },
    {
      what: "SWITCH no match and no default",
      definition: workflow("x_sw3", [
        entry("SWITCH", "sw", {
          evaluatorType: "value-param",
          expression: "k",
          inputParameters: { k: "${workflow.input.k}" },
          decisionCases: { a: [js("ia", '"A"')] },
        }),
        entry("NOOP", "n"),
      ]),
      input: {},
    },
    {
      what: "SWITCH graaljs",
      definition: workflow("x_sw4", [
        entry("SWITCH", "sw", {
          evaluatorType: "graaljs",
          expression: "$.n > 3 ? 'big' : 'small'",
          inputParameters: { n: "${workflow.input.n}" },
          decisionCases: { big: [entry("NOOP", "b")], small: [entry("NOOP", "s")] },
        }),
      ]),
      input: { n: 4 },
    },
    {
      what: "SWITCH script error",
      definition: workflow("x_sw5", [
        entry("SWITCH", "sw", {
          evaluatorType: "graaljs",
          expression: "$.a.b.c",
          inputParameters: {},
          decisionCases: { x: [entry("NOOP", "b")] },
        }),
      ]),
    },
    {
      what: "FORK_JOIN and JOIN",
      definition: workflow(
        "x_fork",
        [
          entry("FORK_JOIN", "f", { forkTasks: [[js("a1", "1"), js("a2", "2")], [js("b1", "3")]] }),
          entry("JOIN", "j", { joinOn: ["a2", "b1"] }),
        ],
        { outputParameters: { j: "${j.output}" } },
      ),
    },
    {
      what: "FORK_JOIN with a failing branch",
      definition: workflow("x_fork_f", [
        entry("FORK_JOIN", "f", { forkTasks: [[simple("x1", "a1")], [simple("x2", "b1")]] }),
        entry("JOIN", "j", { joinOn: ["a1", "b1"] }),
      ]),
      usesWorkers: true,
      drive: async () => {
        await finish("x1", "FAILED", {}, { reasonForIncompletion: "branch" });
      },
    },
    {
      what: "FORK_JOIN with an optional failing branch",
      definition: workflow("x_fork_o", [
        entry("FORK_JOIN", "f", { forkTasks: [[simple("x1", "a1", {}, { optional: true })], [simple("x2", "b1")]] }),
        entry("JOIN", "j", { joinOn: ["a1", "b1"] }),
      ]),
      usesWorkers: true,
      drive: async () => {
        await finish("x1", "FAILED", {}, { reasonForIncompletion: "branch" });
        await finish("x2", "COMPLETED", { z: 1 });
      },
    },
    {
      what: "FORK_JOIN_DYNAMIC",
      definition: workflow(
        "x_dynfork",
        [
          entry("FORK_JOIN_DYNAMIC", "f", {
            dynamicForkTasksParam: "dt",
            dynamicForkTasksInputParamName: "di",
            inputParameters: { dt: "${workflow.input.dt}", di: "${workflow.input.di}" },
          }),
          entry("JOIN", "j"),
        ],
        { outputParameters: { j: "${j.output}" } },
      ),
      input: {
        dt: [js("d1", "$.k", {}), { name: "d2", taskReferenceName: "d2", type: "NOOP" }],
        di: { d1: { evaluatorType: "graaljs", expression: "$.k", k: "KK" }, d2: {} },
      },
    },
    {
      what: "FORK_JOIN_DYNAMIC empty list",
      definition: workflow("x_dynfork0", [
        entry("FORK_JOIN_DYNAMIC", "f", {
          dynamicForkTasksParam: "dt",
          dynamicForkTasksInputParamName: "di",
          inputParameters: { dt: [], di: {} },
        }),
        entry("JOIN", "j"),
      ]),
    },
    {
      what: "FORK_JOIN_DYNAMIC bad input",
      definition: workflow("x_dynforkb", [
        entry("FORK_JOIN_DYNAMIC", "f", {
          dynamicForkTasksParam: "dt",
          dynamicForkTasksInputParamName: "di",
          inputParameters: { dt: "no", di: {} },
        }),
        entry("JOIN", "j"),
      ]),
    },
    {
      what: "FORK_JOIN_DYNAMIC by forkTaskName",
      definition: workflow("x_dynfork2", [
        entry("FORK_JOIN_DYNAMIC", "f", {
          inputParameters: { forkTaskName: name("x1"), forkTaskInputs: [{ a: 1 }, { a: 2 }] },
        }),
        entry("JOIN", "j"),
      ]),
      usesWorkers: true,
      drive: async () => {
        await finish("x1", "COMPLETED", { r: 1 });
        await finish("x1", "COMPLETED", { r: 2 });
      },
    },
    {
      what: "DO_WHILE three iterations",
      definition: workflow(
        "x_loop",
        [
          entry("DO_WHILE", "lp", {
            evaluatorType: "graaljs",
            loopCondition: "(function(){ return $.lp['iteration'] < $.n; })()",
            inputParameters: { n: 3, lp: "${lp.output}" },
            loopOver: [
              js("li", "$.it", { it: "${lp.output.iteration}" }),
              entry("SET_VARIABLE", "lv", { inputParameters: { last: "${li.output.result}" } }),
            ],
          }),
        ],
        {
          outputParameters: {
            it: "${lp.output.iteration}",
            last: "${workflow.variables.last}",
            li: "${li.output.result}",
          },
        },
      ),
    },
    {
      what: "DO_WHILE reading task output",
      definition: workflow("x_loop2", [
        entry("DO_WHILE", "lp", {
          loopCondition: "if ($.li['result'] < 2) { true; } else { false; }",
          inputParameters: { li: "${li.output}" },
          loopOver: [js("li", "$.it", { it: "${lp.output.iteration}" })],
        }),
      ]),
    },
    {
      what: "DO_WHILE with keepLastN",
      definition: workflow("x_loop3", [
        entry("DO_WHILE", "lp", {
          evaluatorType: "graaljs",
          loopCondition: "$.lp['iteration'] < 5",
          inputParameters: { keepLastN: 2, lp: "${lp.output}" },
          loopOver: [js("li", "$.it", { it: "${lp.output.iteration}" })],
        }),
      ]),
    },
    {
      what: "DO_WHILE over items",
      definition: workflow("x_loop4", [
        entry("DO_WHILE", "lp", {
          items: "${workflow.input.items}",
          inputParameters: {},
          loopOver: [js("li", "$.x", { x: "${lp.output.loopItem}", i: "${lp.output.loopIndex}" })],
        }),
      ]),
      input: { items: ["a", "b"] },
    },
    {
      what: "DO_WHILE condition error",
      definition: workflow("x_loop5", [
        entry("DO_WHILE", "lp", {
          evaluatorType: "graaljs",
          loopCondition: "$.zzz.yyy < 1",
          inputParameters: {},
          loopOver: [entry("NOOP", "ln")],
        }),
      ]),
    },
    {
      what: "DO_WHILE with worker task and inner switch",
      definition: workflow("x_loop6", [
        entry("DO_WHILE", "lp", {
          evaluatorType: "graaljs",
          loopCondition: "$.lp['iteration'] < 2",
          inputParameters: { lp: "${lp.output}" },
          loopOver: [
            simple("x1", "ls", { it: "${lp.output.iteration}" }),
            entry("SWITCH", "lsw", {
              evaluatorType: "value-param",
              expression: "v",
              inputParameters: { v: "${ls.output.v}" },
              decisionCases: { y: [entry("NOOP", "ly")] },
              defaultCase: [entry("NOOP", "ld")],
            }),
          ],
        }),
      ]),
      usesWorkers: true,
      drive: async () => {
        await finish("x1", "COMPLETED", { v: "y" });
        await finish("x1", "COMPLETED", { v: "n" });
      },
    },
    {
      what: "WAIT by duration",
      definition: workflow("x_wait", [entry("WAIT", "w", { inputParameters: { duration: "1s" } })]),
    },
    {
      what: "WAIT completed from outside",
      definition: workflow("x_wait2", [entry("WAIT", "w")], { outputParameters: { o: "${w.output}" } }),
      drive: async (id) => {
        await untilTask(id, "w", "IN_PROGRESS");
        await send("POST", `/tasks/${id}/w/COMPLETED`, { body: { sig: 1 } });
      },
    },
    {
      what: "HUMAN completed from outside",
      definition: workflow("x_human", [entry("HUMAN", "h", { inputParameters: { form: "f" } })], {
        outputParameters: { o: "${h.output}" },
      }),
      drive: async (id) => {
        await untilTask(id, "h", "IN_PROGRESS");
        await send("POST", `/tasks/${id}/h/COMPLETED`, { body: { ok: true } });
      },
    },
    {
      what: "SUB_WORKFLOW",
      definition: workflow(
        "x_sub",
        [
          entry("SUB_WORKFLOW", "s", {
            subWorkflowParam: { name: name("x_child"), version: 1 },
            inputParameters: { q: 41 },
          }),
        ],
        { outputParameters: { r: "${s.output.r}" } },
      ),
    },
    {
      what: "SUB_WORKFLOW latest version",
      definition: workflow("x_sub_l", [
        entry("SUB_WORKFLOW", "s", { subWorkflowParam: { name: name("x_child") }, inputParameters: { q: 1 } }),
      ]),
    },
    {
      what: "SUB_WORKFLOW failing child",
      definition: workflow("x_sub_f", [
        entry("SUB_WORKFLOW", "s", { subWorkflowParam: { name: name("x_child_fail"), version: 1 } }),
      ]),
    },
    {
      what: "SUB_WORKFLOW unknown child",
      definition: workflow("x_sub_u", [
        entry("SUB_WORKFLOW", "s", { subWorkflowParam: { name: name("x_ghost"), version: 1 } }),
      ]),
    },
    {
      what: "SUB_WORKFLOW with inline definition",
      definition: workflow("x_sub_i", [
        entry("SUB_WORKFLOW", "s", {
          subWorkflowParam: { name: name("x_inl"), workflowDefinition: workflow("x_inl", [entry("NOOP", "nn")]) },
        }),
      ]),
    },
    {
      what: "START_WORKFLOW",
      definition: workflow(
        "x_startwf",
        [
          entry("START_WORKFLOW", "s", {
            inputParameters: {
              startWorkflow: { name: name("x_child"), version: 1, input: { q: 1 }, correlationId: "cid" },
            },
          }),
        ],
        { outputParameters: { w: "${s.output.workflowId}" } },
      ),
    },
    {
      what: "START_WORKFLOW unknown",
      definition: workflow("x_startwf_u", [
        entry("START_WORKFLOW", "s", { inputParameters: { startWorkflow: { name: name("x_ghost") } } }),
      ]),
    },
    {
      what: "DYNAMIC",
      definition: workflow("x_dyn", [
        entry("DYNAMIC", "d", { dynamicTaskNameParam: "tn", inputParameters: { tn: "${workflow.input.tn}", a: 1 } }),
      ]),
      usesWorkers: true,
      input: { tn: name("x1") },
      drive: () => finish("x1", "COMPLETED", { d: 1 }),
    },
    {
      what: "DYNAMIC without a name",
      definition: workflow("x_dyn0", [entry("DYNAMIC", "d", { dynamicTaskNameParam: "tn", inputParameters: {} })]),
    },
    {
      what: "EXCLUSIVE_JOIN",
      definition: workflow(
        "x_ej",
        [
          entry("SWITCH", "sw", {
            evaluatorType: "value-param",
            expression: "k",
            inputParameters: { k: "a" },
            decisionCases: { a: [js("ja", '"A"')], b: [js("jb", '"B"')] },
          }),
          entry("EXCLUSIVE_JOIN", "ej", { joinOn: ["ja", "jb"], defaultExclusiveJoinTask: ["sw"] }),
        ],
        { outputParameters: { e: "${ej.output}" } },
      ),
    },
    {
      what: "TERMINATE completed",
      definition: workflow(
        "x_term",
        [
          entry("TERMINATE", "t", {
            inputParameters: { terminationStatus: "COMPLETED", workflowOutput: { done: "${workflow.input.d}" } },
          }),
          entry("NOOP", "never"),
        ],
        { outputParameters: { ignored: 1 } },
      ),
      input: { d: "D" },
    },
    {
      what: "TERMINATE failed",
      definition: workflow("x_term_f", [
        entry("TERMINATE", "t", {
          inputParameters: { terminationStatus: "FAILED", terminationReason: "why not", workflowOutput: "text" },
        }),
      ]),
    },
    {
      what: "TERMINATE terminated",
      definition: workflow("x_term_t", [
        entry("TERMINATE", "t", { inputParameters: { terminationStatus: "TERMINATED" } }),
      ]),
    },
    {
      what: "TERMINATE bad status",
      definition: workflow("x_term_b", [entry("TERMINATE", "t", { inputParameters: { terminationStatus: "ZZ" } })]),
    },
    { what: "NOOP", definition: workflow("x_noop", [entry("NOOP", "n", { inputParameters: { a: 1 } })]) },
    {
      what: "JSON_JQ_TRANSFORM",
      definition: workflow(
        "x_jq",
        [
          entry("JSON_JQ_TRANSFORM", "j", {
            inputParameters: { queryExpression: ".data[] | .v", data: [{ v: 1 }, { v: 2 }] },
          }),
        ],
        { outputParameters: { r: "${j.output.result}", l: "${j.output.resultList}" } },
      ),
    },
    {
      what: "HTTP GET json",
      definition: workflow(
        "x_http",
        [
          entry("HTTP", "h", {
            inputParameters: { http_request: { uri: `${upstream}/json`, method: "GET", headers: { "X-H": "v" } } },
          }),
        ],
        { outputParameters: { a: "${h.output.response.body.a}", s: "${h.output.response.statusCode}" } },
      ),
    },
    {
      what: "HTTP POST echo",
      definition: workflow("x_http2", [
        entry("HTTP", "h", {
          inputParameters: {
            http_request: { uri: `${upstream}/echo`, method: "POST", body: { k: "${workflow.input.k}" } },
          },
        }),
      ]),
      input: { k: [1] },
    },
    {
      what: "HTTP POST string body",
      definition: workflow("x_http2s", [
        entry("HTTP", "h", {
          inputParameters: {
            http_request: { uri: `${upstream}/echo`, method: "POST", contentType: "text/plain", body: "raw text" },
          },
        }),
      ]),
    },
    {
      what: "HTTP text",
      definition: workflow("x_http3", [
        entry("HTTP", "h", {
          inputParameters: { http_request: { uri: `${upstream}/text`, method: "GET", accept: "text/plain" } },
        }),
      ]),
    },
    {
      what: "HTTP number body",
      definition: workflow("x_http3n", [
        entry("HTTP", "h", { inputParameters: { http_request: { uri: `${upstream}/number`, method: "GET" } } }),
      ]),
    },
    {
      what: "HTTP 204",
      definition: workflow("x_http4", [
        entry("HTTP", "h", { inputParameters: { http_request: { uri: `${upstream}/empty`, method: "DELETE" } } }),
      ]),
    },
    {
      what: "HTTP 500",
      definition: workflow("x_http5", [
        entry("HTTP", "h", { inputParameters: { http_request: { uri: `${upstream}/fail`, method: "GET" } } }),
      ]),
    },
    {
      what: "HTTP 404",
      definition: workflow("x_http6", [
        entry("HTTP", "h", {
          inputParameters: { http_request: { uri: `${upstream}/notfound`, method: "PUT", body: {} } },
        }),
      ]),
    },
    {
      what: "HTTP connection refused",
      definition: workflow("x_http7", [
        entry("HTTP", "h", { inputParameters: { http_request: { uri: "http://127.0.0.1:9/x", method: "GET" } } }),
      ]),
    },
    {
      what: "HTTP read timeout",
      definition: workflow("x_http8", [
        entry("HTTP", "h", {
          inputParameters: { http_request: { uri: `${upstream}/slow`, method: "GET", readTimeOut: 1000 } },
        }),
      ]),
    },
    {
      what: "HTTP without uri",
      definition: workflow("x_http9", [entry("HTTP", "h", { inputParameters: { http_request: { method: "GET" } } })]),
    },
    {
      what: "HTTP asyncComplete",
      definition: workflow("x_http10", [
        entry("HTTP", "h", {
          asyncComplete: true,
          inputParameters: { http_request: { uri: `${upstream}/json`, method: "GET" } },
        }),
      ]),
      drive: async (id) => {
        await untilTask(id, "h", "IN_PROGRESS");
        await until(id, ({ tasks }) => "response" in (tasks[0]?.outputData ?? {}));
        await send("POST", `/tasks/${id}/h/COMPLETED`, { body: { ext: 1 } });
      },
    },
    {
      what: "EVENT internal sink",
      definition: workflow("x_event", [
        entry("EVENT", "e", { sink: `conductor:${name("some_event")}`, inputParameters: { payload: { a: 1 }, x: 2 } }),
      ]),
    },
    {
      what: "EVENT bare sink",
      definition: workflow("x_event2", [entry("EVENT", "e", { sink: "conductor", inputParameters: { a: 1 } })]),
    },
    {
      what: "EVENT unknown sink",
      definition: workflow("x_event3", [entry("EVENT", "e", { sink: "zzz:abc", inputParameters: {} })]),
    },
    {
      what: "STREAM_PUBLISH without the module",
      definition: workflow("x_stream", [
        entry("STREAM_PUBLISH", "k", {
          inputParameters: { stream_request: { topic: "t", bootStrapServers: "127.0.0.1:9", value: "v" } },
        }),
      ]),
    },
    {
      what: "unknown task type",
      definition: workflow("x_unknown", [entry("MY_TYPE", "k", { inputParameters: { a: 1 } })]),
      staysOpen: true,
    },
    {
      what: "LAMBDA legacy",
      definition: workflow("x_lambda", [
        entry("LAMBDA", "l", { inputParameters: { scriptExpression: "return {v: $.a};", a: 1 } }),
      ]),
    },
    {
      what: "DECISION legacy",
      definition: workflow("x_dec", [
        entry("DECISION", "d", {
          caseValueParam: "k",
          inputParameters: { k: "a" },
          decisionCases: { a: [entry("NOOP", "na")] },
          defaultCase: [],
        }),
      ]),
    },
    {
      what: "SIMPLE with start delay",
      definition: workflow("x_delay", [simple("x1", "s", {}, { startDelay: 1 })]),
      usesWorkers: true,
      drive: () => finish("x1", "COMPLETED", {}),
    },
    {
      what: "GET_AGENT_CARD unreachable",
      definition: workflow("x_card", [
        entry("GET_AGENT_CARD", "c", { inputParameters: { agentUrl: "http://127.0.0.1:9" } }),
      ]),
    },
    {
      what: "AGENT without url",
      definition: workflow("x_agent", [entry("AGENT", "a", { inputParameters: { name: "x", prompt: "hi" } })]),
    },
    {
      what: "AGENT without prompt",
      definition: workflow("x_agent2", [entry("AGENT", "a", { inputParameters: { agentType: "native", name: "x" } })]),
    },
    {
      what: "AGENT native unknown",
      definition: workflow("x_agent3", [
        entry("AGENT", "a", { inputParameters: { agentType: "native", name: name("ghost_agent"), prompt: "hi" } }),
      ]),
    },
    {
      what: "LLM_CHAT_COMPLETE without a provider",
      definition: workflow("x_llm", [
        entry("LLM_CHAT_COMPLETE", "l", {
          inputParameters: { llmProvider: "mistral", model: "m", messages: [{ role: "user", message: "hi" }] },
        }),
      ]),
    },
    {
      what: "LLM_CHAT_COMPLETE with content field",
      definition: workflow("x_llm2", [
        entry("LLM_CHAT_COMPLETE", "l", {
          inputParameters: { llmProvider: "mistral", model: "m", messages: [{ role: "user", content: "hi" }] },
        }),
      ]),
    },
    {
      what: "PULL_WORKFLOW_MESSAGES",
      definition: workflow("x_pull", [entry("PULL_WORKFLOW_MESSAGES", "p", {})]),
      drive: async (id) => {
        await until(id, ({ tasks }) => tasks.length > 0);
        await send("POST", `/workflow/${id}/messages`, { body: { m: 1 } });
      },
    },
  ];
}
