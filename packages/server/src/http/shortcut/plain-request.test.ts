import { describe, expect, test } from "vitest";
import { PlainRequestReader, UNFINISHED, UNUSUAL } from "./plain-request.ts";

const reader = new PlainRequestReader({ mostBodyBytes: 100 });
const read = (text: string) => reader.read(Buffer.from(text, "latin1"));
const withHeaders = (...headers: readonly string[]) =>
  ["POST /api/tasks HTTP/1.1", "Host: here", ...headers, "", "{}"].join("\r\n");
const withLength = (...headers: readonly string[]) => withHeaders("Content-Length: 2", ...headers);

describe("a plain request", () => {
  test("is read with its body and content type", () => {
    expect(read(withLength("Content-Type: application/json;charset=UTF-8"))).toEqual({
      method: "POST",
      url: "/api/tasks",
      contentType: "application/json;charset=UTF-8",
      body: "{}",
    });
  });

  test("may have no body", () => {
    const bare = { contentType: undefined, body: undefined };
    expect(read("GET /a?b=c HTTP/1.1\r\nhost: x\r\n\r\n")).toEqual({ method: "GET", url: "/a?b=c", ...bare });
    expect(read("DELETE /a HTTP/1.1\r\nHOST:x\r\ncontent-length: 0\r\n\r\n")).toEqual({
      method: "DELETE",
      url: "/a",
      ...bare,
    });
  });

  test("has its body read as UTF-8", () => {
    const body = '{"é":"😀"}';
    const bytes = Buffer.from(
      `PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    expect(reader.read(bytes)).toMatchObject({ body });
  });

  test("is read again with another body of the same length", () => {
    const post = (body: string) => `POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n${body}`;
    expect([read(post("1")), read(post("2"))]).toMatchObject([{ body: "1" }, { body: "2" }]);
  });

  test("is unfinished while a part of its body is missing", () => {
    expect(read("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n1234")).toBe(UNFINISHED);
  });
});

describe("what Node has to decide on", () => {
  test.each([
    ["a head that has not ended", "GET /a HTTP/1.1\r\nHost: x\r\n"],
    ["a head of many bytes", `GET /a HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(5000)}\r\n\r\n`],
    ["another method", "PATCH /a HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["another version", "GET /a HTTP/1.0\r\nHost: x\r\n\r\n"],
    ["an absolute URL", "GET http://x/a HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["two spaces", "GET  /a HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["bytes beyond ASCII in the path", "GET /\xe9 HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a line that ends with a line feed", "GET /a HTTP/1.1\nHost: x\r\n\r\n"],
    ["no host", "GET /a HTTP/1.1\r\nAccept: x\r\n\r\n"],
    ["no headers", "GET /a HTTP/1.1\r\n\r\n"],
    ["two hosts", withLength("Host: there")],
    ["a space before a colon", withLength("Accept : x")],
    ["a folded line", withLength("Accept: x", " y")],
    ["a control character", withLength("Accept: \x00")],
    ["no colon", withLength("Accept")],
    ["a length that is a sum", withHeaders("Content-Length: +2")],
    ["a length twice", withLength("Content-Length: 2")],
    ["a list of lengths", withHeaders("Content-Length: 2, 2")],
    ["an empty length", withHeaders("Content-Length:")],
    ["chunks", withHeaders("Transfer-Encoding: chunked")],
    ["chunks and a length", withLength("transfer-encoding: chunked")],
    ["a body of a GET", "GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"],
    ["a body that nobody announced", withHeaders("Accept: x")],
    ["more than one request", `${withLength()}${withLength()}`],
    ["a large body", `POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n${"x".repeat(101)}`],
    ["a wish to be asked first", withLength("Expect: 100-continue")],
    ["a wish to hang up", withLength("Connection: close")],
    ["a wish for another protocol", withLength("Connection: upgrade", "Upgrade: websocket")],
    ["trailers", withLength("Trailer: x")],
    ["a content type that is none", withLength("Content-Type: json")],
  ])("%s", (_what, text) => {
    expect(read(text)).toBe(UNUSUAL);
  });
});
