import { type Answer, entry, type Session, sleep } from "../recorder/session.ts";

const catalogue = {
  in: "${workflow.input}",
  str: "${workflow.input.s}",
  num: "${workflow.input.n}",
  bool: "${workflow.input.b}",
  nul: "${workflow.input.nul}",
  arr: "${workflow.input.a}",
  arr0: "${workflow.input.a[0]}",
  arr9: "${workflow.input.a[9]}",
  arrNeg: "${workflow.input.a[-1]}",
  slice: "${workflow.input.a[0:2]}",
  wild: "${workflow.input.objs[*].id}",
  filter: "${workflow.input.objs[?(@.id==2)].name}",
  len: "${workflow.input.a.length()}",
  obj: "${workflow.input.o}",
  deep: "${workflow.input.o.p.q}",
  missingLeaf: "${workflow.input.o.zzz}",
  missingMid: "${workflow.input.o.zzz.yyy}",
  missingTop: "${workflow.input.zzz.yyy}",
  missingRef: "${workflow.nothing}",
  mixed: "n=${workflow.input.n} s=${workflow.input.s}",
  mixedObj: "o=${workflow.input.o}",
  mixedArr: "a=${workflow.input.a}",
  mixedMissing: "x=${workflow.input.zzz}",
  mixedNull: "x=${workflow.input.nul}",
  escaped: "$${workflow.input.s}",
  nested: { a: ["${workflow.input.n}", { b: "${workflow.input.s}" }], c: "k${workflow.input.n}" },
  key: { "${workflow.input.s}": 1 },
  dollar: "$5",
  open: "${workflow.input.s",
  twoAdj: "${workflow.input.s}${workflow.input.n}",
  wfId: "${workflow.workflowId}",
  wfType: "${workflow.workflowType}",
  wfName: "${workflow.name}",
  version: "${workflow.version}",
  corr: "${workflow.correlationId}",
  status: "${workflow.status}",
  taskOut: "${i1.output.result}",
  taskOutDeep: "${i1.output.result.deep.x}",
  taskIn: "${i1.input.a}",
  taskStatus: "${i1.status}",
  taskMissing: "${i1.output.nope}",
  taskMissingDeep: "${i1.output.nope.deeper}",
  inner: "${workflow.input.${workflow.input.s}}",
  quoted: "${workflow.input['s']}",
  vars: "${workflow.variables.v}",
  number: 7,
  list: [1, "x", null],
  emptyStr: "",
  floatv: "${workflow.input.f}",
  big: "${workflow.input.big}",
  jsonStr: "${workflow.input.js}",
  dollarIn: "${workflow.input.dl}",
  createTime: "${workflow.createTime}",
  reason: "${workflow.reasonForIncompletion}",
  taskId: "${i1.taskId}",
  taskRetry: "${i1.retryCount}",
  env: "${workflow.env.NOPE}",
  secret: "${workflow.secrets.NOPE}",
};

const input = {
  s: "str",
  n: 5,
  b: true,
  nul: null,
  a: [10, 20, 30],
  objs: [
    { id: 1, name: "one" },
    { id: 2, name: "two" },
  ],
  o: { p: { q: "deep" }, list: [1, { a: null }] },
  f: 1.5,
  big: 12_345_678_901_234_567_000,
  js: '{"a":1}',
  dl: "cost ${workflow.input.n}",
};

const scripts: Record<string, string> = {
  addition: "$.a + 1",
  iife: "(function(){ return {x: $.a, y: [1,2,{z:null}]}; })()",
  functionE: "function e() { return $.a * 2 } e();",
  undefinedResult: "undefined",
  nullResult: "null",
  stringResult: '"abc"',
  boolResult: "1 < 2",
  floatResult: "1/3",
  intFloat: "4/2",
  bigInt: "Math.pow(2,40)",
  hugeInt: "Math.pow(2,70)",
  nan: "NaN",
  infinity: "1/0",
  date: "new Date(0)",
  arrayMap: "$.list.map(x => x * 2)",
  objKeys: "Object.keys($.obj)",
  json: "JSON.stringify($.obj)",
  mutate: "$.obj.added = 1; $.obj",
  throwString: 'throw "bad"',
  throwError: 'throw new Error("bad error")',
  syntax: "this is not js",
  reference: "missing_name",
  missingKey: "$.zzz",
  missingDeep: "$.zzz.yyy",
  workflowScope: "$.workflow.input.a",
  functionResult: "(function(){})",
  regex: '/a(b)/.exec("xab")',
  emptyString: '""',
  symbol: "typeof $",
  longStr: '"x".repeat(10)',
  spread: "({...$.obj, k: 2})",
  template: "`v=${$.a}`",
  console_: 'console.log("a"); 1',
  javaAccess: "typeof Java",
  loopLimit: "let s=0; for (let i=0;i<1000;i++) s+=i; s",
  set: "new Set([1,2])",
  map: 'new Map([["a",1]])',
};

const queries: Record<string, string> = {
  field: ".data",
  whole: ".",
  several: ".data.list[]",
  map: "[.data.list[] | . * 2]",
  missing: ".nope.deeper",
  error: '.data | error("x")',
  syntax: ".data |",
  keys: ".data | keys",
  tojson: ".data | tojson",
  select: ".data.list[] | select(. > 1)",
  none: "empty",
  length: ".data.list | length",
  bool: ".data.list == [1,2,3]",
  group: ".data.objs | group_by(.k) | map({k: .[0].k, n: length})",
  reduce: "reduce .data.list[] as $x (0; . + $x)",
  strInterp: '"n=\\(.data.list[0])"',
  alt: '.zzz // "dflt"',
  objCons: "{a: .data.list[0], b}",
  tostring: ".data.list | tostring",
  float: ".data.list[0] / 3",
  test: '.data.s | test("^a")',
  now: "now | type",
  dates: "0 | todate",
  range: "[range(3)]",
  limit: "[limit(2; .data.list[])]",
  paths: "[paths]",
  ascii: ".data.s | ascii_upcase",
  splits: '.data.s | split("b")',
  env: "$ENV | type",
  input_: "input",
};

const waits: Record<string, Record<string, unknown>> = {
  d1s: { duration: "1s" },
  dSpace: { duration: "1 s" },
  dUpper: { duration: "1S" },
  dCombo: { duration: "0h 0m 1s" },
  dWords: { duration: "1 seconds" },
  dZero: { duration: "0s" },
  dEmpty: { duration: "" },
  dBad: { duration: "soon" },
  dFloat: { duration: "1.5s" },
  dNum: { duration: 1 },
  untilPast: { until: "2020-01-01 00:00" },
  untilPastDate: { until: "2020-01-01" },
  untilZone: { until: "2020-01-01 00:00 GMT" },
  untilBad: { until: "tomorrow" },
  both: { duration: "1s", until: "2020-01-01" },
  dMs: { duration: "500ms" },
  dNeg: { duration: "-1s" },
};

export async function expressions(session: Session): Promise<void> {
  await recordCatalogue(session);
  session.write(
    ...(await Promise.all(Object.entries(scripts).map(([what, script]) => runScript(session, what, script)))),
  );
  session.write(...(await Promise.all(Object.entries(queries).map(([what, query]) => runQuery(session, what, query)))));
  session.write(...(await runWaits(session)));
}

async function recordCatalogue({ register, workflow, start, ended, recordExecution }: Session): Promise<void> {
  await register(
    workflow(
      "ex",
      [
        entry("INLINE", "i1", {
          inputParameters: {
            evaluatorType: "graaljs",
            expression: "({deep:{x:1}, list:[1,2]})",
            a: "${workflow.input.n}",
          },
        }),
        entry("SET_VARIABLE", "sv", { inputParameters: { v: "var1" } }),
        entry("NOOP", "nn", { inputParameters: catalogue }),
      ],
      { outputParameters: catalogue },
    ),
  );
  const id = await start("ex", input, { correlationId: "corr-1" }, "wf");
  await ended(id);
  await recordExecution("expression catalogue", id);
}

async function runScript(session: Session, what: string, script: string): Promise<object> {
  const { workflow, normal } = session;
  const inputParameters = { evaluatorType: "graaljs", expression: script, a: 3, list: [1, 2], obj: { p: 1 } };
  const started = await startInline(
    session,
    workflow(`js_${what}`, [entry("INLINE", "i", { inputParameters })], {
      outputParameters: { r: "${i.output.result}" },
    }),
    `js_${what}`,
  );
  const head = { name: `INLINE: ${what}`, script };
  if (started.status !== 200) return { ...head, reasonForIncompletion: null };
  const { status, tasks, output } = await session.ended(started.text, 8000);
  return {
    ...head,
    workflowStatus: status,
    taskStatus: tasks[0]?.status,
    outputData: normal(tasks[0]?.outputData),
    reasonForIncompletion: normal(tasks[0]?.reasonForIncompletion ?? null),
    workflowOutput: normal(output),
  };
}

async function runQuery(session: Session, what: string, query: string): Promise<object> {
  const { workflow, normal } = session;
  const data = { list: [1, 2, 3], s: "abc", objs: [{ k: "a" }, { k: "b" }, { k: "a" }] };
  const { text } = await startInline(
    session,
    workflow(
      `jq_${what}`,
      [entry("JSON_JQ_TRANSFORM", "j", { inputParameters: { queryExpression: query, data, b: "B" } })],
      {
        outputParameters: { r: "${j.output.result}", l: "${j.output.resultList}" },
      },
    ),
    `jq_${what}`,
  );
  const { status, tasks } = await session.ended(text, 8000);
  return {
    name: `JQ: ${what}`,
    query,
    workflowStatus: status,
    taskStatus: tasks[0]?.status,
    outputData: normal(tasks[0]?.outputData),
    reasonForIncompletion: normal(tasks[0]?.reasonForIncompletion ?? null),
  };
}

async function runWaits(session: Session): Promise<object[]> {
  const { workflow, normal, execution, send } = session;
  const started = await Promise.all(
    Object.entries(waits).map(async ([what, inputParameters]) => {
      const def = workflow(`wait_${what}`, [entry("WAIT", "w", { inputParameters })]);
      return { what, inputParameters, answer: await startInline(session, def, `wait_${what}`) };
    }),
  );
  // Longer than any of them waits that ends at all.
  await sleep(session.patience(4000, 2000));
  return Promise.all(
    started.map(async ({ what, inputParameters, answer }) => {
      const head = { name: `WAIT: ${what}`, input: inputParameters };
      if (answer.status !== 200)
        return { ...head, startStatus: answer.status, startBody: normal(answer.json ?? answer.text) };
      const { status, tasks } = await execution(answer.text);
      if (status === "RUNNING") await send("DELETE", `/workflow/${answer.text}`);
      return {
        ...head,
        workflowStatusAfter4s: status,
        taskStatus: tasks[0]?.status,
        reasonForIncompletion: normal(tasks[0]?.reasonForIncompletion ?? null),
        inputData: normal(tasks[0]?.inputData),
        outputData: normal(tasks[0]?.outputData),
      };
    }),
  );
}

async function startInline({ send, label }: Session, workflowDef: { name: string }, as: string): Promise<Answer> {
  const answer = await send("POST", "/workflow", { body: { name: workflowDef.name, version: 1, workflowDef } });
  label(answer.text, as);
  return answer;
}
