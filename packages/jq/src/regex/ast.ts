/** A pattern as parsed. Text is matched by code point, so positions are what jq reports. */
export type Pattern =
  | { readonly kind: "set"; readonly test: CodeTest }
  | { readonly kind: "sequence"; readonly items: readonly Pattern[] }
  | { readonly kind: "choice"; readonly options: readonly Pattern[] }
  | { readonly kind: "group"; readonly index: number; readonly body: Pattern }
  | { readonly kind: "repeat"; readonly body: Pattern; readonly min: number; readonly max: number; readonly mode: Mode }
  | { readonly kind: "assert"; readonly what: Assertion }
  | { readonly kind: "look"; readonly body: Pattern; readonly isBehind: boolean; readonly isNegative: boolean }
  | { readonly kind: "atomic"; readonly body: Pattern }
  | { readonly kind: "backreference"; readonly groups: readonly number[]; readonly ignoreCase: boolean }
  | { readonly kind: "keep" };

/** Possessive repeats give nothing back once matched. */
export type Mode = "greedy" | "lazy" | "possessive";

export type Assertion = "start" | "end" | "endOrLastNewline" | "lineStart" | "lineEnd" | "wordEdge" | "notWordEdge";

/** Whether a code point belongs to a set. `only` is set when exactly one does, so that a search can skip ahead. */
export type CodeTest = { readonly has: (code: number) => boolean; readonly only: number | undefined };

/** `names[i]` is the name of group i + 1. */
export type ParsedPattern = { readonly root: Pattern; readonly names: readonly (string | null)[] };
