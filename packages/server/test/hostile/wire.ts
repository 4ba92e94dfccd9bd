import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import type { Client } from "../support/client.ts";
import { aName, aWorkflow, entry, simple } from "../support/definitions.ts";

export type RawAnswer = {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
};

/** Sends a request exactly as it is written; fetch would tidy it up. */
export async function sendRaw(
  { base }: Client,
  method: string,
  path: string,
  { headers = {}, body }: { readonly headers?: Record<string, string | string[]>; readonly body?: string } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  // Said explicitly: Node's client sends the body of a DELETE without its length.
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const call = request({
    hostname,
    port,
    method,
    path,
    headers: { ...length, ...headers },
    agent: new Agent(),
    timeout: 15_000,
  });
  call.on("timeout", () => call.destroy(new Error(`Expected an answer to ${method} ${path} within 15 s, got none`)));
  call.end(body);
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

export function openSocket({ base }: Client): Socket {
  const { hostname, port } = new URL(base);
  return connect(Number(port), hostname);
}

/** Sends bytes as they are and reads until the server hangs up. */
export async function sendBytes(client: Client, bytes: string | Buffer): Promise<string> {
  const socket = openSocket(client);
  socket.write(bytes);
  return Buffer.concat(await socket.toArray()).toString();
}

/** Every refusal has the same body, and none of them is the server's fault. */
export function expectRefusal(
  where: string,
  { status, text }: { readonly status: number; readonly text: string },
): void {
  expect([where, status < 500, text.slice(0, 200)]).toEqual([where, true, expect.anything()]);
  const body: unknown = JSON.parse(text);
  expect([where, body]).toEqual([
    where,
    expect.objectContaining({
      status,
      message: expect.stringMatching(/\w/),
      instance: expect.any(String),
      retryable: expect.any(Boolean),
    }),
  ]);
}

/** After whatever happened: an execution starts, a worker gets its task, and it completes. */
export async function expectAlive(client: Client): Promise<void> {
  const name = aName("alive");
  await client.register(aWorkflow(name, [simple(name, "t"), entry("NOOP", "n")]));
  const id = await client.start(name);
  await client.complete(await client.take(name));
  expect(await client.ended(id)).toMatchObject({ status: "COMPLETED" });
}

/** Does the same for all of them, so many at a time. */
export async function forAll<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
