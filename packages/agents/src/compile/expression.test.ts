import { expect, test } from "vitest";
import { authored, literal, markedHeaders, secretHeaders } from "./expression.ts";

test("an author's expressions stay, other text that looks like one is escaped", () => {
  expect(authored("Use ${HOME} for ${workflow.input.user}")).toBe("Use $${HOME} for ${workflow.input.user}");
});

test("data of others holds no expressions at all", () => {
  expect(literal({ a: ["${workflow.secrets.X}"], b: 1 })).toEqual({ a: ["$${workflow.secrets.X}"], b: 1 });
});

test("placeholders in headers are secrets: at once in a task, marked in a script", () => {
  const headers = { A: "Bearer ${TOK}", B: "${DB.password}", C: "${workflow.input.x}", D: 1 };
  expect(secretHeaders(headers)).toEqual({
    A: "Bearer ${workflow.secrets.TOK}",
    B: "${workflow.secrets.DB.password}",
    C: "${workflow.input.x}",
    D: 1,
  });
  expect(markedHeaders(headers)).toEqual({ A: "Bearer #{TOK}", B: "#{DB.password}", C: "${workflow.input.x}", D: 1 });
});
