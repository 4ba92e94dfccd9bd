import type { JsonObject } from "@downbeat/engine";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";

/** The `embeddings` of a task's input. */
export function readEmbedding(from: JsonObject): readonly number[] {
  const embedding = input.list(from, "embeddings").map((value) => {
    if (typeof value === "number" && Number.isFinite(value)) return value;
    throw new TerminalError(
      `Expected embeddings to be a list of numbers, got ${JSON.stringify(value)?.slice(0, 100)} in it`,
    );
  });
  if (embedding.length === 0) throw new TerminalError("Expected embeddings to be a list of numbers, got none");
  return embedding;
}
