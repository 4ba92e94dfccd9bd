import { connect } from "node:net";

/**
 * A small HTTP/1.1 client over keep-alive connections, one request at a time on each, for load on loopback: it reads a
 * status, a length and a body and nothing else, so that what is measured is the server. bench/README.md has what a
 * request costs it.
 * @param {{ host: string, port: number, timeoutMs?: number }} target
 */
export function createClient({ host, port, timeoutMs = 120_000 }) {
  const idle = [];
  const all = new Set();
  const hostLine = `host: ${host}:${port}\r\n`;

  const open = () => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ""), port, noDelay: true });
    const connection = { socket, answer: undefined, reader: undefined };
    all.add(connection);
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    socket.on("data", (bytes) => {
      if (connection.reader === undefined || !connection.reader.take(bytes)) return;
      const { status, keeps } = connection.reader;
      const text = connection.reader.text();
      const { resolve } = connection.answer;
      connection.answer = undefined;
      connection.reader = undefined;
      if (keeps) idle.push(connection);
      else socket.destroy();
      resolve({ status, text });
    });
    const end = (error) => {
      all.delete(connection);
      const at = idle.indexOf(connection);
      if (at >= 0) idle.splice(at, 1);
      connection.answer?.reject(error ?? new Error("the server closed the connection"));
      connection.answer = undefined;
    };
    socket.on("error", end);
    socket.on("close", () => end());
    return connection;
  };

  return {
    /** @returns {Promise<{ status: number, text: string }>} */
    request(method, path, body, type = "application/json") {
      const connection = idle.pop() ?? open();
      const head = `${method} ${path} HTTP/1.1\r\n${hostLine}accept: */*\r\n`;
      const message =
        body === undefined
          ? `${head}${method === "GET" ? "" : "content-length: 0\r\n"}\r\n`
          : `${head}content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
      return new Promise((resolve, reject) => {
        connection.answer = { resolve, reject };
        connection.reader = createReader();
        connection.socket.write(message);
      });
    },
    close() {
      for (const { socket } of all) socket.destroy();
    },
  };
}

/** Collects one answer; `take` tells whether it is whole. */
function createReader() {
  let rest = Buffer.alloc(0);
  const parts = [];
  let missing = 0;
  let chunked = false;
  const reader = {
    status: 0,
    keeps: true,
    take(bytes) {
      if (reader.status === 0) return takeHead(bytes);
      return chunked ? takeChunks(bytes) : takeBody(bytes);
    },
    text: () => (parts.length === 1 ? parts[0] : Buffer.concat(parts)).toString(),
  };

  function takeHead(bytes) {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const head = rest.latin1Slice(0, end + 2).toLowerCase();
    const body = rest.subarray(end + 4);
    rest = Buffer.alloc(0);
    reader.status = Number(head.slice(9, 12));
    reader.keeps = !head.includes("\r\nconnection: close\r\n");
    if (reader.status === 204 || reader.status === 304) return true;
    chunked = head.includes("\r\ntransfer-encoding: chunked\r\n");
    if (chunked) return takeChunks(body);
    missing = Number(/\r\ncontent-length: *(\d+)\r\n/.exec(head)?.[1] ?? 0);
    return takeBody(body);
  }

  function takeBody(bytes) {
    parts.push(bytes);
    missing -= bytes.length;
    return missing <= 0;
  }

  function takeChunks(bytes) {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (;;) {
      const line = rest.indexOf("\r\n");
      if (line < 0) return false;
      const size = Number.parseInt(rest.latin1Slice(0, line), 16);
      const end = line + 2 + size;
      if (rest.length < end + 2) return false;
      if (size === 0) return true;
      parts.push(rest.subarray(line + 2, end));
      rest = rest.subarray(end + 2);
    }
  }

  return reader;
}
