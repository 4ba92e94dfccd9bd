import { validateHeaderName, validateHeaderValue } from "node:http";
import { OutboundError } from "./outbound-error.ts";

/** Header lines in order; a name may come several times. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/**
 * Makes the headers of a request: what the connection needs is the client's business and dropped here; of a header that
 * may stand once the last one counts; others keep all their lines. Throws OutboundError for what cannot be sent.
 */
export function buildHeaders(lines: HeaderLines): Record<string, string | string[]> {
  const grouped = new Map<string, { name: string; values: string[] }>();
  for (const [name, text] of lines) {
    const key = name.toLowerCase();
    if (managedHeaders.has(key)) {
      continue;
    }
    const value = encodeHeaderValue(name, text);
    const group = grouped.get(key);
    if (group === undefined || singleHeaders.has(key)) {
      grouped.set(key, { name, values: [value] });
    } else {
      group.values.push(value);
    }
  }
  const headers: Record<string, string | string[]> = {};
  for (const { name, values } of grouped.values()) {
    headers[name] = values.length === 1 ? values[0]! : values;
  }
  return headers;
}

export function hasHeader(lines: HeaderLines, wanted: string): boolean {
  return lines.some(([name]) => name.toLowerCase() === wanted);
}

export function withoutHeaders(lines: HeaderLines, unwanted: ReadonlySet<string>): HeaderLines {
  return lines.filter(([name]) => !unwanted.has(name.toLowerCase()));
}

const managedHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const singleHeaders: ReadonlySet<string> = new Set([
  "accept-encoding",
  "authorization",
  "content-type",
  "expect",
  "from",
  "host",
  "referer",
  "user-agent",
]);

/** Text beyond ASCII goes out as UTF-8. The value is kept out of the message: it may be a credential. */
function encodeHeaderValue(name: string, text: string): string {
  const value = Buffer.from(text.trim(), "utf8").toString("latin1");
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (error) {
    const message = `Expected header ${JSON.stringify(name)} to have a plain name and a value of one line`;
    throw new OutboundError(message, { failure: "invalid-request", cause: error });
  }
  return value;
}
