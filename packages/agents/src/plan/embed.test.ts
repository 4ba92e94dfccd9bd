import { Script } from "node:vm";
import { expect, test } from "vitest";
import { embed, embedInInput, literal } from "./embed.ts";

function greet({ name }: { name: string }, { polite }: { polite: boolean }): string {
  return polite ? bow(name) : `${name}!`;
}

function bow(name: string): string {
  return `Dear ${name}`;
}

const evaluate = (source: string, $: unknown): unknown => new Script(source).runInNewContext({ $ });

test("an embedded function gets $, its constants, and the functions it uses", () => {
  const source = embed(greet, { using: [bow], constants: { polite: true } });
  expect(evaluate(source, { name: "Ada" })).toBe("Dear Ada");
});

test("in a task's input the script holds no expression, and is itself again when the input is resolved", () => {
  const source = embedInInput(greet, { using: [bow], constants: { polite: false } });
  expect(source).not.toMatch(/(?<!\$)\$\{/);
  expect(evaluate(source.split("$${").join("${"), { name: "Ada" })).toBe("Ada!");
});

test.each(["${a}", "$${a}", "$$${a} ${b}", "no $ at all {}"])("a literal %s comes back as it was", (text) => {
  expect(literal(text).split("$${").join("${")).toBe(text);
});
