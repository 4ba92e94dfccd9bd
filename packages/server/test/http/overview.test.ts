import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aTask, aWorkflow, simple } from "../support/definitions.ts";
import { NODES, startServer, type TestServer } from "../support/server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

type Minute = { started: number; completed: number; failed: number; terminated: number };
type Overview = { running: number; waiting: number; minutes: Minute[]; queues: object[]; definitions: object[] };

const total = ({ minutes }: Overview, name: keyof Minute): number =>
  minutes.reduce((sum, minute) => sum + minute[name], 0);

// Each server has its own.
describe.skipIf(NODES > 0)("the overview", () => {
  test("counts what began, what ended how, and what waits", async () => {
    const { client } = server;
    await client.registerTasks(aTask("weigh"));
    await client.register(aWorkflow("parcel", [simple("weigh")]));
    for (let i = 0; i < 4; i += 1) await client.start("parcel");
    await client.complete(await client.take("weigh", { workerid: "scale-1" }));
    await client.update(await client.take("weigh", { workerid: "scale-1" }), { status: "FAILED" });
    const overview = (await client.send("GET", "/admin/overview")).json as Overview;
    expect(overview).toMatchObject({ running: 2, paused: 0, waiting: 2 });
    expect(overview.queues).toEqual([expect.objectContaining({ name: "weigh", size: 2, workerId: "scale-1" })]);
    expect(overview.definitions).toEqual([expect.objectContaining({ name: "parcel", ended: 2, failed: 1 })]);
    expect(overview.minutes).toHaveLength(60);
    expect([total(overview, "started"), total(overview, "completed"), total(overview, "failed")]).toEqual([4, 1, 1]);
  });

  test("is told again when something was committed", async () => {
    const { client } = server;
    const response = await fetch(`${client.base}/admin/overview/stream`, { signal: AbortSignal.timeout(10_000) });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const told = events(response);
    const before = await next(told);
    await client.start("parcel");
    const after = await next(told);
    expect(after.running).toBe(before.running + 1);
    await told.return(undefined);
  });
});

async function next(told: AsyncGenerator<Overview>): Promise<Overview> {
  const { value } = await told.next();
  if (value === undefined) throw new Error("The stream ended");
  return value;
}

async function* events(response: Response): AsyncGenerator<Overview, undefined> {
  if (response.body === null) throw new Error("Expected a body");
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data) as Overview;
    }
  }
  return undefined;
}
