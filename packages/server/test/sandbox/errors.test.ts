import { afterAll, describe, expect, test } from "vitest";
import { aSandbox, error, outcomes } from "./scripts.ts";

const sandbox = aSandbox();
afterAll(() => sandbox.close());

describe("an error in a script", () => {
  test.each([
    ["$.a.input", "TypeError: Cannot read property 'input' of undefined", 1],
    ["var x = null;\n\nx.y", "TypeError: Cannot read property 'y' of null", 3],
    ["$.a.b = 1", "TypeError: Cannot set property 'b' of undefined", 1],
    ["missing + 1", "ReferenceError: missing is not defined", 1],
    ["'use strict';\nx = 1", "ReferenceError: x is not defined", 2],
    ["x; let x = 1", "ReferenceError: Cannot access 'x' before initialization", 1],
    ["$.find('a')", "TypeError: $.find is not a function", 1],
    ["var a = {};\n  a.b.c.d()", "TypeError: Cannot read property 'c' of undefined", 2],
    ["new $.a()", "TypeError: $.a is not a constructor", 1],
    ["Object.keys(null)", "TypeError: Cannot convert undefined or null to object", 1],
    [
      "(function () {\n  function f() {\n    throw new RangeError('too far');\n  }\n  f();\n})()",
      "RangeError: too far",
      3,
    ],
    ["\nclass Refused extends Error { name = 'Refused' } throw new Refused('no')", "Refused: no", 2],
    ["JSON.parse('{')", "SyntaxError: Expecting property name", 1],
    ["[1, 2].map(3)", "TypeError: not a function", 1],
  ])("names what is wrong and where: %s", async (source, thrown, line) => {
    expect(await outcomes(sandbox, source)).toEqual([error(thrown, ` at line ${line}`)]);
  });

  test.each([
    ["throw 'out of stock'", "out of stock"],
    ["throw 42", "42"],
    ["throw null", "null"],
    ["throw undefined", "undefined"],
    ["throw Symbol('s')", "Symbol(s)"],
    ["throw { code: 7 }", '{"code":7}'],
    ["throw { toString() { return 'custom' } }", "custom"],
    ["throw Object.create(null)", "{}"],
  ])("shows what was thrown when that is no Error: %s", async (source, thrown) => {
    expect(await outcomes(sandbox, source)).toEqual([error(thrown, " at line 1")]);
    expect(await outcomes(sandbox, `$;\n${source}`)).toEqual([error(thrown, " at line 2")]);
  });

  test("has no line when a script of one line made it itself", async () => {
    expect(await outcomes(sandbox, "throw new Error()")).toEqual([error("Error")]);
    expect(await outcomes(sandbox, "throw TypeError('no')")).toEqual([error("TypeError: no")]);
  });

  test("in a getter of the result is the error of the script", async () => {
    const source = "({ get a() { throw new Error('late') } })";
    expect(await outcomes(sandbox, source)).toEqual([error("Error: late")]);
  });

  test("that throws while it is shown is still an error", async () => {
    const source = "throw { toString() { throw new Error('again') } }";
    expect(await outcomes(sandbox, source)).toEqual([error("InternalError: the error cannot be shown")]);
  });

  test("that says very much is cut", async () => {
    const outcome = await sandbox.evaluate("throw new Error('x'.repeat(1e6))", "{}");
    expect(outcome.kind === "error" ? outcome.message.length : 0).toBeLessThan(11_000);
  });

  test("of syntax is found before anything runs", async () => {
    expect(await outcomes(sandbox, "return 1")).toEqual([error("SyntaxError: return not in a function", " at line 1")]);
    expect(await outcomes(sandbox, "await 1")).toEqual([error("SyntaxError: Expecting ';'", " at line 1")]);
    const [outcome] = await outcomes(sandbox, "$.a;\n$.b +;");
    expect(outcome).toEqual(error("SyntaxError: Unexpected token in expression: ';'", " at line 2"));
  });

  test("in the text of the input is an error too", async () => {
    expect(await sandbox.evaluate("1", "{")).toMatchObject({ kind: "error" });
  });
});

describe("a syntax check", () => {
  test("finds nothing in a script that can be parsed, and runs nothing of it", async () => {
    expect(await sandbox.checkSyntax("for (;;) { missing() }")).toBeUndefined();
    expect(await sandbox.checkSyntax("")).toBeUndefined();
  });

  test("gives the parser's message", async () => {
    expect(await sandbox.checkSyntax("(function(){ return 1 })(")).toMatch(/^SyntaxError: .+ at line 1$/);
    expect(await sandbox.checkSyntax("a\nb c")).toBe("SyntaxError: Expecting ';' at line 2");
    expect(await sandbox.checkSyntax("return 1")).toBe("SyntaxError: return not in a function at line 1");
  });
});
