/** An event of a run as a watcher gets it. */
export type Heard = { readonly id: number; readonly type: string; readonly data: Record<string, unknown> };

export type Watching = {
  readonly heard: Heard[];
  /** Resolves when the server ended the stream. */
  readonly ended: Promise<void>;
  /** The first event of this type, or the one of this number among them, once it came. */
  readonly until: (type: string, count?: number) => Promise<Heard>;
  readonly hangUp: () => void;
};

/** Watches a run; with `lastEventId` from there on. */
export async function watch(base: string, id: string, lastEventId?: number): Promise<Watching> {
  const controller = new AbortController();
  const response = await fetch(`${base}/agent/stream/${id}`, {
    headers: lastEventId === undefined ? {} : { "last-event-id": String(lastEventId) },
    signal: controller.signal,
  });
  if (response.status !== 200 || response.body === null) throw new Error(`Expected a stream, got ${response.status}`);
  const heard: Heard[] = [];
  const listeners = new Set<() => void>();
  let isOver = false;
  const ended = read(response.body, (event) => {
    heard.push(event);
    for (const listener of listeners) listener();
  }).finally(() => {
    isOver = true;
    for (const listener of listeners) listener();
  });
  // Whoever hangs up does not wait for the end.
  ended.catch(() => undefined);
  const until = (type: string, count = 1): Promise<Heard> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = heard.filter((event) => event.type === type)[count - 1];
        if (found !== undefined) resolve(found);
        else if (isOver) reject(new Error(`Expected ${type}, got ${heard.map((event) => event.type).join(", ")}`));
      };
      listeners.add(look);
      look();
    });
  return { heard, ended, until, hangUp: () => controller.abort() };
}

async function read(body: ReadableStream<Uint8Array>, onEvent: (event: Heard) => void): Promise<void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const fields = new Map(
        frame
          .split("\n")
          .filter((line) => !line.startsWith(":"))
          .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
      );
      const type = fields.get("event");
      if (type !== undefined)
        onEvent({ id: Number(fields.get("id")), type, data: JSON.parse(fields.get("data") ?? "{}") });
    }
  }
}

export const typesOf = (heard: readonly Heard[]): readonly string[] => heard.map(({ type }) => type);
