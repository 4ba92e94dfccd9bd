import { RawJson, type TaskType } from "@downbeat/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Executor } from "../../src/index.ts";
import type { Client } from "../support/client.ts";
import { aName, aWorkflow, entry } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Types a server is given beside its own: one that runs in the transition, one that works outside. */
const shout: TaskType = {
  type: "SHOUT",
  mode: "instant",
  initialStatus: "IN_PROGRESS",
  run: (t, task) => {
    const { text } = t.input(task.no).value as { readonly text?: string };
    return { status: "COMPLETED", output: { text: (text ?? "").toUpperCase() } };
  },
};
const lookUp: TaskType = { type: "LOOK_UP", mode: "outside", initialStatus: "SCHEDULED" };
const lookingUp: Executor = {
  type: "LOOK_UP",
  concurrency: 2,
  run: async ({ input }) => {
    if (input["fails"] === true) throw new Error("nothing there");
    return { status: "COMPLETED", outputMode: "replace", output: new RawJson(JSON.stringify({ found: input["key"] })) };
  },
};

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startServer({ taskTypes: [shout, lookUp], executors: [lookingUp] });
  client = server.client;
});
afterAll(() => server.close());

test("a type that is handed to the server runs like one of its own", async () => {
  const name = aName("own_types");
  await client.register(
    aWorkflow(name, [
      entry("LOOK_UP", "l", { inputParameters: { key: "${workflow.input.key}" } }),
      entry("SHOUT", "s", { inputParameters: { text: "${l.output.found}" } }),
    ]),
  );
  const { status, output } = await client.ended(await client.start(name, { key: "abc" }));
  expect([status, output]).toEqual(["COMPLETED", { text: "ABC" }]);
});

test("an executor that throws fails its task with the reason", async () => {
  const name = aName("own_failure");
  await client.register(aWorkflow(name, [entry("LOOK_UP", "l", { inputParameters: { fails: true } })]));
  const { status, tasks } = await client.ended(await client.start(name));
  expect([status, tasks[0]?.status, tasks[0]?.reasonForIncompletion]).toEqual(["FAILED", "FAILED", "nothing there"]);
});
