import { expect, test } from "vitest";
import { answerFields, isAnswered, toAnswer } from "./answer-fields.ts";

const fields = answerFields({
  type: "object",
  required: ["count"],
  properties: {
    count: { type: "integer", title: "How many" },
    colour: { enum: ["red", "blue"] },
    is_gift: { type: "boolean" },
    more: { type: "object" },
  },
});

test("a form asks for what its schema describes", () => {
  expect(fields.map(({ label, kind, isRequired }) => ({ label, kind, isRequired }))).toEqual([
    { label: "How many", kind: "number", isRequired: true },
    { label: "colour", kind: "choice", isRequired: false },
    { label: "is gift", kind: "flag", isRequired: false },
    { label: "more", kind: "json", isRequired: false },
  ]);
});

test("what was typed is sent as what it is, and only when it can be read", () => {
  expect(isAnswered(fields, {})).toBe(false);
  expect(isAnswered(fields, { count: "x" })).toBe(false);
  expect(isAnswered(fields, { count: "2", more: "{" })).toBe(false);
  const typed = { count: "2", colour: "red", is_gift: "true", more: '{"a":1}' };
  expect(isAnswered(fields, typed)).toBe(true);
  expect(toAnswer(fields, typed)).toEqual({ count: 2, colour: "red", is_gift: true, more: { a: 1 } });
});

test("a question without a form takes words", () => {
  const plain = answerFields(undefined);
  expect(toAnswer(plain, { message: "the red one" })).toEqual({ message: "the red one" });
});
