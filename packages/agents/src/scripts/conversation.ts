import type { Json, JsonObject } from "@downbeat/engine";
import type { Maybe } from "./values.ts";

/** A conversation with one more reply: `[agent]: what it said`. */
export function addReply(
  input: { readonly prev: Maybe<string>; readonly response: Maybe<Json> },
  known: { readonly agent: string },
): string {
  const { response } = input;
  const text =
    response === null || response === undefined
      ? ""
      : typeof response === "object"
        ? JSON.stringify(response)
        : String(response);
  return `${input.prev ?? ""}\n\n[${known.agent}]: ${text}`;
}

type SwarmReply = {
  readonly prev: Maybe<string>;
  readonly response: Maybe<Json>;
  readonly is_transfer: Maybe<boolean>;
  readonly transfer_to: Maybe<string>;
  readonly transfer_message: Maybe<string>;
};

/** The same in a swarm: an empty reply adds nothing, a transfer is noted with its message. */
export function addSwarmReply(input: SwarmReply, known: { readonly agent: string }): string {
  const { response } = input;
  const text =
    response === null || response === undefined
      ? ""
      : typeof response === "object"
        ? JSON.stringify(response)
        : String(response);
  const said = ["", "[]", "{}"].includes(text.trim()) ? "" : `\n\n[${known.agent}]: ${text}`;
  const moved =
    input.is_transfer === true
      ? `\n\n[${known.agent} -> ${input.transfer_to ?? ""}]: ${input.transfer_message ?? ""}`
      : "";
  return `${input.prev ?? ""}${said}${moved}`;
}

/** A parent's context with what a child changed in it. */
export function mergeContexts(input: { readonly parent: Maybe<Json>; readonly child: Maybe<Json> }): JsonObject {
  const read = (value: Maybe<Json>): JsonObject =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  return { ...read(input.parent), ...read(input.child) };
}

/** A parent's context with each child's under the child's name. */
export function mergeParallelContexts(input: {
  readonly parentCtx: Maybe<JsonObject>;
  readonly agentNames: readonly string[];
  readonly [child: `child_${number}`]: Maybe<Json>;
}): JsonObject {
  const merged: Record<string, Json> = Object.assign(Object.create(null), input.parentCtx ?? {});
  input.agentNames.forEach((name, index) => {
    const child = input[`child_${index}`];
    if (typeof child === "object" && child !== null) merged[name] = child;
  });
  return merged;
}

/** What agents that worked side by side said, one part each. */
export function aggregateResults(input: { readonly agentResults: { readonly [agent: string]: Maybe<Json> } }): {
  readonly result: string;
  readonly subResults: { readonly [agent: string]: string };
} {
  const asText = (value: Maybe<Json>): string => {
    if (value === null || value === undefined) return "";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  };
  const texts = Object.entries(input.agentResults).map(([name, value]) => [name, asText(value)] as const);
  const parts = texts.filter(([, text]) => text !== "").map(([name, text]) => `[${name}]: ${text}`);
  return { result: parts.join("\n\n"), subResults: Object.fromEntries(texts) };
}
