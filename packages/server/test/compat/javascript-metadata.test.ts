import { describe, expect, test } from "vitest";
import { aName, aWorkflow, simple } from "../support/definitions.ts";
import { useSdk } from "./javascript-sdk.ts";

const sdk = useSdk();
const client = () => sdk.clients.getMetadataClient();
const oneTask = [{ name: "a", taskReferenceName: "a", type: "SIMPLE" }];

describe("MetadataClient of the JavaScript SDK", () => {
  test("registers, reads, changes and removes task definitions", async () => {
    const metadata = client();
    const name = aName("js_task");
    await metadata.registerTask({ name, retryCount: 2, timeoutSeconds: 60, responseTimeoutSeconds: 30 });
    expect(await metadata.getTask(name)).toMatchObject({ name, retryCount: 2, responseTimeoutSeconds: 30 });
    await metadata.updateTask({ name, retryCount: 4, timeoutSeconds: 0 });
    expect(await metadata.getTask(name)).toMatchObject({ retryCount: 4, timeoutSeconds: 0 });
    await metadata.unregisterTask(name);
    await expect(metadata.getTask(name)).rejects.toThrow(/No such taskType found by name/);
  });

  test("registers many task definitions at once and lists them all", async () => {
    const metadata = client();
    const names = [aName("js_many"), aName("js_many")];
    await metadata.registerTasks(names.map((name) => ({ name, timeoutSeconds: 0 })));
    expect((await metadata.getAllTaskDefs()).map((def) => def.name)).toEqual(expect.arrayContaining(names));
  });

  test("registers, reads, replaces and removes workflow definitions", async () => {
    const metadata = client();
    const name = aName("js_def");
    await metadata.registerWorkflowDef({ name, version: 1, tasks: oneTask, timeoutSeconds: 0 });
    await metadata.registerWorkflowDef({ name, version: 1, tasks: oneTask, timeoutSeconds: 9 }, true);
    await metadata.registerWorkflowDef({ name, version: 2, tasks: oneTask, timeoutSeconds: 7 });
    expect(await metadata.getWorkflowDef(name)).toMatchObject({ version: 2, timeoutSeconds: 7 });
    expect(await metadata.getWorkflowDef(name, 1)).toMatchObject({ version: 1, timeoutSeconds: 9 });
    const all = (await metadata.getAllWorkflowDefs()).filter((def) => def.name === name);
    expect(all.map((def) => def.version).sort()).toEqual([1, 2]);
    await metadata.unregisterWorkflow(name, 2);
    expect(await metadata.getWorkflowDef(name)).toMatchObject({ version: 1 });
  });

  test("says a conflict in the server's words", async () => {
    const def = { name: aName("js_twice"), version: 1, tasks: oneTask, timeoutSeconds: 0 };
    await client().registerWorkflowDef(def, false);
    await expect(client().registerWorkflowDef(def, false)).rejects.toThrow(/already exists/);
  });

  test("tags workflow definitions", async () => {
    const metadata = client();
    const name = aName("js_tagged");
    await sdk.plain.register(aWorkflow(name, [simple("a")]));
    await metadata.addWorkflowTag({ key: "team", value: "blue", type: "METADATA" }, name);
    await metadata.addWorkflowTag({ key: "stage", value: "test" }, name);
    expect(await metadata.getWorkflowTags(name)).toMatchObject([
      { key: "team", value: "blue" },
      { key: "stage", value: "test" },
    ]);
    await metadata.deleteWorkflowTag({ key: "team", value: "blue", type: "METADATA" }, name);
    expect(await metadata.getWorkflowTags(name)).toMatchObject([{ key: "stage", value: "test" }]);
    await metadata.setWorkflowTags([{ key: "only", value: "one" }], name);
    expect(await metadata.getWorkflowTags(name)).toMatchObject([{ key: "only", value: "one" }]);
  });

  test("tags task definitions", async () => {
    const metadata = client();
    const name = aName("js_tagged_task");
    await metadata.registerTask({ name, timeoutSeconds: 0 });
    await metadata.addTaskTag({ key: "team", value: "red" }, name);
    expect(await metadata.getTaskTags(name)).toMatchObject([{ key: "team", value: "red" }]);
    await metadata.setTaskTags(
      [
        { key: "a", value: "1" },
        { key: "b", value: "2" },
      ],
      name,
    );
    await metadata.deleteTaskTag({ key: "a", value: "1" }, name);
    expect(await metadata.getTaskTags(name)).toMatchObject([{ key: "b", value: "2" }]);
  });
});
