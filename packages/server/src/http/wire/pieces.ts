/** A text in pieces, most of which others share: of something large they are never put together. */
export type Pieces = readonly string[];
