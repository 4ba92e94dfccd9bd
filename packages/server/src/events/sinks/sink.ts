import type { Json } from "@downbeat/engine";
import { isNestedTooDeep } from "../../outbound/nesting.ts";

/** One kind of broker. Adapters are loaded when their settings switch them on. */
export interface Sink {
  /** Resolves when the broker has the message. `queue` is what follows the first colon of a sink's name. */
  publish(queue: string, message: Outgoing): Promise<void>;
  /** Resolves when messages begin to come. */
  listen(queue: string, onMessage: OnMessage): Promise<Listening>;
  /** Messages that wait in the queue, where the broker counts them. */
  size?(queue: string): Promise<number>;
  close(): Promise<void>;
}

export type Outgoing = {
  /** The same when the message is sent again. */
  readonly id: string;
  /** JSON text. */
  readonly text: string;
  /** For brokers that keep messages of one key in order; the id when absent. */
  readonly key?: string;
};

export type Incoming = {
  /** The same when the message is delivered again; undefined when the broker gives none. */
  readonly id: string | undefined;
  /** Tells messages apart whose id the broker may use again, after a topic was made anew. */
  readonly stamp?: string;
  /** Messages of one lane are handled in the order they come; of a queue without lanes, all of them. */
  readonly lane?: string;
  readonly payload: Json;
};

/** Resolves when what the message causes is on disk: then it is acknowledged. Rejects: it is to come again. */
export type OnMessage = (message: Incoming) => Promise<void>;

export type Listening = {
  /** Resolves after `stop`; rejects when the broker is gone or wants no more of us. */
  readonly ended: Promise<void>;
  /** Lets messages under way finish. */
  readonly stop: () => Promise<void>;
};

/** JSON when the text is some, else the text itself. */
export function readPayload(text: string): Json {
  if (isNestedTooDeep(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Brokers carry anything; handlers get it as a text.
    return text;
  }
}
