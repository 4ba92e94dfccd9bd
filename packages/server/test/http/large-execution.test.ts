import { afterAll, beforeAll, expect, test } from "vitest";
import { aWorkflow, entry } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const BRANCHES = 300;

test("a large execution is read whole, whatever its texts are written in", async () => {
  const { client } = server;
  const fork = {
    dynamicForkTasksParam: "tasks",
    dynamicForkTasksInputParamName: "inputs",
    inputParameters: { tasks: "${workflow.input.tasks}", inputs: "${workflow.input.inputs}" },
  };
  await client.register(
    aWorkflow("large", [entry("FORK_JOIN_DYNAMIC", "fork", fork), { ...entry("JOIN", "join"), joinOn: [] }]),
  );
  const refs = Array.from({ length: BRANCHES }, (_, index) => `größe_${index}`);
  const tasks = refs.map((taskReferenceName, index) => ({
    name: "piece",
    taskReferenceName,
    type: "SET_VARIABLE",
    // Most branches are alike; some have parameters of their own, and some an entry of their own.
    ...(index % 3 === 0 ? { inputParameters: { snow: `☃ ${index}` } } : {}),
    ...(index % 50 === 0 ? { optional: true } : {}),
  }));
  const inputs = Object.fromEntries(refs.map((ref, index) => [ref, { text: `naïve 😀 ${"x".repeat(200)} ${index}` }]));
  const input = { tasks, inputs, long: "größer ".repeat(100_000) };
  const id = await client.start("large", input);
  const execution = await client.ended(id);
  expect(execution.status).toBe("COMPLETED");
  expect(execution["input"]).toEqual(input);
  const forked = execution.tasks.find(({ taskType }) => taskType === "FORK")?.inputData["forkedTaskDefs"] as object[];
  for (const [index, ref] of refs.entries()) {
    const own = tasks[index]?.inputParameters ?? {};
    const task = execution.tasks.find(({ referenceTaskName }) => referenceTaskName === ref);
    const shown = { name: "piece", taskReferenceName: ref, type: "SET_VARIABLE", optional: index % 50 === 0 };
    expect(task?.["workflowTask"]).toMatchObject({ ...shown, inputParameters: own });
    expect(forked[index]).toMatchObject({ ...shown, inputParameters: { ...own, ...inputs[ref] } });
    expect(task?.inputData).toMatchObject({ ...own, ...inputs[ref] });
  }

  const hangUp = new AbortController();
  const answer = await fetch(`${client.base}/workflow/${id}`, { signal: hangUp.signal });
  await answer.body?.getReader().read();
  hangUp.abort();
  expect(await client.execution(id)).toEqual(execution);
});
