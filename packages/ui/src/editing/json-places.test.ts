import { expect, test } from "vitest";
import { findPlace } from "./json-places.ts";

const text = `{
  "name": "order",
  "tasks": [
    { "name": "a" },
    {
      "name": "route",
      "decisionCases": {
        "in.stock": [
          { "name": "" }
        ]
      }
    }
  ]
}`;

const at = (...steps: string[]) => {
  const { from, to } = findPlace(text, steps);
  return text.slice(from, to);
};

test("a value is found by the steps to it", () => {
  expect(at("name")).toBe('"order"');
  expect(at("tasks", "0", "name")).toBe('"a"');
  expect(at("tasks", "1", "decisionCases", "in.stock", "0", "name")).toBe('""');
});

test("a container is marked where it begins, what is missing where it should be", () => {
  expect(at("tasks")).toBe("[");
  expect(at("tasks", "0")).toBe('{ "name": "a" },');
  expect(at("tasks", "1", "evaluatorType")).toBe("{");
  expect(findPlace(text, ["tasks", "1", "evaluatorType"]).from).toBe(text.indexOf('{\n      "name": "route"'));
  expect(at()).toBe("{");
});

test("a text that is no JSON has places too", () => {
  expect(findPlace("", ["name"])).toEqual({ from: 0, to: 0 });
  expect(findPlace('{"name": ', ["name"]).from).toBeLessThanOrEqual(9);
});
