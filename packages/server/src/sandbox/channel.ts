import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { ScriptOutcome } from "./outcome.ts";

/**
 * What the calling thread and a script thread share. One call at a time: the caller writes a request and sets the
 * state, the script thread writes an answer and sets the state. Whoever waits, waits on the state with `Atomics.wait`;
 * a caller that has gone back to its event loop says so (`detached`) and is sent a message instead.
 *
 * Bytes that do not fit into the shared memory are sent through the port beforehand.
 */
export type Channel = {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly bytes: Buffer<SharedArrayBuffer>;
  readonly port: MessagePort;
};

export type Request = { readonly kind: "evaluate" | "check-syntax"; readonly source: string; readonly input: string };

/** A request as the script thread sees it; `input` holds until the answer is written. */
export type ReceivedRequest = { readonly kind: Request["kind"]; readonly source: string; readonly input: Uint8Array };

const headBytes = 64;
const sharedBytes = 256 * 1024;

const word = { state: 0, kind: 1, sourceBytes: 2, inputBytes: 3, textBytes: 4, isSentByPort: 5 } as const;
const state = { idle: 0, waiting: 1, detached: 2, answered: 3 } as const;
const requestKinds = ["evaluate", "check-syntax"] as const;
const outcomeKinds = ["value", "error", "timeout"] as const;

export function newSharedMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(headBytes + sharedBytes);
}

export function channelOn(shared: SharedArrayBuffer, port: MessagePort): Channel {
  return { words: new Int32Array(shared, 0, headBytes / 4), bytes: Buffer.from(shared, headBytes), port };
}

/** `waiting` if `waitForAnswer` follows at once, `detached` if the answer is to be announced by a message. */
export function writeRequest(channel: Channel, { kind, source, input }: Request, as: "waiting" | "detached"): void {
  const { words, port } = channel;
  const bytes = roomFor(channel, source, input);
  const sourceBytes = bytes.write(source, 0);
  words[word.kind] = requestKinds.indexOf(kind);
  words[word.sourceBytes] = sourceBytes;
  words[word.inputBytes] = bytes.write(input, sourceBytes);
  words[word.isSentByPort] = 0;
  if (bytes.buffer instanceof ArrayBuffer) {
    words[word.isSentByPort] = 1;
    port.postMessage(bytes, [bytes.buffer]);
  }
  Atomics.store(words, word.state, state[as]);
  Atomics.notify(words, word.state);
}

/** Blocks until there is one. */
export function waitForRequest(channel: Channel): ReceivedRequest {
  const { words } = channel;
  for (;;) {
    const now = Atomics.load(words, word.state);
    if (now === state.waiting || now === state.detached) {
      break;
    }
    Atomics.wait(words, word.state, now);
  }
  const bytes = receivedBytes(channel);
  const sourceBytes = at(words, word.sourceBytes);
  return {
    kind: requestKinds[at(words, word.kind)] ?? "evaluate",
    source: bytes.toString("utf8", 0, sourceBytes),
    input: bytes.subarray(sourceBytes, sourceBytes + at(words, word.inputBytes)),
  };
}

export function writeAnswer(channel: Channel, kind: ScriptOutcome["kind"], text: Uint8Array): void {
  const { words, bytes, port } = channel;
  words[word.kind] = outcomeKinds.indexOf(kind);
  words[word.textBytes] = text.length;
  words[word.isSentByPort] = 0;
  if (text.length > bytes.length) {
    words[word.isSentByPort] = 1;
    const copy = text.slice();
    port.postMessage(copy, [copy.buffer]);
  } else {
    bytes.set(text);
  }
  const before = Atomics.exchange(words, word.state, state.answered);
  Atomics.notify(words, word.state);
  if (before === state.detached) {
    port.postMessage(answerIsReady);
  }
}

/** Blocks for at most `waitMs`. Undefined when the answer will be announced by a message. */
export function waitForAnswer(channel: Channel, waitMs: number): ScriptOutcome | undefined {
  Atomics.wait(channel.words, word.state, state.waiting, waitMs);
  const before = Atomics.compareExchange(channel.words, word.state, state.waiting, state.detached);
  return before === state.waiting ? undefined : readAnswer(channel, receivedBytes(channel));
}

/** True from the answer to the next request, even before it is announced. */
export function isAnswered({ words }: Channel): boolean {
  return Atomics.load(words, word.state) === state.answered;
}

/** The message by which a script thread says that it can take its first request. */
export const threadIsReady = "ready";

const answerIsReady = "answered";

/** For the event loop of the caller: the thread is ready, or a detached call has its answer. */
export function listen(channel: Channel, on: { ready(): void; answer(outcome: ScriptOutcome): void }): void {
  let sent: Uint8Array | undefined;
  channel.port.on("message", (message: unknown) => {
    if (message instanceof Uint8Array) {
      sent = message;
    } else if (message === answerIsReady) {
      const bytes = sent === undefined ? channel.bytes : Buffer.from(sent.buffer, sent.byteOffset, sent.length);
      sent = undefined;
      on.answer(readAnswer(channel, bytes));
    } else {
      on.ready();
    }
  });
}

function readAnswer({ words }: Channel, bytes: Buffer): ScriptOutcome {
  const kind = outcomeKinds[at(words, word.kind)] ?? "error";
  const text = bytes.toString("utf8", 0, at(words, word.textBytes));
  return kind === "value" ? { kind, text } : { kind, message: text };
}

/** The shared bytes, or those that were sent through the port instead. */
function receivedBytes({ words, bytes, port }: Channel): Buffer {
  if (words[word.isSentByPort] === 0) {
    return bytes;
  }
  const received: unknown = receiveMessageOnPort(port)?.message;
  if (!(received instanceof Uint8Array)) {
    throw new Error(`Expected bytes in the port of a script thread, got ${typeof received}`);
  }
  return Buffer.from(received.buffer, received.byteOffset, received.length);
}

function roomFor({ bytes }: Channel, source: string, input: string): Buffer {
  // A UTF-16 unit takes at most three bytes; counting them exactly costs a pass over the text.
  if ((source.length + input.length) * 3 <= bytes.length) {
    return bytes;
  }
  const size = Buffer.byteLength(source) + Buffer.byteLength(input);
  return size <= bytes.length ? bytes : Buffer.allocUnsafeSlow(size);
}

function at(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}
