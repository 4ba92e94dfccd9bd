import {
  type ConductorWorker,
  noopLogger,
  OrkesClients,
  TaskHandler,
  type TaskHandlerConfig,
  type Workflow,
} from "@io-orkes/conductor-javascript";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type Client, eventually } from "../support/client.ts";
import { startServer, type TestServer } from "../support/server.ts";

type Clients = Awaited<ReturnType<typeof OrkesClients.from>>;

export type Sdk = {
  /** The official clients, given the address alone. */
  readonly clients: Clients;
  /** The test suite's own client, for what the test only needs to have or to see. */
  readonly plain: Client;
  /** The execution once it has ended, read with the official client. */
  readonly ended: (id: string) => Promise<Workflow>;
  /** Starts the SDK's workers; they stop with the test. */
  readonly startWorkers: (workers: ConductorWorker[], more?: Partial<TaskHandlerConfig>) => Promise<TaskHandler>;
  /** Stops it with the test, whatever becomes of the test. */
  readonly stopAfterwards: (stop: () => Promise<unknown>) => void;
};

/** A server for the tests of a file, and the official JavaScript SDK pointed at it. */
export function useSdk(): Sdk {
  let server: TestServer;
  let clients: Clients;
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    server = await startServer({ settings: { "service.workflow-message-queue.enabled": "true" } });
    clients = await OrkesClients.from({ serverUrl: server.client.base, logger: noopLogger });
  });
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()));
  });
  afterAll(async () => {
    await server.close();
    expect(server.errors).toEqual([]);
  });

  return {
    get clients() {
      return clients;
    },
    get plain() {
      return server.client;
    },
    ended: (id) =>
      eventually(async () => {
        const execution = await clients.getWorkflowClient().getWorkflow(id, true);
        return execution.status === "RUNNING" ? undefined : execution;
      }),
    async startWorkers(workers, more = {}) {
      const handler = new TaskHandler({
        client: clients.getClient(),
        workers: workers.map((worker) => ({ pollInterval: 10, ...worker })),
        scanForDecorated: false,
        logger: noopLogger,
        healthMonitor: { enabled: false },
        ...more,
      });
      await handler.startWorkers();
      stops.push(() => handler.stopWorkers());
      return handler;
    },
    stopAfterwards: (stop) => stops.push(stop),
  };
}
