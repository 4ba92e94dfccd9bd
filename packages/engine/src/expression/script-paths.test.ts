import { describe, expect, test } from "vitest";
import { aLazy, stored } from "./a-scope.ts";
import { RawJson } from "./raw-json.ts";
import { pickPaths, scriptPaths } from "./script-paths.ts";

function pathsOf(source: string): unknown {
  const paths = scriptPaths(source);
  return paths === "all" ? "all" : Object.fromEntries(paths);
}

describe("scriptPaths", () => {
  test.each<[source: string, paths: unknown]>([
    ["$.lp['iteration'] < $.n", { lp: [["iteration"]], n: [[]] }],
    ["1 + 1", {}],
    ["$.a", { a: [[]] }],
    ['$["a b"].c', { "a b": [["c"]] }],
    ["$.a.b[0].c", { a: [["b", "0", "c"]] }],
    ["$[0]", { "0": [[]] }],
    ["$?.a?.b?.['c']?.[1]", { a: [["b", "c", "1"]] }],
    ["$ . a\n  .b", { a: [["b"]] }],
    ["$.a.b.toString()", { a: [["b"]] }],
    ["$.list.map(x => x.id).length", { list: [[]] }],
    ["$.list.map (f)", { list: [[]] }],
    ["$.a.f?.(1)", { a: [[]] }],
    ["$.a.tag`x`", { a: [[]] }],
    ["$.a.length", { a: [["length"]] }],
    ["$.a[i].b", { a: [[]] }],
    ["$.a[$.i].b", { a: [[]], i: [[]] }],
    ["$.a[`b`]", { a: [[]] }],
    ["$.a['b\\n']", { a: [[]] }],
    ["$.a['b' + x]", { a: [[]] }],
    ["$.a[01]", { a: [[]] }],
    ["$.a.b + $.a.c + $.a.b", { a: [["b"], ["c"]] }],
    ["$.a.b.c + $.a.b", { a: [["b"]] }],
    ["$.a.b + $.a", { a: [[]] }],
    ["[...$.list, ...$.more.items]", { list: [[]], more: [["items"]] }],
    ["`${$.a.b} and ${x}`", { a: [["b"]] }],
    ["`n${$.a}`", { a: [[]] }],
    ["(function () { return $.n > 1 ? true : false; })()", { n: [[]] }],
    ["const $x = 1, a$ = 2, $$ = 3; $x + a$ + $$", {}],
    ["/^a$/.test($.s)", { s: [[]] }],
    ["/\\$/.test($.s)", { s: [[]] }],
    ["$.a.b/* hidden */('x')", { a: [[]] }],
    ["$.a == 1 ? $.b : $.c", { a: [[]], b: [[]], c: [[]] }],
    ["'in text $.t.u'", { t: [["u"]] }],
    ["$.a.b$c", { a: [[]] }],
    ["$.ünï.x", { ünï: [["x"]] }],
    ["$.x = 5; $.x + $.y.z", { x: [[]], y: [["z"]] }],
  ])("%s reads %j", (source, paths) => {
    expect(pathsOf(source)).toEqual(paths);
  });

  test.each([
    "$",
    "JSON.stringify($)",
    "Object.keys($)",
    "const { a } = $;",
    "const q = $, x = q.a;",
    "$[name]",
    "$['a\\u0062']",
    "$.hasOwnProperty('a')",
    "$.keys()",
    "$.a // maybe ()",
    "for (const k in $) {}",
    "(($) => $.a)(x)",
    "'$'",
    "\\u0024.a",
    '"\\x24"',
    "eval('x')",
    "new Function('return 1')",
    "[].constructor",
    "globalThis.x",
    "this.x",
    "$\n{}",
    "$./* c */a",
    "$.$",
    "$.a\\u0062",
  ])("%s may read anything", (source) => {
    expect(scriptPaths(source)).toBe("all");
  });

  test("a member with very many paths is taken whole", () => {
    const source = Array.from({ length: 500 }, (_, index) => `$.a.x${index}`).join(" + ");
    expect(pathsOf(source)).toEqual({ a: [[]] });
  });

  test.each(["$.", "$.a/*", "$['", "$[", "$ ", "$?.", "$.a.", "$['a']"])("scans a long run of %j at once", (unit) => {
    const source = unit.repeat(50_000);
    const started = performance.now();
    scriptPaths(source);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe("pickPaths", () => {
  test("asks a lazy node only for what is named", () => {
    const asked: string[] = [];
    const loop = aLazy({ iteration: 3, "1": new RawJson("{not json}"), last: stored({ x: 1, y: 2 }) }, asked);
    expect(pickPaths(loop, [["iteration"], ["last", "x"], ["nope", "deep"]])).toEqual({ iteration: 3, last: { x: 1 } });
    expect(asked).toEqual(["iteration", "last", "nope"]);
  });

  test("takes a list or a scalar whole where a path goes into it", () => {
    const node = { list: [1, 2], text: "abc", n: 1, nul: null };
    const paths = [
      ["list", "length"],
      ["text", "length"],
      ["n", "x", "y"],
      ["nul", "x"],
    ];
    expect(pickPaths(node, paths)).toEqual(node);
    expect(pickPaths([1, 2], [["0"]])).toEqual([1, 2]);
    expect(pickPaths(stored("abc"), [["length"]])).toBe("abc");
  });

  test("takes everything when the node itself is read", () => {
    expect(pickPaths(aLazy({ a: 1, b: 2 }), [[]])).toEqual({ a: 1, b: 2 });
    expect(pickPaths(stored({ a: 1 }), [[]])).toEqual({ a: 1 });
  });

  test("leaves missing paths absent and keeps null", () => {
    expect(pickPaths({ a: { b: null } }, [["a", "b"], ["a", "c"], ["toString"]])).toEqual({ a: { b: null } });
  });
});
