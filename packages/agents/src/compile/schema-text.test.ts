import { expect, test } from "vitest";
import { schemaText } from "./schema-text.ts";

test.each([
  [
    {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "integer" }, c: { type: "number" }, d: { type: "boolean" } },
    },
    "{'a': str, 'b': int, 'c': float, 'd': bool}",
  ],
  [{ type: "array", items: { type: "string" } }, "[str]"],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, "str | None"],
  [{ type: ["integer", "null"] }, "int | None"],
  [{ enum: ["a", 1] }, '["a",1]'],
  [
    {
      $defs: { P: { type: "object", properties: { n: { type: "string" } } } },
      type: "array",
      items: { $ref: "#/$defs/P" },
    },
    "[{'n': str}]",
  ],
  [{ $defs: { T: { type: "object", properties: { next: { $ref: "#/$defs/T" } } } }, $ref: "#/$defs/T" }, "{'next': T}"],
  [{ $ref: "#/nowhere" }, "nowhere"],
  [{}, "any"],
])("%j is %s", (schema, text) => {
  expect(schemaText(schema)).toBe(text);
});
