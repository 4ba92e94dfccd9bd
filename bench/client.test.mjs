import { once } from "node:events";
import { createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { createClient } from "./client.mjs";

/** A server that answers each request with the next of some answers, each written in the pieces given. */
async function serve(...answers) {
  const requests = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.setNoDelay();
    socket.on("error", () => {});
    socket.on("data", async (bytes) => {
      requests.push(bytes.toString());
      const pieces = answers.shift();
      if (pieces === undefined) return socket.destroy();
      for (const piece of pieces) {
        socket.write(piece);
        // Two turns of the loop: between them the client reads what was written, so that each piece comes alone.
        await setImmediate();
        await setImmediate();
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = createClient({ host: "127.0.0.1", port: server.address().port });
  close = () => {
    client.close();
    server.close();
  };
  return { client, requests, connections: () => connections };
}

let close = () => {};
afterEach(() => close());

test("a body of known length that comes in pieces is read whole", async () => {
  const { client } = await serve(["HTTP/1.1 200 OK\r\nContent-", 'Length: 10\r\n\r\n{"a":', '"é"', "}"]);
  expect(await client.request("GET", "/x")).toEqual({ status: 200, text: '{"a":"é"}' });
});

test("a chunked body is read whole, wherever it is cut", async () => {
  const whole = "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";
  for (let cut = 1; cut < whole.length; cut++) {
    const { client } = await serve([whole.slice(0, cut), whole.slice(cut)]);
    expect(await client.request("GET", "/x")).toEqual({ status: 200, text: "hello world" });
    close();
  }
});

test("an answer without a body ends at once, and its connection is used again", async () => {
  const empty = ["HTTP/1.1 204 No Content\r\n\r\n"];
  const { client, requests, connections } = await serve(empty, empty);
  expect((await client.request("POST", "/x", '{"é":1}')).status).toBe(204);
  expect((await client.request("POST", "/y")).status).toBe(204);
  expect(connections()).toBe(1);
  expect(requests[0]).toContain("content-length: 8\r\n\r\n");
  expect(requests[1]).toContain("content-length: 0\r\n\r\n");
});

test("a connection the server is about to close is not used again", async () => {
  const last = ["HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"];
  const { client, connections } = await serve(last, last);
  await client.request("GET", "/x");
  await client.request("GET", "/x");
  expect(connections()).toBe(2);
});

test("a connection that ends before the answer fails the request", async () => {
  const { client } = await serve();
  await expect(client.request("GET", "/x")).rejects.toThrow("closed the connection");
});
