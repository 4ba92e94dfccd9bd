import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { aLazy, aScope, stored } from "./a-scope.ts";
import { RawJson, stringifyResolved, toJson } from "./raw-json.ts";
import { substituteSecrets } from "./secrets.ts";
import { compileTemplate, resolveTemplate, resolveTemplateWithSecrets } from "./template.ts";

const data = { i: 1, key: "i", list: [{ id: 1 }, { id: 2 }], text: "$${x} ${workflow.secrets.KEY}" };
const scope = aScope({ workflow: aLazy({ input: stored(data) }), s1: aLazy({ output: stored(data) }) });

/** Strings made of what the language is made of: far more often close to valid than random characters. */
const fragments =
  "${ } $ . .. [ ] ( ) ' \" * ? @ , : == && || ! 0 -1 workflow input s1 output list id length() secrets KEY \\"
    .split(" ")
    .concat(" ", "\n");
const expressionLike = fc.array(fc.constantFrom(...fragments), { maxLength: 40 }).map((parts) => parts.join(""));

describe("whatever a string holds", () => {
  test("it resolves without throwing, to valid JSON", () => {
    fc.assert(
      fc.property(fc.oneof(expressionLike, fc.string({ unit: "grapheme" })), (text) => {
        const result = resolveTemplate(compileTemplate({ text, inside: `\${${text}}` }), scope);
        JSON.parse(stringifyResolved(result));
      }),
      { numRuns: 2000 },
    );
  });

  test("text without a dollar sign is itself", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes("$"));
        expect(resolveTemplate(compileTemplate(text), scope)).toBe(text);
      }),
    );
  });

  test("as data, it comes through a whole-value expression unchanged", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const result = resolveTemplate(compileTemplate("${a.b}"), aScope({ a: stored({ b: value as Json }) }));
        expect(JSON.stringify(toJson(result))).toBe(JSON.stringify(value));
      }),
    );
  });

  test("as data, it never becomes a secret", () => {
    const templates = ["${in.x}", "<${in.x}>", "${in.x}${workflow.secrets.OTHER}", "${workflow.${in.x}}", "${${in.x}}"];
    fc.assert(
      fc.property(expressionLike, fc.constantFrom(...templates), (x, template) => {
        const { value, places } = resolveTemplateWithSecrets(compileTemplate(template), aScope({ in: { x } }));
        const asked: string[] = [];
        substituteSecrets(toJson(value), places, (name) => {
          asked.push(name);
          return "";
        });
        expect(asked.filter((name) => name !== "OTHER")).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test("raw parts are spliced as JSON.stringify would write them", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const tree = { a: new RawJson(JSON.stringify(one)), b: [other as Json, new RawJson(JSON.stringify(other))] };
        expect(JSON.parse(stringifyResolved(tree))).toEqual(JSON.parse(JSON.stringify({ a: one, b: [other, other] })));
      }),
    );
  });
});

describe("cost", () => {
  test.each(["${", "}", "{", "$", "${a", "${}", "${${", "$${", "${a[", "${a['", "${a[?(", "${s1.output.i}", "${a.."])(
    "a long run of %j takes linear time",
    (unit) => {
      const started = performance.now();
      const text = unit.repeat(Math.ceil(200_000 / unit.length));
      resolveTemplate(compileTemplate(text), scope);
      resolveTemplate(compileTemplate(`\${${text}}`), scope);
      expect(performance.now() - started).toBeLessThan(2000);
    },
  );

  test("a task input of two paths resolves more than 300,000 times a second", () => {
    const output = stored({ i: 7, pad: "x".repeat(200) });
    const task = { lazy: true, get: () => output, whole: () => output } as const;
    const chain = aScope({ s1: task });
    const template = compileTemplate({ i: "${s1.output.i}", pad: "${s1.output.pad}" });
    const rounds = 5000;
    // The best of many short windows: what the code can do, whatever else the machine is doing.
    let bestMs = Number.POSITIVE_INFINITY;
    for (let window = 0; window < 40; window += 1) {
      const started = performance.now();
      for (let round = 0; round < rounds; round += 1) resolveTemplate(template, chain);
      bestMs = Math.min(bestMs, performance.now() - started);
    }
    const perSecond = (rounds / bestMs) * 1000;
    expect(perSecond).toBeGreaterThan(300_000);
  });
});
