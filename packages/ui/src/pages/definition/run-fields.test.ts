import { expect, test } from "vitest";
import { readInput, runFields, showInput } from "./run-fields.ts";

const definition = {
  name: "order",
  version: 1,
  inputParameters: ["id"],
  inputTemplate: { country: "DE" },
  inputSchema: {
    data: {
      required: ["id"],
      properties: { id: { type: "integer", description: "Of the order" }, size: { type: "string", enum: ["S", "L"] } },
    },
  },
  tasks: [
    { name: "a", taskReferenceName: "a", type: "SIMPLE", inputParameters: { note: "${workflow.input.note.text}" } },
  ],
};

test("the form asks for what the schema says, then for what is named or read", () => {
  expect(runFields(definition)).toEqual([
    { name: "id", kind: "number", isRequired: true, hint: "Of the order" },
    { name: "size", kind: { options: ["S", "L"] }, isRequired: false },
    { name: "country", kind: "any", isRequired: false },
    { name: "note", kind: "any", isRequired: false },
  ]);
});

test("what is typed is sent as what it is, and shown as it was typed", () => {
  const any = { name: "x", kind: "any", isRequired: false } as const;
  for (const value of [42, "42", "hello", true, "true", null, { a: [1] }]) {
    expect(readInput(any, showInput(any, value))).toEqual(value);
  }
  const text = { name: "x", kind: "text", isRequired: false } as const;
  expect(readInput(text, "42")).toBe("42");
  expect(readInput(any, "")).toBeUndefined();
  expect(() => readInput({ name: "n", kind: "number", isRequired: true }, "four")).toThrow(/n to be a number/);
});
