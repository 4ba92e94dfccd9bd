import type { JsonObject } from "@downbeat/engine";

/** Where documents lie: an index, and a namespace in it. What they are is up to the store. */
export type Place = { readonly index: string; readonly namespace: string };

export type IndexedDocument = {
  readonly id: string;
  readonly parentId: string;
  readonly text: string;
  readonly embedding: readonly number[];
  readonly metadata: JsonObject;
};

/** As it appears in a task's output. Whether a high or a low score is better is the store's own. */
export type FoundDocument = {
  readonly docId: string;
  readonly parentDocId: string;
  readonly text: string;
  readonly score: number;
  readonly metadata: JsonObject;
};

export type Search = {
  readonly embedding: readonly number[];
  readonly limit: number;
  readonly signal: AbortSignal;
};

/** A place for vectors, whoever keeps it. A document with an id that is there takes the place of the old one. */
export type VectorStore = {
  /** They are stored for good when this resolves. */
  readonly put: (place: Place, documents: readonly IndexedDocument[], signal: AbortSignal) => Promise<void>;
  /** Best first. Nothing, where nothing was ever put. */
  readonly search: (place: Place, search: Search) => Promise<readonly FoundDocument[]>;
  readonly close: () => Promise<void>;
};
