import { afterAll, describe, expect, test } from "vitest";
import { aSandbox, outcomes, value } from "./scripts.ts";

const sandbox = aSandbox();
afterAll(() => sandbox.close());

describe("nothing of an evaluation is left for the next", () => {
  test.each([
    ["a declared variable", "var leaked = 1; leaked", "typeof leaked", '"undefined"'],
    ["a variable that was not declared", "leaked = 1", "typeof leaked", '"undefined"'],
    ["a let", "let leaked = 1; leaked", "typeof leaked", '"undefined"'],
    ["a const", "const leaked = 1; leaked", "let leaked = 2; leaked", "2"],
    ["a function", "function leaked() {} 1", "typeof leaked", '"undefined"'],
    ["a class", "class leaked {}; 1", "typeof leaked", '"undefined"'],
    ["a member of globalThis", "globalThis.z = 1", "'z' in globalThis", "false"],
    ["a member under a registered symbol", "globalThis[Symbol.for('k')] = 1", "Symbol.for('k') in globalThis", "false"],
    ["a frozen globalThis", "Object.freeze(globalThis); 1", "globalThis.y = 2", "2"],
    ["a method of Array.prototype", "Array.prototype.foo = 1", "'foo' in []", "false"],
    ["a member of Object.prototype", "Object.prototype.y = 1", "'y' in {}", "false"],
    [
      "a setter on Object.prototype",
      "Object.defineProperty(Object.prototype, 'a', { set() {} }); 1",
      "({ a: 1 }).a",
      "1",
    ],
    ["another Array.prototype.map", "Array.prototype.map = () => 'x'; 1", "[1].map((x) => x)", "[1]"],
    ["a member of Function.prototype", "Function.prototype.call = () => 'x'; 1", "(() => 3).call()", "3"],
    ["another JSON.parse", "JSON.parse = () => ({ a: 'x' }); 1", "[$.a, JSON.parse('1')]", "[1,1]"],
    ["another JSON.stringify", "JSON.stringify = () => '\"x\"'; 1", "[JSON.stringify([1])]", '["[1]"]'],
    ["another JSON", "JSON = { parse: () => 0 }; 1", "typeof JSON.stringify", '"function"'],
    [
      "a Math without members",
      "delete Math.max; Math.PI2 = 6; 1",
      "[typeof Math.max, typeof Math.PI2]",
      '["function","undefined"]',
    ],
    ["another Math.random", "Math.random = () => 7; 1", "Math.random() < 1", "true"],
    ["a deleted global", "delete globalThis.Date; 1", "typeof Date", '"function"'],
    ["another undefined of a function", "eval('var undefined = 1'); 1", "undefined", "null"],
    ["another iterator of arrays", "Array.prototype[Symbol.iterator] = function* () { yield 9 }; 1", "[...[1]]", "[1]"],
    ["another prototype of lists", "Object.setPrototypeOf(Array.prototype, null); 1", "[] instanceof Object", "true"],
    ["a toJSON", "Object.prototype.toJSON = () => 'x'; 1", "({ a: 1 })", '{"a":1}'],
    ["a then", "Object.prototype.then = () => {}; 1", "({ a: 1 })", '{"a":1}'],
    ["another stack of errors", "Error.prototype.toString = () => 'x'; 1", "'' + new Error('m')", '"Error: m"'],
    ["a regular expression's last match", "/(a+)/.test('aaa')", "typeof RegExp.$1", '"undefined"'],
    ["a regular expression's position", "var r = /a/g; r.test('aa'); r.lastIndex", "var r = /a/g; r.lastIndex", "0"],
    [
      "a started generator",
      "var g = (function* () { yield 1; yield 2 })(); g.next().value",
      "var g = (function* () { yield 1 })(); g.next().value",
      "1",
    ],
    ["a promise's job", "Promise.resolve().then(() => { globalThis.late = 1 }); 1", "typeof late", '"undefined"'],
    [
      "an async function that goes on",
      "(async () => { await 0; globalThis.late = 1 })(); 1",
      "typeof late",
      '"undefined"',
    ],
    ["a change of the input", "$.a = 2; $.list.push(1); delete $.b; 1", "[$.a, $.list, $.b]", "[1,[],1]"],
    [
      "a change of the input kept in a closure",
      "globalThis.keep = ((o) => () => o)($); $.a = 5",
      "[typeof keep, $.a]",
      '["undefined",1]',
    ],
    ["another input", "$ = { a: 9 }; 1", "$.a", "1"],
    ["a frozen input", "Object.freeze($.list); 1", "$.list.push(1)", "1"],
    ["a cached template object", "(s => s)`a` && 1", "((s) => s.length)`a`", "1"],
    [
      "the text of a large string",
      "'secret'.repeat(80000).length",
      "new Uint8Array(4e5).every((b) => b === 0)",
      "true",
    ],
  ])("%s", async (_name, poison, probe, text) => {
    const input = { a: 1, b: 1, list: [] };
    await outcomes(sandbox, poison, input);
    expect(await outcomes(sandbox, probe, input)).toEqual([value(text)]);
    expect(await outcomes(sandbox, poison, input)).toHaveLength(1);
  });

  test("a script that counts in its own variables always starts from the same", async () => {
    const source = "var n = (typeof n === 'undefined' ? 0 : n) + 1; globalThis.m = (globalThis.m ?? 0) + 1; [n, m]";
    expect(await outcomes(sandbox, source)).toEqual([value("[1,1]")]);
  });

  test("the state of a script that failed", async () => {
    expect(await outcomes(sandbox, "Object.prototype.y = 1; throw new Error('x')")).toHaveLength(1);
    expect(await outcomes(sandbox, "({}).y")).toEqual([value("null")]);
  });
});

test("random numbers do not repeat from one evaluation to the next", async () => {
  const texts = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const outcome = await sandbox.evaluate("[Math.random(), Math.random()]", "{}");
    texts.add(JSON.stringify(outcome));
  }
  expect(texts.size).toBe(20);
});

describe("a script that changes the built-ins", () => {
  test.each([
    [
      "every function the sandbox itself uses",
      "Object.keys = Object.create = Object.getPrototypeOf = Object.defineProperty = Array.isArray = JSON.parse = JSON.stringify = Function.prototype.call = Function.prototype.bind = Map.prototype.forEach = Object.prototype.toString = () => { throw 1 }",
    ],
    ["the constructors", "String = Number = TypeError = Error = Map = Object = Array = undefined"],
    ["iteration", "Array.prototype[Symbol.iterator] = Map.prototype[Symbol.iterator] = undefined"],
    ["then", "Object.prototype.then = function (settle) { settle({ value: 'forged' }) }"],
    ["all prototypes", "for (var c of [Object, Array, Map, Function]) Object.freeze(c.prototype)"],
  ])("still gives its own result after %s", async (_name, change) => {
    const source = `var m = new Map([['a', [new Map([['b', 1]])]]]); ${change}; m`;
    expect(await outcomes(sandbox, source)).toEqual([value('{"a":[{"b":1}]}')]);
  });
});

test.each([
  "Object.prototype.toJSON = () => undefined; (function () {})",
  "Object.prototype.toJSON = () => undefined; Symbol()",
  "Object.prototype.toJSON = () => () => 1; ({})",
  "BigInt.prototype.toJSON = () => Symbol(); 1n",
  "({ toJSON: () => ({ toJSON: () => undefined }) })",
])("a result is JSON text even after %s", async (source) => {
  for (const outcome of await outcomes(sandbox, source)) {
    expect(outcome.kind).toBe("value");
    expect(() => JSON.parse(outcome.kind === "value" ? outcome.text : "")).not.toThrow();
  }
});

describe("a script cannot reach the host", () => {
  test.each([
    "console",
    "print",
    "load",
    "require",
    "process",
    "module",
    "std",
    "os",
    "Java",
    "Packages",
    "fetch",
    "setTimeout",
    "setInterval",
    "setImmediate",
    "queueMicrotask",
    "structuredClone",
    "Buffer",
    "WebAssembly",
    "Worker",
    "navigator",
    "performance",
    "bjson",
    "scriptArgs",
  ])("through %s, which is not defined", async (name) => {
    expect(await outcomes(sandbox, `typeof ${name}`)).toEqual([value('"undefined"')]);
  });

  test("through any global that is not of the language", async () => {
    const [outcome] = await outcomes(sandbox, "Object.getOwnPropertyNames(globalThis).sort()");
    const names: string[] = outcome?.kind === "value" ? JSON.parse(outcome.text) : [];
    const known = new Set([...Object.getOwnPropertyNames(globalThis), "$", "InternalError"]);
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  test.each([
    ["the constructor of a function", "this.constructor.constructor('return typeof process')()"],
    ["the function given by the host", "Math.random.constructor('return typeof process')()"],
    ["the realm of that function", "Object.getPrototypeOf(Math.random).constructor('return typeof require')()"],
    ["indirect eval", "(0, eval)('typeof process')"],
    [
      "a stack",
      "var e = new Error(); Error.prepareStackTrace = (_, s) => s; typeof e.stack === 'string' ? 'undefined' : e.stack",
    ],
    ["callers", "(function f() { return f.caller === undefined || f.caller === null ? 'undefined' : 'seen' })()"],
  ])("through %s", async (_name, source) => {
    const [outcome] = await outcomes(sandbox, `try { ${source} } catch { 'undefined' }`);
    expect(outcome).toEqual(value('"undefined"'));
  });

  test("through imports", async () => {
    expect(await sandbox.evaluate("import('node:fs')", "{}")).toMatchObject({ kind: "error" });
    expect(await sandbox.evaluate("import fs from 'node:fs'; fs", "{}")).toMatchObject({ kind: "error" });
    expect(await sandbox.evaluate("import.meta", "{}")).toMatchObject({ kind: "error" });
  });

  test("through arguments of the function given by the host", async () => {
    const source = "typeof Math.random.call({ then() {} }, globalThis, () => 1, Symbol())";
    expect(await outcomes(sandbox, source)).toEqual([value('"number"')]);
  });
});
