import { expect, test } from "vitest";
import { toText } from "./tidy.ts";

test("what the server filled in and what it keeps is left out, at every depth", () => {
  const entry = {
    startDelay: 0,
    optional: false,
    loopOver: [],
    name: "a",
    taskReferenceName: "a",
    type: "SWITCH",
    inputParameters: { metadata: {} },
    decisionCases: { x: [{ taskReferenceName: "b", name: "b", type: "NOOP", joinOn: [] }] },
  };
  const definition = {
    createTime: 3,
    updateTime: 4,
    tasks: [entry],
    version: 2,
    name: "d",
    metadata: {},
    variables: { n: 1 },
  };
  expect(JSON.parse(toText(definition))).toEqual({
    name: "d",
    version: 2,
    variables: { n: 1 },
    tasks: [
      {
        name: "a",
        taskReferenceName: "a",
        type: "SWITCH",
        inputParameters: { metadata: {} },
        decisionCases: { x: [{ name: "b", taskReferenceName: "b", type: "NOOP" }] },
      },
    ],
  });
});

test("what differs from the default stays", () => {
  const text = toText({
    name: "d",
    version: 1,
    restartable: false,
    tasks: [{ name: "a", optional: true, startDelay: 5 }],
  });
  expect(text).toContain('"restartable": false');
  expect(text).toContain('"optional": true');
  expect(text).toContain('"startDelay": 5');
});
