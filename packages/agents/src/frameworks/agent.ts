import type { Json, JsonObject } from "@downbeat/engine";
import { findNumber, findObject, findText, withoutUndefined } from "./raw.ts";

/** An agent described in another framework's terms, as an AgentConfig. */
export type Normaliser = (rawConfig: JsonObject, options: NormaliseOptions) => JsonObject;

export type NormaliseOptions = {
  /** Takes the place of the model of every Google ADK agent: the environment's AGENT_DEFAULT_MODEL. */
  readonly adkModel?: string;
};

/** Framework agents that name no limit of turns of their own. */
const MAX_TURNS = 100;

/** An AgentConfig with the defaults of a framework agent; what is undefined is left out. */
export function frameworkAgent(members: { readonly [name: string]: Json | undefined }): JsonObject {
  const { maxTurns = MAX_TURNS, strategy = "handoff", ...others } = members;
  return withoutUndefined({ ...others, strategy, maxTurns, timeoutSeconds: 0, external: false });
}

/** `provider/model`; the provider stands before a model that names none. */
export const qualifiedModel = (model: string, provider: string): string =>
  model.includes("/") ? model : `${provider}/${model}`;

/** A text, or the worker that gives the text when the agent starts. */
export function findInstructions(raw: JsonObject, ...names: readonly string[]): Json | undefined {
  const text = findText(raw, ...names);
  if (text !== undefined) return text;
  const worker = findText(findObject(raw, ...names) ?? {}, "_worker_ref");
  return worker === undefined ? undefined : { _worker_ref: worker };
}

/** Settings of the model's calls, from the agent itself or its `model_settings`. */
export function modelSettings(raw: JsonObject): { readonly [name: string]: Json | undefined } {
  const settings = findObject(raw, "model_settings", "modelSettings") ?? {};
  const find = (...names: readonly string[]) => findNumber(settings, ...names) ?? findNumber(raw, ...names);
  return { temperature: find("temperature"), maxTokens: find("max_tokens", "maxTokens") };
}

/** A JSON Schema the final answer has to have. */
export function outputType(raw: JsonObject, ...names: readonly string[]): JsonObject | undefined {
  const schema = findObject(raw, ...names);
  return schema === undefined ? undefined : { schema };
}
