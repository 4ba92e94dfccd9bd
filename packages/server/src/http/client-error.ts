import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { HttpError, toErrorBody } from "./errors.ts";

/** Answers what could not even be read as a request, with the body every error has, and hangs up. */
export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, message } = problems[error.code ?? ""] ?? unreadable;
  const body = JSON.stringify(toErrorBody(new HttpError(status, message)));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

type Described = { readonly status: number; readonly message: string };

const unreadable: Described = { status: 400, message: "Expected an HTTP request, got something that cannot be read" };

const problems: Readonly<Record<string, Described>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: "Expected smaller request headers" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: "Expected the request to arrive sooner" },
};
