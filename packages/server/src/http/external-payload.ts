import type { JsonObject } from "@downbeat/engine";
import type { Runtime } from "../runtime/runtime.ts";
import { parseMap } from "./body.ts";
import { invalidInput } from "./errors.ts";

/** The object a client handed over apart from its request. */
export async function readExternal(runtime: Runtime, path: string): Promise<JsonObject> {
  const text = await runtime.payloads.read(path);
  if (text === undefined) throw invalidInput(`Expected a payload at ${path}, found none`);
  return parseMap(text);
}
