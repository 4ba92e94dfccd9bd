import type { Answer, Question } from "./answer.ts";

/** A thread or a process that answers questions. */
export type Peer = {
  readonly ask: (question: Question) => void;
  readonly end: () => Promise<unknown>;
  /** Whether the server stays alive for it. */
  readonly ref: () => void;
  readonly unref: () => void;
};

export type StartPeer = (events: {
  readonly onAnswer: (answer: Answer) => void;
  readonly onEnd: (error: Error) => void;
}) => Peer;

type CallOptions = {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
};

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

/**
 * Someone who works beside the server, and starts with the first question. A question that is given up or takes too long
 * ends it, for what it does cannot be interrupted; the next one starts another.
 */
export class Helper<Request, Result> {
  readonly #start: StartPeer;
  readonly #waiting = new Map<number, Waiting>();
  #peer: Peer | undefined;
  #lastId = 0;

  constructor(start: StartPeer) {
    this.#start = start;
  }

  async call(request: Request, { signal, timeoutMs }: CallOptions = {}): Promise<Result> {
    signal?.throwIfAborted();
    const peer = this.#peer ?? this.#open();
    const id = ++this.#lastId;
    const giveUp = (error: Error): void => {
      const own = this.#waiting.get(id);
      this.#waiting.delete(id);
      own?.reject(error);
      this.#end(peer, new Error("The work was given up because what it ran in was stopped"));
    };
    const onAbort = (): void => giveUp(signal?.reason as Error);
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => giveUp(new Error(`Expected an end within ${timeoutMs} ms, got none`)), timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return (await new Promise<unknown>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        peer.ref();
        peer.ask({ id, request });
      })) as Result;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async close(): Promise<void> {
    const peer = this.#peer;
    if (peer === undefined) return;
    this.#end(peer, new Error("The server is stopping"));
    await peer.end();
  }

  #open(): Peer {
    const peer = this.#start({
      onAnswer: ({ id, value, error }) => {
        const waiting = this.#waiting.get(id);
        this.#waiting.delete(id);
        // Nobody waits for one that has nothing to do.
        if (this.#waiting.size === 0) peer.unref();
        if (error === undefined) waiting?.resolve(value);
        else waiting?.reject(new Error(error));
      },
      onEnd: (error) => this.#end(peer, error),
    });
    this.#peer = peer;
    return peer;
  }

  /** Once per peer: the questions still open are its own, for it is the only one there is. */
  #end(peer: Peer, error: Error): void {
    if (this.#peer !== peer) return;
    this.#peer = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    void peer.end();
  }
}
