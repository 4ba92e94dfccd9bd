import { noopLogger, OrkesClients, orkesConductorClient } from "@io-orkes/conductor-javascript";
import { describe, expect, test, vi } from "vitest";
import { aName, aWorkflow, entry } from "../support/definitions.ts";
import { useSdk } from "./javascript-sdk.ts";

const sdk = useSdk();

describe("OrkesClients of the JavaScript SDK", () => {
  test("needs the address alone", async () => {
    const open = await OrkesClients.from({ serverUrl: sdk.plain.base, logger: noopLogger });
    expect(await open.getMetadataClient().getAllWorkflowDefs()).toBeInstanceOf(Array);
    expect(await open.getTaskClient().getQueueSizeForTask([])).toBeInstanceOf(Object);
    const older = await orkesConductorClient({ serverUrl: sdk.plain.base, logger: noopLogger });
    expect((await older.get({ url: "/api/health" })).data).toMatchObject({ healthy: true });
  });

  test("goes on without a token when it has keys, since an open server gives none", async () => {
    const withKeys = await OrkesClients.from({
      serverUrl: sdk.plain.base,
      keyId: "id",
      keySecret: "secret",
      logger: noopLogger,
    });
    const name = aName("js_keys");
    await sdk.plain.register(aWorkflow(name, [entry("WAIT", "w")]));
    const id = await withKeys.getWorkflowClient().startWorkflow({ name });
    expect(await withKeys.getWorkflowClient().getWorkflow(id, false)).toMatchObject({ status: "RUNNING" });
  });

  test("reaches the rest of the interface through its HTTP client", async () => {
    const http = sdk.clients.getClient();
    expect((await http.get({ url: "/api/version" })).data).toEqual(expect.any(String));
    expect((await http.get({ url: "/api/health" })).data).toMatchObject({ healthy: true });
    expect((await http.get({ url: "/api/environment" })).data).toEqual(expect.anything());
    expect((await http.get({ url: "/api/queue/" })).data).toEqual({});
  });
});

describe("WorkflowClient of the JavaScript SDK", () => {
  test("reads executions", async () => {
    // It uses the SDK's older resources, which say so on the console.
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    const name = aName("js_read");
    await sdk.plain.register(aWorkflow(name, [entry("WAIT", "w")]));
    const id = await sdk.plain.start(name);
    const reader = sdk.clients.getAgentWorkflowClient();
    expect(await reader.getWorkflow(id)).toMatchObject({ workflowId: id, tasks: [{ referenceTaskName: "w" }] });
    expect(await reader.getStatus(id)).toBe("RUNNING");
    warned.mockRestore();
  });
});
