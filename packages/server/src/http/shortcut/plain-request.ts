/** A request without anything unusual. */
export type PlainRequest = {
  readonly method: string;
  readonly url: string;
  readonly contentType: string | undefined;
  readonly body: string | undefined;
};

export const UNUSUAL = "unusual";
export const UNFINISHED = "unfinished";

const MOST_HEAD_BYTES = 4096;
const HEAD_END = Buffer.from("\r\n\r\n");

/** A head in its plainest form. What does not fit may be right all the same: Node's parser decides. */
const plainHead = /^(GET|POST|PUT|DELETE) (\/[!-~]*) HTTP\/1\.1(?:\r\n[\w!#$%&'*+.^`|~-]+:[\t -~\x80-\xff]*)+$/;
const plainLength = /^\d{1,9}$/;
const plainType = /^[\w.+-]+\/[\w.+-]+(?:; ?charset="?[\w-]+"?)?$/;

/**
 * Reads the one request that some bytes are. Whoever disagrees with Node about where a request ends opens a hole: so only what
 * leaves no room for two opinions is read here, and everything else is left to Node.
 */
export function readPlainRequest(
  bytes: Buffer,
  mostBodyBytes: number,
): PlainRequest | typeof UNUSUAL | typeof UNFINISHED {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1 || headEnd > MOST_HEAD_BYTES) return UNUSUAL;
  const head = bytes.toString("latin1", 0, headEnd);
  const [, method, url] = plainHead.exec(head) ?? [];
  if (method === undefined || url === undefined) return UNUSUAL;
  const headers = readHeaders(head);
  if (headers === undefined) return UNUSUAL;
  const { length, contentType } = headers;
  if (length > mostBodyBytes || (length > 0 && method === "GET")) return UNUSUAL;
  const bodyStart = headEnd + HEAD_END.length;
  const end = bodyStart + length;
  if (bytes.length !== end) return bytes.length < end ? UNFINISHED : UNUSUAL;
  const body = length === 0 ? undefined : bytes.toString("utf8", bodyStart, end);
  return { method, url, contentType, body };
}

type PlainHeaders = { readonly length: number; readonly contentType: string | undefined };

/** What headers say of the body; nothing where one of them says something unusual. */
function readHeaders(head: string): PlainHeaders | undefined {
  let length: number | undefined;
  let contentType: string | undefined;
  let hasHost = false;
  for (let start = head.indexOf("\r\n") + 2, end = 0; end !== head.length; start = end + 2) {
    end = head.indexOf("\r\n", start);
    if (end === -1) end = head.length;
    const colon = head.indexOf(":", start);
    const value = () => head.slice(colon + 1, end).trim();
    switch (head.slice(start, colon).toLowerCase()) {
      case "host":
        if (hasHost || value() === "") return undefined;
        hasHost = true;
        break;
      case "content-length":
        if (length !== undefined || !plainLength.test(value())) return undefined;
        length = Number(value());
        break;
      case "connection":
        if (value().toLowerCase() !== "keep-alive") return undefined;
        break;
      case "content-type":
        contentType = value();
        if (!plainType.test(contentType)) return undefined;
        break;
      case "transfer-encoding":
      case "expect":
      case "upgrade":
      case "trailer":
        return undefined;
    }
  }
  return hasHost ? { length: length ?? 0, contentType } : undefined;
}
