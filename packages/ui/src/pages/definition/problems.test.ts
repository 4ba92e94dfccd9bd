import { expect, test } from "vitest";
import { ApiError } from "../../api/client.ts";
import { toProblems } from "./problems.ts";

const refused = (message: string, errors?: readonly { path: string; message: string }[]) =>
  new ApiError(message, {
    status: 400,
    body: {
      status: 400,
      message,
      instance: "",
      retryable: false,
      ...(errors === undefined ? {} : { validationErrors: errors }),
    },
  });

test("the server's paths become steps", () => {
  const error = refused("Validation failed", [
    { path: "validateWorkflowDef.arg0.tasks[1].decisionCases[x].<map value>[0].name", message: "empty" },
    { path: "validateWorkflowDef.arg0.tasks[2].forkTasks[0].<list element>[1]", message: "no loop" },
  ]);
  expect(toProblems(error, {}).map(({ steps }) => steps)).toEqual([
    ["tasks", "1", "decisionCases", "x", "0", "name"],
    ["tasks", "2", "forkTasks", "0", "1"],
  ]);
  expect(toProblems(refused('Expected tasks[1] to be an object, got "x"'), {})[0]?.steps).toEqual(["tasks", "1"]);
});

test("rules about the whole are shown at the task they name", () => {
  const draft = {
    tasks: [
      { name: "a", taskReferenceName: "one" },
      { name: "b", taskReferenceName: "one", inputParameters: { q: "${nope.output.x}" } },
    ],
  };
  const error = refused("Validation failed", [
    { path: "validateWorkflowDef.arg0", message: "taskReferenceName: one should be unique across tasks for a" },
    {
      path: "validateWorkflowDef.arg0",
      message: "taskReferenceName: nope for given task: b input value: q of input parameter: ${nope.output.x} is not",
    },
    { path: "validateWorkflowDef.arg0", message: "something else" },
  ]);
  expect(toProblems(error, draft).map(({ steps }) => steps)).toEqual([
    ["tasks", "1", "taskReferenceName"],
    ["tasks", "1", "inputParameters", "q"],
    [],
  ]);
});
