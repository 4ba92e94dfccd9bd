import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { aLazy, aScope, stored } from "./a-scope.ts";
import { RawJson, stringifyResolved, toJson } from "./raw-json.ts";
import type { Scope } from "./scope.ts";
import type { SecretPlace } from "./secret-place.ts";
import { substituteSecrets } from "./secrets.ts";
import { compileTemplate, resolveTemplate, resolveTemplateWithSecrets } from "./template.ts";

const secrets: { readonly [name: string]: string } = {
  KEY: "s3cret",
  prod_KEY: "prod s3cret",
  DB: '{"user": "u", "ports": [1, 2], "nested": {"a": null}}',
};
const lookup = (name: string): string | undefined => secrets[name];
const nowhere = aScope({});

function handedOver(template: Json, scope: Scope = nowhere): Json {
  const { value, places } = resolveTemplateWithSecrets(compileTemplate(template), scope);
  const storedPlaces = JSON.parse(JSON.stringify(places)) as readonly SecretPlace[];
  return substituteSecrets(JSON.parse(stringifyResolved(value)) as Json, storedPlaces, lookup);
}

describe("a secret reference in a definition", () => {
  test.each<[template: Json, result: Json]>([
    ["${workflow.secrets.KEY}", "s3cret"],
    ["${workflow.secrets.NOPE}", null],
    ["${workflow.secrets.DB}", secrets["DB"] ?? null],
    ["${workflow.secrets.DB.user}", "u"],
    ["${workflow.secrets.DB.ports[1]}", 2],
    ["${workflow.secrets.DB.ports}", [1, 2]],
    ["${workflow.secrets.DB.nope}", null],
    ["${workflow.secrets.DB.nope.deeper}", null],
    ["${workflow.secrets.KEY.user}", null],
    ["${workflow['secrets']['KEY']}", "s3cret"],
    ["Bearer ${workflow.secrets.KEY}", "Bearer s3cret"],
    ["<${workflow.secrets.NOPE}>", "<>"],
    ["<${workflow.secrets.KEY.user}>", "<>"],
    ["<${workflow.secrets.DB.nested.a}>", "<>"],
    ["<${workflow.secrets.DB.ports}>", "<[1, 2]>"],
    ["${workflow.secrets.KEY}:${workflow.secrets.NOPE}:${workflow.secrets.DB.user}", "s3cret::u"],
    [
      { a: [{ b: "${workflow.secrets.KEY}" }, "x"], c: 1 },
      { a: [{ b: "s3cret" }, "x"], c: 1 },
    ],
    ["$${workflow.secrets.KEY}", "${workflow.secrets.KEY}"],
    ["${workflow.secrets}", null],
    ["${workflow.secrets.MY KEY}", null],
  ])("%j is handed over as %j", (template, result) => {
    expect(handedOver(template)).toEqual(result);
  });

  test("stays as it was written in what is stored", () => {
    const template = compileTemplate({ whole: "${workflow.secrets.KEY}", text: "k=${workflow.secrets.DB.user};" });
    const { value, places } = resolveTemplateWithSecrets(template, nowhere);
    expect(toJson(value)).toEqual({ whole: "${workflow.secrets.KEY}", text: "k=${workflow.secrets.DB.user};" });
    expect(places).toEqual([
      { path: ["whole"], text: "${workflow.secrets.KEY}" },
      { path: ["text"], text: "${workflow.secrets.DB.user}", at: 2 },
    ]);
    expect(resolveTemplate(compileTemplate("${workflow.secrets.KEY}"), nowhere)).toMatchObject({ secrets: [] });
  });

  test("may take part of its name from data, where the definition says so", () => {
    const template = "${workflow.secrets.${env}_KEY}";
    expect(handedOver(template, aScope({ env: "prod" }))).toBe("prod s3cret");
    expect(handedOver(`<${template}>`, aScope({ env: "prod" }))).toBe("<prod s3cret>");
    for (const env of ["DB.x", "DB['user']", "", "a b", "x}${workflow.secrets.KEY"]) {
      expect(handedOver(template, aScope({ env }))).toBeNull();
    }
  });
});

describe("caller data that looks like a secret reference", () => {
  const literal = "${workflow.secrets.KEY}";

  test.each<[what: string, template: Json, data: Json, result: Json]>([
    ["as a whole value", "${in.x}", literal, literal],
    ["inside an object", "${in}", literal, { x: literal }],
    ["inside text", "<${in.x}>", literal, `<${literal}>`],
    ["beside a real one", "${in.x}${workflow.secrets.KEY}", literal, `${literal}s3cret`],
    ["after a real one", "${workflow.secrets.KEY} ${in.x}", literal, `s3cret ${literal}`],
    ["escaped in data", "<${in.x}>", `$${literal}`, `<${literal}>`],
    ["completed by text", "${in.x}secrets.KEY}", "${workflow.", literal],
    ["ending in a dollar before a real one", "${in.x}${workflow.secrets.KEY}", "US$", "US$s3cret"],
    ["shifting the text by surrogate pairs", "${in.x}${workflow.secrets.KEY}", "😀😀", "😀😀s3cret"],
    ["as a path into the workflow", "${workflow.${in.x}}", "secrets.KEY", null],
    ["as a whole path", "${${in.x}}", "workflow.secrets.KEY", null],
    ["as an expression in a path", "${${in.x}}", literal, null],
  ])("stays data %s", (_what, template, data, result) => {
    expect(handedOver(template, aScope({ in: { x: data } }))).toEqual(result);
  });

  test("is not taken for the reference a definition had put there", () => {
    const places = [
      { path: ["a"], text: "${workflow.secrets.KEY}" },
      { path: ["b"], text: "${workflow.secrets.KEY}", at: 1 },
      { path: ["c", 0, "d"], text: "${workflow.secrets.KEY}" },
    ];
    const changed = { a: "${workflow.secrets.DB}", b: "x", c: [] };
    expect(substituteSecrets(changed, places, lookup)).toEqual(changed);
  });
});

describe("a payload with secret references of its own", () => {
  /** What a parent hands to its child: the stored input and the places in it. */
  function inherited(template: Json): RawJson {
    const { value, places } = resolveTemplateWithSecrets(compileTemplate(template), nowhere);
    return new RawJson(stringifyResolved(value), places);
  }
  const child = aScope({
    workflow: aLazy({
      input: inherited({
        key: "${workflow.secrets.KEY}",
        text: "k=${workflow.secrets.KEY}",
        list: [{ deep: "${workflow.secrets.DB.user}" }],
        plain: "x",
      }),
    }),
  });

  test.each<[template: Json, result: Json]>([
    ["${workflow.input.key}", "s3cret"],
    ["${workflow.input.text}", "k=s3cret"],
    ["Bearer ${workflow.input.key}", "Bearer s3cret"],
    ["<${workflow.input.text}> ${workflow.input.key}", "<k=s3cret> s3cret"],
    ["${workflow.input.list}", [{ deep: "u" }]],
    ["${workflow.input.list[-1].deep}", "u"],
    [{ a: "${workflow.input.list[0]}" }, { a: { deep: "u" } }],
    ["${workflow.input.plain}", "x"],
    ["${workflow.input.list[*].deep}", ["${workflow.secrets.DB.user}"]],
    ["<${workflow.input.list}>", "<[{deep=${workflow.secrets.DB.user}}]>"],
  ])("%j is handed over as %j", (template, result) => {
    expect(handedOver(template, child)).toEqual(result);
  });

  test("keeps its places as a whole", () => {
    const { value, places } = resolveTemplateWithSecrets(compileTemplate({ in: "${workflow.input}" }), child);
    expect(places.map((place) => place.path)).toEqual([
      ["in", "key"],
      ["in", "text"],
      ["in", "list", 0, "deep"],
    ]);
    expect(toJson(value)).toMatchObject({ in: { key: "${workflow.secrets.KEY}" } });
  });

  test("loses its marks in a template that may not hold secrets", () => {
    const result = resolveTemplate(compileTemplate("${workflow.input}"), child);
    expect(result).toBeInstanceOf(RawJson);
    expect(result).toMatchObject({ secrets: [] });
  });
});

test("substituting shares what it does not touch and changes nothing in place", () => {
  const value = { a: ["${workflow.secrets.KEY}", { keep: 1 }], other: { keep: 2 } };
  const before = structuredClone(value);
  const result = substituteSecrets(value, [{ path: ["a", 0], text: "${workflow.secrets.KEY}" }], lookup);
  expect(result).toEqual({ a: ["s3cret", { keep: 1 }], other: { keep: 2 } });
  expect(value).toEqual(before);
  expect((result as typeof value).other).toBe(value.other);
});

test("substituting in a stored input leaves the payload alone", () => {
  const payload = stored({ key: "${workflow.secrets.KEY}" });
  substituteSecrets(payload.value, [{ path: ["key"], text: "${workflow.secrets.KEY}" }], lookup);
  expect(payload.value).toEqual({ key: "${workflow.secrets.KEY}" });
});
