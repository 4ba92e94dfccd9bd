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

const MOST_KNOWN_HEADS = 500;

/**
 * Reads requests. Whoever disagrees with Node about where a request ends opens a hole: so only what leaves no room for two
 * opinions is read here, and everything else is left to Node.
 */
export class PlainRequestReader {
  readonly #mostBodyBytes: number;
  /** A client sends the same few heads again and again. */
  readonly #heads = new Map<string, PlainHead>();

  constructor({ mostBodyBytes }: { readonly mostBodyBytes: number }) {
    this.#mostBodyBytes = mostBodyBytes;
  }

  /** The one request that some bytes are. */
  read(bytes: Buffer): PlainRequest | typeof UNUSUAL | typeof UNFINISHED {
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd === -1 || headEnd > MOST_HEAD_BYTES) return UNUSUAL;
    const head = this.#head(bytes.toString("latin1", 0, headEnd));
    if (head === undefined || head.length > this.#mostBodyBytes) return UNUSUAL;
    const bodyStart = headEnd + HEAD_END.length;
    const end = bodyStart + head.length;
    if (bytes.length !== end) return bytes.length < end ? UNFINISHED : UNUSUAL;
    const { method, url, contentType } = head;
    return { method, url, contentType, body: head.length === 0 ? undefined : bytes.toString("utf8", bodyStart, end) };
  }

  #head(text: string): PlainHead | undefined {
    const known = this.#heads.get(text);
    if (known !== undefined) return known;
    const head = readHead(text);
    if (head === undefined) return undefined;
    if (this.#heads.size === MOST_KNOWN_HEADS) this.#heads.clear();
    this.#heads.set(text, head);
    return head;
  }
}

type PlainHead = {
  readonly method: string;
  readonly url: string;
  readonly contentType: string | undefined;
  /** Of the body. */
  readonly length: number;
};

function readHead(text: string): PlainHead | undefined {
  const [, method, url] = plainHead.exec(text) ?? [];
  if (method === undefined || url === undefined) return undefined;
  const headers = readHeaders(text);
  if (headers === undefined || (headers.length > 0 && method === "GET")) return undefined;
  return { method, url, ...headers };
}

/** What headers say of the body; nothing where one of them says something unusual. */
function readHeaders(head: string): Pick<PlainHead, "length" | "contentType"> | undefined {
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
