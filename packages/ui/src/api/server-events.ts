/** How a stream stands: shown beside what it feeds, so that nobody trusts a picture that has stopped. */
export type StreamState = "connecting" | "live" | "lost";

export type ServerEvent = { readonly event: string; readonly id: string; readonly data: unknown };

type Listener = {
  /** Events that arrived together, in order. */
  readonly onEvents: (events: readonly ServerEvent[]) => void;
  readonly onState: (state: StreamState) => void;
};

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/**
 * Listens to a stream of the server until told to stop; gives the function that stops it. When the connection breaks it
 * comes back and says what it heard last. What the server refuses (an execution that is gone) is lost for good.
 *
 * Not the browser's EventSource: that hands over ten thousand events one task at a time, where a chunk of them can be
 * read at once, and it can send no headers.
 */
export function listen(url: string, { onEvents, onState }: Listener): () => void {
  const stop = new AbortController();
  let lastId = "";
  const follow = async () => {
    let waitMs = FIRST_WAIT_MS;
    while (!stop.signal.aborted) {
      onState("connecting");
      const response = await connect(url, lastId, stop.signal);
      if (response !== undefined && response.status >= 400 && response.status < 500) {
        onState("lost");
        return;
      }
      if (response?.ok && response.body !== null) {
        waitMs = FIRST_WAIT_MS;
        onState("live");
        lastId = await readAll(response.body, lastId, stop.signal, onEvents);
      }
      await pause(waitMs, stop.signal);
      waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
    }
  };
  follow().catch((error: unknown) => {
    // A listener that throws is a bug of the page: shown as any other, and nothing more comes.
    onState("lost");
    reportError(error);
  });
  return () => stop.abort();
}

async function connect(url: string, lastId: string, signal: AbortSignal): Promise<Response | undefined> {
  const headers = { accept: "text/event-stream", ...(lastId === "" ? {} : { "last-event-id": lastId }) };
  // No answer is as good as a bad one: it is tried again.
  return await fetch(url, { headers, signal, cache: "no-store" }).catch(() => undefined);
}

async function readAll(
  body: ReadableStream<Uint8Array>,
  lastId: string,
  signal: AbortSignal,
  onEvents: Listener["onEvents"],
): Promise<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let id = lastId;
  for (;;) {
    // A connection that breaks is one that ended: whoever listens comes back.
    const chunk = await reader.read().catch(() => undefined);
    if (chunk?.value === undefined || signal.aborted) return id;
    text += decoder.decode(chunk.value, { stream: true });
    const end = text.lastIndexOf("\n\n");
    if (end === -1) continue;
    const events = parseEvents(text.slice(0, end));
    text = text.slice(end + 2);
    if (events.length === 0) continue;
    // What has no id cannot be asked for again: it does not change where one stands.
    id = events.findLast((event) => event.id !== "")?.id ?? id;
    onEvents(events);
  }
}

/** Whole events, separated by empty lines. Lines that begin with a colon keep the connection awake and say nothing. */
export function parseEvents(text: string): readonly ServerEvent[] {
  const heads: { event: string; id: string }[] = [];
  const bodies: string[] = [];
  for (const block of text.split("\n\n")) {
    let event = "message";
    let id = "";
    let data: string | undefined;
    for (const line of block.split("\n")) {
      if (line.startsWith("data: ")) data = line.slice(6);
      else if (line.startsWith("event: ")) event = line.slice(7);
      else if (line.startsWith("id: ")) id = line.slice(4);
    }
    if (data === undefined) continue;
    heads.push({ event, id });
    bodies.push(data);
  }
  // All at once: a thousand small texts take a browser longer than one large one.
  const values = JSON.parse(`[${bodies.join(",")}]`) as readonly unknown[];
  return heads.map((head, i) => ({ ...head, data: values[i] }));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
