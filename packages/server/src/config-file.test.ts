import { expect, test } from "vitest";
import { parseConfigFile } from "./config-file.ts";

const properties = (text: string) => Object.fromEntries(parseConfigFile("a.properties", text));
const json = (text: string) => Object.fromEntries(parseConfigFile("a.json", text));

test.each([
  ["a=1", { a: "1" }],
  ["a = 1 ", { a: "1" }],
  ["a: 1", { a: "1" }],
  ["a 1", { a: "1" }],
  ["a", { a: "" }],
  ["# a=1\n! b=2\n\n  c=3\r\nd=4\n", { c: "3", d: "4" }],
  ["a=x=y:z", { a: "x=y:z" }],
  ["a=one \\\n   two", { a: "one two" }],
  ["a=ends with \\\\\nb=2", { a: "ends with \\", b: "2" }],
  ["a\\=b=1", { "a=b": "1" }],
  ["a=\\u00e9\\t\\q", { a: "é\tq" }],
  ["a[1]=y\na[0]=x\na[4000000000]=z", { a: ["x", "y", "z"] }],
  ["\uFEFFa=1", { a: "1" }],
  ["a=1\na=2", { a: "2" }],
])("the properties %o hold %o", (text, settings) => {
  expect(properties(text)).toEqual(settings);
});

test.each([
  [
    '{"service": {"server": {"port": 9}, "db.type": "sqlite"}}',
    { "service.server.port": "9", "service.db.type": "sqlite" },
  ],
  ['{"a": [1, "b"], "c": true, "d": null}', { a: ["1", "b"], c: "true" }],
])("the JSON %s holds %o", (text, settings) => {
  expect(json(text)).toEqual(settings);
});

test("JSON lists hold plain values or objects, not both", () => {
  expect(json('{"a": [{"b": 1}, {"b": {"c": 2}}]}')).toEqual({ "a[0].b": "1", "a[1].b.c": "2" });
  expect(() => json('{"a": [1, {}]}')).toThrow('hold texts, numbers and booleans, got {} for "a"');
});
