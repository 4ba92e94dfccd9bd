import type { Json, JsonObject } from "@downbeat/engine";
import type { Maybe } from "./values.ts";

export type Validated = {
  readonly needs_normalize: boolean;
  readonly approved: boolean | null;
  readonly answer: JsonObject;
  readonly extra: JsonObject;
  readonly raw_text: string;
};

/**
 * A person's answer, read without a model where it can be: a clear yes or no in `approved`, or, where no approval is
 * asked for, any answer at all. The rest is text for a model to read.
 */
export function validateAnswer(
  input: { readonly human_output: Maybe<Json> },
  known: { readonly asksApproval: boolean },
): Validated {
  const output = input.human_output;
  const isMap = typeof output === "object" && output !== null && !Array.isArray(output);
  const answer: JsonObject = isMap ? (output as JsonObject) : {};
  const { approved: said, ...extra } = answer;
  const words: { readonly [word: string]: boolean } = {
    true: true,
    yes: true,
    y: true,
    approved: true,
    approve: true,
    false: false,
    no: false,
    n: false,
    rejected: false,
    reject: false,
  };
  const word = typeof said === "string" ? said.trim().toLowerCase() : "";
  const isWord = Object.keys(words).includes(word);
  const approved = typeof said === "boolean" ? said : isWord ? (words[word] ?? null) : null;
  const pairs = Object.entries(answer).map(
    ([key, value]) => `${key}: ${typeof value === "object" ? JSON.stringify(value) : String(value)}`,
  );
  const text = typeof output === "string" ? output : answer["result"];
  return {
    needs_normalize: known.asksApproval && approved === null,
    approved,
    answer,
    extra,
    raw_text: typeof text === "string" ? text : pairs.join(", "),
  };
}

type Processing = { readonly validated: Maybe<Validated>; readonly normalized: Maybe<Json> };

/** The verdict of an approval. What an earlier turn's normalizer said is not asked for again. */
export function processApproval({ validated, normalized }: Processing): {
  readonly approved: boolean;
  readonly reason: string;
  readonly extra: JsonObject;
} {
  const read = (value: Maybe<Json>): JsonObject =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  const answer = validated?.needs_normalize
    ? read(normalized)
    : { ...validated?.extra, approved: validated?.approved ?? false };
  const { approved, reason, ...extra } = answer;
  const isApproved = approved === true || approved === "true";
  const words = typeof reason === "string" ? reason : "";
  return { approved: isApproved, reason: words === "" && !isApproved ? "Rejected by human reviewer" : words, extra };
}

/** The verdict of a guardrail review: let it pass, put another text in its place, or refuse it. */
export function processReview(
  input: Processing & { readonly llm_output: Maybe<Json> },
  known: { readonly canEdit: boolean },
): { readonly action: "approve" | "edit" | "reject"; readonly result: Json; readonly reason: string } {
  const read = (value: Maybe<Json>): JsonObject =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  const { validated } = input;
  const answer = validated?.needs_normalize
    ? read(input.normalized)
    : { ...validated?.extra, approved: validated?.approved ?? false };
  const edited = answer["edited_output"] ?? answer["editedOutput"] ?? null;
  const isApproved = answer["approved"] === true || answer["approved"] === "true";
  const given = answer["reason"];
  const reason = typeof given === "string" && given !== "" ? given : isApproved ? "" : "Rejected by human reviewer";
  if (isApproved && known.canEdit && edited !== null && edited !== "")
    return { action: "edit", result: edited, reason };
  return { action: isApproved ? "approve" : "reject", result: input.llm_output ?? null, reason };
}

/** What a person tells a graph: laid over the graph's state. */
export function processNodeAnswer(input: Processing & { readonly previousState: Maybe<Json> }): {
  readonly state: JsonObject;
  readonly result: Json;
} {
  const read = (value: Maybe<Json>): JsonObject =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  const answer = input.validated?.needs_normalize ? read(input.normalized) : (input.validated?.answer ?? {});
  return {
    state: { ...read(input.previousState), ...answer },
    result: answer["response"] ?? answer["result"] ?? answer,
  };
}
