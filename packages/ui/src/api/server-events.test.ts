import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { listen, parseEvents, type ServerEvent, type StreamState } from "./server-events.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that answers each request in turn as told. */
async function serve(...answers: ((request: IncomingMessage, response: ServerResponse) => void)[]): Promise<string> {
  const server = createServer((request, response) => answers.shift()?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Listens until `isDone` says so. */
function hear(url: string, isDone: (heard: readonly ServerEvent[], states: readonly StreamState[]) => boolean) {
  const heard: ServerEvent[] = [];
  const states: StreamState[] = [];
  return new Promise<{ heard: readonly ServerEvent[]; states: readonly StreamState[] }>((resolve) => {
    const look = () => {
      if (!isDone(heard, states)) return;
      stop();
      resolve({ heard, states });
    };
    const stop = listen(url, {
      onEvents: (events) => {
        heard.push(...events);
        look();
      },
      onState: (state) => {
        states.push(state);
        queueMicrotask(look);
      },
    });
    closers.push(stop);
  });
}

describe("listening to the server", () => {
  test("events are read from text, keep-alives are not", () => {
    expect(parseEvents(':\n\nevent: task\nid: 7\ndata: {"a":1}\n\ndata: 2')).toEqual([
      { event: "task", id: "7", data: { a: 1 } },
      { event: "message", id: "", data: 2 },
    ]);
  });

  test("a connection that breaks comes back and says what was heard last", async () => {
    let askedFrom: unknown;
    const url = await serve(
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write('event: a\nid: 41\ndata: "ä');
        // An event cut in two, then the connection cut in the middle of another.
        setImmediate(() => response.write('"\n\nevent: a\nid: 42\nda', () => response.destroy()));
      },
      (request, response) => {
        askedFrom = request.headers["last-event-id"];
        response.writeHead(200);
        response.write("event: b\nid: 43\ndata: true\n\n");
      },
    );
    const { heard } = await hear(url, (events) => events.length === 2);
    expect(heard).toEqual([
      { event: "a", id: "41", data: "ä" },
      { event: "b", id: "43", data: true },
    ]);
    expect(askedFrom).toBe("41");
  });

  test("what has no id does not change from where one asks again", async () => {
    let askedFrom: unknown;
    const url = await serve(
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("event: a\nid: 7\ndata: 1\n\nevent: token\ndata: 2\n\n", () => response.destroy());
      },
      (request, response) => {
        askedFrom = request.headers["last-event-id"];
        response.writeHead(200);
        response.write("event: a\nid: 8\ndata: 3\n\n");
      },
    );
    await hear(url, (events) => events.length === 3);
    expect(askedFrom).toBe("7");
  });

  test("what the server refuses is lost, not asked for again", async () => {
    const url = await serve((_request, response) => response.writeHead(404).end());
    const { states } = await hear(url, (_heard, seen) => seen.at(-1) === "lost");
    expect(states).toEqual(["connecting", "lost"]);
  });
});
