import { expect } from "vitest";
import { type Client, eventually, type WireExecution } from "../support/client.ts";
import { aWorkflow, entry } from "../support/definitions.ts";
import { startServer } from "../support/server.ts";
import { type BrokerUnderTest, listening } from "./kill-with-broker.ts";

/** Executions of a definition, once there are so many. */
export const foundExecutions = (client: Client, name: string, count: number): Promise<readonly WireExecution[]> =>
  eventually(async () => {
    const query = encodeURIComponent(`workflowType = ${name}`);
    const { results } = (await client.get(`/workflow/search-v2?query=${query}`)).json as { results: WireExecution[] };
    return results.length >= count ? results : undefined;
  }, 30_000);

/** Messages that come after the connection was lost are handled too, and none twice. */
export async function surviveLostConnection(broker: BrokerUnderTest, cut: () => void): Promise<void> {
  const { settings, event, path } = broker;
  const server = await startServer({ settings });
  try {
    const { client } = server;
    await client.register(aWorkflow("target", [entry("NOOP", "n")]));
    const start_workflow = { name: "target", input: { n: `\${${path}}` } };
    const actions = [{ action: "start_workflow", start_workflow }];
    await client.post("/event", { name: "h", event, active: true, actions });
    await listening(client, event);
    await broker.publish([1, 2, 3]);
    await foundExecutions(client, "target", 3);
    cut();
    await broker.publish([4, 5, 6]);
    const executions = await foundExecutions(client, "target", 6);
    expect(executions.map(({ input }) => input["n"]).sort()).toEqual([1, 2, 3, 4, 5, 6]);
  } finally {
    await server.close();
  }
}

/** What an EVENT task publishes and what others publish both reach a handler of the queue. */
export async function publishAndHandle(broker: BrokerUnderTest, sink = broker.event): Promise<void> {
  const { settings, event, path } = broker;
  const server = await startServer({ settings });
  try {
    const { client } = server;
    await client.register(
      aWorkflow("target", [entry("NOOP", "n")]),
      aWorkflow("source", [entry("EVENT", "e", { sink, inputParameters: { n: "${workflow.input.n}" } })]),
    );
    const start_workflow = { name: "target", input: { n: `\${${path}}` } };
    await client.post("/event", {
      name: "h",
      event,
      active: true,
      actions: [{ action: "start_workflow", start_workflow }],
    });
    await listening(client, event);
    const id = await client.start("source", { n: 7 });
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED", output: { n: 7, event_produced: sink } });
    await broker.publish([8]);
    const executions = await foundExecutions(client, "target", 2);
    expect(executions.map(({ input }) => input["n"]).sort()).toEqual([7, 8]);
    expect(executions[0]).toMatchObject({ event });

    await client.put("/event", {
      name: "h",
      event,
      active: false,
      actions: [{ action: "start_workflow", start_workflow }],
    });
    expect((await client.get("/event/subscription")).json).toEqual([]);
    expect(server.errors).toEqual([]);
  } finally {
    await server.close();
  }
}
