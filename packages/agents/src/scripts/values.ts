import type { Json, JsonObject } from "@downbeat/engine";

/** What scripts receive. A value an expression did not find is null; a member nobody set is absent. */
export type Maybe<T> = T | null | undefined;

/** A call the model asked for. */
export type ToolCall = {
  readonly taskReferenceName?: string;
  readonly name?: string;
  readonly type?: string;
  readonly inputParameters?: JsonObject;
};

/** What a guardrail found. `on_fail` says what is done about it; null when it passed. */
export type Verdict = {
  readonly passed: boolean;
  readonly message: string;
  readonly on_fail: string;
  readonly fixed_output: Json;
  readonly guardrail_name: string;
  readonly should_continue: boolean;
};

/** A result of a tool, kept for the rules and prompts that look at it. */
export type ToolResult = { readonly name: string; readonly output: Json };
