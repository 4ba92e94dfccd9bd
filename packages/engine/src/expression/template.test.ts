import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { aLazy, aScope, stored } from "./a-scope.ts";
import { RawJson, stringifyResolved, toJson } from "./raw-json.ts";
import type { Scope } from "./scope.ts";
import { compileTemplate, resolveTemplate, templateRoots } from "./template.ts";

function resolved(template: Json, scope: Scope): Json {
  return toJson(resolveTemplate(compileTemplate(template), scope));
}

/** The execution the reference was recorded with. */
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
  big: 12345678901234567000,
  js: '{"a":1}',
  dl: "cost ${workflow.input.n}",
};
const workflow = aLazy({
  input: stored(input),
  variables: stored({ v: "var1" }),
  workflowId: "w-1",
  workflowType: "gold_ex",
  version: 1,
  correlationId: "corr-1",
  status: "RUNNING",
  reasonForIncompletion: null,
});
const i1 = aLazy({
  input: stored({ a: 5 }),
  output: stored({ result: { deep: { x: 1 }, list: [1, 2] } }),
  status: "COMPLETED",
  retryCount: 0,
  taskId: "t-1",
});
const recorded = aScope({ workflow, i1 });
const recordedWithNull = aScope({ workflow, i1 }, { missing: "null" });

describe("expressions recorded from the reference", () => {
  test.each<[template: Json, result: Json]>([
    ["${workflow.input}", input],
    ["${workflow.input.s}", "str"],
    ["${workflow.input.n}", 5],
    ["${workflow.input.b}", true],
    ["${workflow.input.nul}", null],
    ["${workflow.input.a}", [10, 20, 30]],
    ["${workflow.input.a[0]}", 10],
    ["${workflow.input.a[9]}", null],
    ["${workflow.input.a[-1]}", 30],
    ["${workflow.input.a[0:2]}", [10, 20]],
    ["${workflow.input.objs[*].id}", [1, 2]],
    ["${workflow.input.objs[?(@.id==2)].name}", ["two"]],
    ["${workflow.input.a.length()}", 3],
    ["${workflow.input.o}", input.o],
    ["${workflow.input.o.p.q}", "deep"],
    ["${workflow.input.o.zzz}", null],
    ["${workflow.nothing}", null],
    ["n=${workflow.input.n} s=${workflow.input.s}", "n=5 s=str"],
    ["o=${workflow.input.o}", "o={p={q=deep}, list=[1, {a=null}]}"],
    ["a=${workflow.input.a}", "a=[10, 20, 30]"],
    ["x=${workflow.input.zzz}", "x=null"],
    ["x=${workflow.input.nul}", "x=null"],
    ["$${workflow.input.s}", "${workflow.input.s}"],
    [
      { a: ["${workflow.input.n}", { b: "${workflow.input.s}" }], c: "k${workflow.input.n}" },
      { a: [5, { b: "str" }], c: "k5" },
    ],
    [{ "${workflow.input.s}": 1 }, { "${workflow.input.s}": 1 }],
    ["$5", "$5"],
    ["${workflow.input.s", "${workflow.input.s"],
    ["${workflow.input.s}${workflow.input.n}", "str5"],
    ["${workflow.workflowId}", "w-1"],
    ["${workflow.workflowType}", "gold_ex"],
    ["${workflow.name}", null],
    ["${workflow.version}", 1],
    ["${workflow.correlationId}", "corr-1"],
    ["${workflow.status}", "RUNNING"],
    ["${i1.output.result}", { deep: { x: 1 }, list: [1, 2] }],
    ["${i1.output.result.deep.x}", 1],
    ["${i1.input.a}", 5],
    ["${i1.status}", "COMPLETED"],
    ["${i1.output.nope}", null],
    ["${workflow.input.${workflow.input.s}}", null],
    ["${workflow.input['s']}", "str"],
    ["${workflow.variables.v}", "var1"],
    [7, 7],
    [
      [1, "x", null],
      [1, "x", null],
    ],
    ["", ""],
    ["${workflow.input.f}", 1.5],
    ["${workflow.input.big}", 12345678901234567000],
    ["${workflow.input.js}", '{"a":1}'],
    ["${workflow.input.dl}", "cost ${workflow.input.n}"],
    ["${workflow.createTime}", null],
    ["${workflow.reasonForIncompletion}", null],
    ["${i1.taskId}", "t-1"],
    ["${i1.retryCount}", 0],
    ["${workflow.env.NOPE}", null],
    ["${workflow.secrets.NOPE}", "${workflow.secrets.NOPE}"],
  ])("%j gives %j", (template, result) => {
    expect(resolved(template, recorded)).toEqual(result);
    expect(resolved(template, recordedWithNull)).toEqual(result);
  });

  test.each(["${workflow.input.o.zzz.yyy}", "${workflow.input.zzz.yyy}", "${i1.output.nope.deeper}"])(
    "%s crosses a missing field and is null when the switch says so",
    (template) => {
      expect(resolved(template, recordedWithNull)).toBeNull();
    },
  );
});

describe("a path that crosses a missing field", () => {
  test.each<[template: Json, result: Json]>([
    ["${workflow.input.o.zzz.yyy}", input.o],
    ["${workflow.input.o.zzz.yyy.xxx}", input.o],
    ["${workflow.input['o']['zzz']['yyy']}", input.o],
    ["${workflow.input.zzz.yyy}", input],
    ["${workflow.variables.nope.deeper}", { v: "var1" }],
    ["${i1.output.nope.deeper}", { result: { deep: { x: 1 }, list: [1, 2] } }],
    ["${i1.output.result.nope[0]}", { deep: { x: 1 }, list: [1, 2] }],
    ["${i1.input.nope.deeper}", { a: 5 }],
    ["${workflow.input.objs[0].nope.deeper}", { id: 1, name: "one" }],
  ])("%s gives the object that lacks it", (template, result) => {
    expect(resolved(template, recorded)).toEqual(result);
  });

  test.each([
    ["the last field", "${workflow.input.o.zzz}"],
    ["an unknown reference", "${nope.output.a.b}"],
    ["an unknown section", "${workflow.nothing.a.b}"],
    ["a task field that is no section", "${i1.nothing.a.b}"],
    ["variables of a task", "${i1.variables.a.b}"],
    ["a null in between", "${workflow.input.nul.a.b}"],
    ["a scalar in between", "${workflow.input.n.a.b}"],
    ["an index out of range", "${workflow.input.a[9].a.b}"],
    ["a field of a list", "${workflow.input.objs.id.b}"],
    ["a function", "${workflow.input.o.zzz.yyy.length()}"],
  ])("gives null for %s", (_what, template) => {
    expect(resolved(template, recorded)).toBeNull();
  });

  test("gives an empty list when it has a wildcard", () => {
    expect(resolved("${workflow.input.zzz.yyy[*]}", recorded)).toEqual([]);
  });

  test("hands on a payload as text when the payload itself lacks the field", () => {
    const result = resolveTemplate(
      compileTemplate("${t.output.a.b}"),
      aScope({ t: aLazy({ output: stored({ x: 1 }) }) }),
    );
    expect(stringifyResolved(result)).toBe('{"x":1}');
  });

  test("is asked of lazy nodes too", () => {
    const loop = aLazy({ output: aLazy({ iteration: 2, "1": stored({ a: 1 }) }) });
    expect(resolved("${loop.output.7.a}", aScope({ loop }))).toEqual({
      iteration: 2,
      "1": { a: 1 },
    });
  });
});

describe("syntax", () => {
  const scope = aScope({
    a: { b: "v", x: "key", i: 1, key: "by name", blank: " ", dollar: "x$", twoDollars: "x$$", escape: "$${z}" },
    list: ["zero", "one"],
    "my ref": { c: 3 },
    "my-ref": { "my-key": 4 },
  });
  test.each<[template: string, result: Json]>([
    ["${a.b}", "v"],
    [" ${a.b}", " v"],
    ["${a.b} ", "v "],
    ["$${a.b}", "${a.b}"],
    ["$$${a.b}", "$${a.b}"],
    ["$${a.b} ${a.b}", "${a.b} v"],
    ["${}", ""],
    ["${  }", ""],
    ["[${}]", "[]"],
    ["${ a.b }", null],
    ["${a.b }", null],
    ["${a", "${a"],
    ["a}", "a}"],
    ["${a ${a.b}", "${a v"],
    ["${a.${a.x}}", "by name"],
    ["${list[${a.i}]}", "one"],
    ["${list[${a.nope}]}", null],
    ["${${a.nope}}", null],
    ["${a.$${b}}", null],
    ["${a.${a.blank}}", null],
    ["${${a.blank}}", ""],
    ['{"x": {"y": ${a.b}}}', '{"x": {"y": v}}'],
    ["{ ${a.b}", "{ v"],
    ["${a.dollar}{b}", "x${b}"],
    ["${a.twoDollars}{b}", "x${b}"],
    ["${a.escape}", "$${z}"],
    ["<${a.escape}>", "<${z}>"],
    ["${['my ref'].c}", 3],
    ["${$['my ref'].c}", 3],
    ["${my-ref.my-key}", 4],
    ["${my ref.c}", null],
    ["$", "$"],
    ["${$}", null],
    ["line\n${a.b}\n", "line\nv\n"],
  ])("%j gives %j", (template, result) => {
    expect(resolved(template, scope)).toEqual(result);
  });

  test("a resolved value is not resolved again", () => {
    const data = aScope({ a: { b: "${a.c}", c: 1 } });
    expect(resolved("${a.b}", data)).toBe("${a.c}");
    expect(resolved("<${a.b}>", data)).toBe("<${a.c}>");
  });

  test("a member named __proto__ stays a member", () => {
    const template = JSON.parse('{"__proto__": {"x": "${a.b}"}, "y": "${a.b}"}') as Json;
    expect(JSON.stringify(resolved(template, scope))).toBe('{"__proto__":{"x":"v"},"y":"v"}');
    expect(resolved("${a.__proto__}", scope)).toBeNull();
    expect(resolved("${a.constructor}", scope)).toBeNull();
  });
});

describe("names besides paths", () => {
  const options = { constants: { CPEWF_TASK_ID: "t-9", REGION: "eu", both: "constant" } };
  const scope = aScope({ both: { x: 1 }, task: { x: 2 } }, options);

  test.each<[template: string, result: Json]>([
    ["${CPEWF_TASK_ID}", "t-9"],
    ["id ${CPEWF_TASK_ID}", "id t-9"],
    ["${NETFLIX_ENV}", "${NETFLIX_ENV}"],
    ["env ${NETFLIX_STACK}", "env ${NETFLIX_STACK}"],
    ["${REGION}", "eu"],
    ["${HOME}", null],
    ["${user.dir}", null],
    ["${both}", "constant"],
    ["${both.x}", 1],
    ["${task}", { x: 2 }],
  ])("%s gives %j", (template, result) => {
    expect(resolved(template, scope)).toEqual(result);
  });

  test("workflow.env reads the environment, and JSON inside it", () => {
    const environment = { URL: "http://x", LIMITS: '{"max": [1, 2]}', OBJECT: { a: 1 } };
    const env = aScope({ name: "URL" }, { environment });
    expect(resolved("${workflow.env.URL}", env)).toBe("http://x");
    expect(resolved("${workflow.env.LIMITS}", env)).toBe('{"max": [1, 2]}');
    expect(resolved("${workflow.env.LIMITS.max[1]}", env)).toBe(2);
    expect(resolved("${workflow.env.OBJECT.a}", env)).toBe(1);
    expect(resolved("${workflow.env.URL.a.b}", env)).toBeNull();
    expect(resolved("${workflow.env.NOPE.a.b}", env)).toBeNull();
    expect(resolved("${workflow.env.${name}}", env)).toBe("http://x");
  });
});

describe("rendering inside text", () => {
  test.each<[json: string, text: string]>([
    ["null", "null"],
    ['"as is"', "as is"],
    ["true", "true"],
    ["7", "7"],
    ["-7", "-7"],
    ["2.5", "2.5"],
    ["1.0", "1.0"],
    ["12345678901234567890", "12345678901234567890"],
    ["12345678.9", "1.23456789E7"],
    ["0.0001", "1.0E-4"],
    ["1e21", "1.0E21"],
    ['[1, [2, null], "x"]', "[1, [2, null], x]"],
    ['{"k": "v", "k2": [1, 2], "n": null, "o": {"p": 0.5}}', "{k=v, k2=[1, 2], n=null, o={p=0.5}}"],
    ["[]", "[]"],
    ["{}", "{}"],
  ])("%s reads %s", (json, text) => {
    expect(resolved("<${v}>", aScope({ v: new RawJson(json) }))).toBe(`<${text}>`);
  });

  test("a missing value reads null", () => {
    expect(resolved("<${nope.output.x}>", aScope({}))).toBe("<null>");
  });
});

describe("laziness", () => {
  test("a payload asked for as a whole is never parsed", () => {
    const scope = aScope({ s1: aLazy({ output: new RawJson("{not json}") }) });
    const result = resolveTemplate(compileTemplate({ all: "${s1.output}", n: 1 }), scope);
    expect(stringifyResolved(result)).toBe('{"all":{not json},"n":1}');
  });

  test("only the named members of a task are asked for", () => {
    const asked: string[] = [];
    const task = aLazy({ input: new RawJson("{not json}"), output: stored({ a: { b: 1 } }) }, asked);
    expect(resolved("${t.output.a.b}", aScope({ t: task }))).toBe(1);
    expect(asked).toEqual(["output"]);
  });

  test("a wildcard takes the node it is applied to, no more", () => {
    const asked: string[] = [];
    const scope = aScope({ t: aLazy({ output: aLazy({ a: 1, b: 2 }, asked), input: new RawJson("{not json}") }) });
    expect(resolved("${t.output[*]}", scope)).toEqual([1, 2]);
    expect(asked).toEqual(["*"]);
  });

  test("caller data that looks like a lazy node is data", () => {
    expect(resolved("${a.lazy}", aScope({ a: { lazy: true, get: "x" } }))).toBe(true);
  });
});

describe("templateRoots", () => {
  test("names the roots of every expression, nested ones and filters included", () => {
    const template = compileTemplate({
      a: "${workflow.input.x}",
      b: ["${s1.output.y} and ${['my ref'].output}", { c: "${s2.output.list[?(@.id == $.s3.output.id)]}" }],
      d: "${workflow.secrets.X} ${workflow.env.Y}",
      e: "${s4.output.${s5.output.key}}",
      f: "$${s6.output}",
    });
    expect([...templateRoots(template)].sort()).toEqual(["my ref", "s1", "s2", "s3", "s5", "workflow"]);
  });
});
