import type { Readable } from "node:stream";
import { ExternalJson, RawJson } from "@downbeat/engine";
import { JsonCheck, NotJson } from "../payloads/json-check.ts";
import { parseReference, referenceText } from "../payloads/reference.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { MAX_DEPTH } from "./body.ts";
import { invalidInput } from "./errors.ts";

export type ExternalLimits = {
  /** Above this it stays where it is, and is referred to. */
  readonly threshold: number;
  /** Above this it is not even looked at: whoever uses it refuses it by its size. */
  readonly most: number;
};

/** The object a client handed over apart from its request: itself when it is small, by reference when it is large. */
export async function readExternal(runtime: Runtime, path: string, limits: ExternalLimits): Promise<RawJson> {
  const refused = parseReference(path);
  if (refused !== undefined) return external(path, refused.bytes);
  const { payloads } = runtime;
  const checked = payloads.takeChecked(path);
  const found = await payloads.store.find(path);
  if (found === undefined) throw invalidInput(`Expected a payload at ${path}, found none`);
  const { bytes, stream } = found;
  if (bytes > limits.most) {
    stream.destroy();
    return external(referenceText({ path, bytes }), bytes);
  }
  if (bytes <= limits.threshold) return new RawJson(await readChecked(stream, path));
  if (checked === bytes) stream.destroy();
  else for await (const _chunk of checkedChunks(stream, path));
  // What another execution owns goes with that one.
  const own = (await payloads.isOwned(path)) ? await payloads.copy(path, bytes) : path;
  return external(referenceText({ path: own, bytes }), bytes);
}

/** Its text is fetched through the decision that looks into it, not from here. */
const external = (reference: string, bytes: number): ExternalJson =>
  new ExternalJson(reference, bytes, () => {
    throw new Error("A payload was looked into before it was bound to a decision");
  });

async function readChecked(stream: Readable, path: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of checkedChunks(stream, path)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The chunks of one JSON object; anything else is a 400. */
export async function* checkedChunks(stream: AsyncIterable<unknown>, path: string): AsyncGenerator<Uint8Array> {
  const check = new JsonCheck(MAX_DEPTH);
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      if (check.isComplete) {
        if (Buffer.from(chunk).toString().trim() !== "") throw new NotJson("Expected nothing after the object");
        continue;
      }
      const end = check.write(chunk);
      if (end !== undefined && Buffer.from(chunk.subarray(end)).toString().trim() !== "")
        throw new NotJson("Expected nothing after the object");
      yield chunk.subarray(0, end);
    }
    if (!check.isComplete) throw new NotJson("Expected the end of the object");
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw invalidInput(`Expected a JSON object as payload at ${path}: ${error.message}`);
  }
}
