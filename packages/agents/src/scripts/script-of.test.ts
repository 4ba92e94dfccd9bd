import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { inline } from "../compile/tasks.ts";
import { escapeExpressions, scriptOf } from "./script-of.ts";

test("a script is its function, applied to $ and to what is known", () => {
  expect(scriptOf((input: { a: number }, known: { b: number }) => input.a + known.b, { b: 2 })).toMatch(
    /^\(.*\)\(\$, \{"b":2\}\)$/s,
  );
});

test("what looks like an expression in a script or its data stays text", () => {
  expect(escapeExpressions("a ${b} $${c}")).toBe("a $${b} $$${c}");
  const task = inline(
    "t",
    scriptOf((_input: object, known: { text: string }) => `${known.text}`, { text: "${workflow.input.x}" }),
  );
  const { expression } = task["inputParameters"] as { expression: string };
  expect(expression.replaceAll("$${", "")).not.toContain("${");
});

function greet({ name }: { name: string }, { polite }: { polite: boolean }): string {
  return polite ? bow(name) : `${name}!`;
}

function bow(name: string): string {
  return `Dear ${name}`;
}

test("the functions a script calls by their names go along", () => {
  const source = scriptOf(greet, { polite: true }, undefined, [bow]);
  expect(runInNewContext(source, { $: { name: "Ada" } })).toBe("Dear Ada");
});

test.each(["${a}", "$${a}", "$$${a} ${b}", "no $ at all {}"])("an escaped %s comes back as it was", (text) => {
  expect(escapeExpressions(text).split("$${").join("${")).toBe(text);
});
