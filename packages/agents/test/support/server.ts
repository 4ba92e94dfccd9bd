import { startServer as start } from "@downbeat/server/testing";

export type TestServer = {
  /** Ends in /api. */
  readonly base: string;
  readonly close: () => Promise<void>;
};

/** A real server in this process: its own database, a free port of 127.0.0.1. */
export async function startServer(): Promise<TestServer> {
  const { client, close } = await start();
  return { base: client.base, close };
}
