import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { aSandbox, error, outcomes, value } from "./scripts.ts";

const sandbox = aSandbox();
afterAll(() => sandbox.close());

describe("the result of a script", () => {
  test.each([
    ["of an expression", "$.a + 1", "2"],
    ["of a function that is called at once", "(function(){ return $.a < 2; })()", "true"],
    ["of the last expression statement", "var x = $.a; var y = 2; x + y;", "3"],
    ["of the last expression that was evaluated, in a block", "if ($.a) { 'yes' } else { 'no' }", '"yes"'],
    ["of a loop", "for (var i = 0; i < 3; i++) { i * 10 }", "20"],
    ["of an object literal in parentheses", "({ a: $.a })", '{"a":1}'],
    ["of a block, not an object", "{ a: 5 }", "5"],
    ["of declarations only", "var x = 1; let y = 2; function f() {}", "null"],
    ["of an empty text", "", "null"],
    ["of a comment", "// nothing", "null"],
    ["after a comment on the last line", "$.a // the input", "1"],
    ["over several lines", "const a = $.a;\nconst b = a + 1;\n[a, b]", "[1,2]"],
    ["of a strict script", "'use strict'; (function () { return this === undefined; })()", "true"],
    ["of this, which is the global object", "this === globalThis && this.$ === $", "true"],
  ])("is the value %s", async (_name, source, text) => {
    expect(await outcomes(sandbox, source, { a: 1 })).toEqual([value(text)]);
  });

  test.each([
    ["undefined as null", "undefined", "null"],
    ["null as null", "null", "null"],
    ["a boolean", "1 > 2", "false"],
    ["a text", "'a\\u0000\"\\n' + '\\ud83d\\ude00' + '\\ud800'", '"a\\u0000\\"\\n😀\\ud800"'],
    ["an integral number as an integer", "[1.0, -0, 4 / 2, 1e15]", "[1,0,2,1000000000000000]"],
    ["other numbers as they are", "[0.1 + 0.2, 1e21, 5e-324]", "[0.30000000000000004,1e+21,5e-324]"],
    ["what is not a number as text", "[NaN, Infinity, -Infinity]", '["NaN","Infinity","-Infinity"]'],
    ["NaN alone as text", "NaN", '"NaN"'],
    ["a safe BigInt as a number, another as text", "[2n, -(2n ** 64n)]", '[2,"-18446744073709551616"]'],
    ["undefined members as null", "({ a: undefined, b: [undefined, , 1] })", '{"a":null,"b":[null,null,1]}'],
    ["functions and symbols as empty objects", "[() => 1, Symbol('s'), class {}]", "[{},{},{}]"],
    ["a function alone as an empty object", "(function f() {})", "{}"],
    ["a symbol alone as an empty object", "Symbol.iterator", "{}"],
    [
      "a date as ISO text, one that is none as null",
      "[new Date(0), new Date(NaN)]",
      '["1970-01-01T00:00:00.000Z",null]',
    ],
    ["a map as an object", "new Map([['a', 1], [2, new Map([['b', undefined]])]])", '{"2":{"b":null},"a":1}'],
    ["a set as an empty object, which is what JSON makes of it", "new Set([1, 'a'])", "{}"],
    ["a typed array as a list", "new Uint8Array([1, 2])", "[1,2]"],
    ["boxed values as their values", "[new Number(1), new String('a'), new Boolean(false)]", '[1,"a",false]'],
    ["own enumerable members only", "class A { x = 1; get y() { return 2 } }; new A()", '{"x":1}'],
    ["an object without prototype", "Object.assign(Object.create(null), { a: 1 })", '{"a":1}'],
    ["a member named __proto__", 'JSON.parse(\'{"__proto__":{"x":1}}\')', '{"__proto__":{"x":1}}'],
    ["errors and regular expressions as their members", "[new Error('x'), /x/]", "[{},{}]"],
    ["the same object twice", "var o = { a: 1 }; [o, o]", '[{"a":1},{"a":1}]'],
  ])("gives %s", async (_name, source, text) => {
    expect(await outcomes(sandbox, source)).toEqual([value(text)]);
  });

  test.each([
    ["alone", "Promise.resolve(1)"],
    ["of an async function", "(async () => 1)()"],
    ["inside another result", "({ a: [new Promise(() => {})] })"],
  ])("is an error when it is a promise %s", async (_name, source) => {
    const message = "TypeError: A promise is not supported as the result of a script";
    expect(await outcomes(sandbox, source)).toEqual([error(message)]);
  });

  test.each(["var a = []; a[0] = a; a", "var o = { o: {} }; o.o.o = o; o", "var m = new Map(); m.set('m', m); m"])(
    "is an error when it contains itself: %s",
    async (source) => {
      const [outcome, ...others] = await outcomes(sandbox, source);
      expect(outcome?.kind).toBe("error");
      expect(others).toEqual([]);
    },
  );

  test("of any input is that input", async () => {
    const input = fc.jsonValue({ noUnicodeString: false });
    await fc.assert(
      fc.asyncProperty(input, async (given) => {
        const text = JSON.stringify(given);
        expect(await sandbox.evaluate("$.given", `{"given":${text}}`)).toEqual(value(text));
      }),
      { numRuns: 150 },
    );
  });

  test("of a large input comes back whole", async () => {
    const input = JSON.stringify({ text: "äöü".repeat(400_000), list: Array.from({ length: 20_000 }, (_, i) => i) });
    expect(await sandbox.evaluate("$", input)).toEqual(value(input));
  });
});

describe("the input of a script", () => {
  test("is plain objects and lists", async () => {
    const source = "[JSON.stringify($.o), Object.keys($.o), $.list.sort(), $.list.map(x => x + 1), 'o' in $]";
    const [outcome] = await outcomes(sandbox, source, { o: { a: 1 }, list: [2, 1] });
    expect(outcome).toEqual(value('["{\\"a\\":1}",["a"],[1,2],[2,3],true]'));
  });

  test("may be declared again by the script", async () => {
    expect(await outcomes(sandbox, "var $ = $ || 1; $.a", { a: 2 })).toEqual([value("2")]);
    expect(await outcomes(sandbox, "let $ = 3; $")).toEqual([value("3")]);
    expect(await outcomes(sandbox, "function $() { return 4 } $()")).toEqual([value("4")]);
  });
});
