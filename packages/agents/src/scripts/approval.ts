import type { Json, JsonObject } from "@downbeat/engine";
import type { Maybe, ToolCall } from "./values.ts";

type Remotes = Maybe<{ readonly [tool: string]: { readonly approvalRequired?: boolean } }>;

type Input = {
  readonly tool_calls: Maybe<readonly ToolCall[]>;
  /** Discovered tools, where a source of them needs consent. */
  readonly mcpConfig?: Remotes;
  readonly apiConfig?: Remotes;
};

/** Whether one of the calls needs a person's consent. */
export function checkApproval(
  input: Input,
  known: { readonly gated: readonly string[] },
): { readonly needs_approval: boolean; readonly gated_tools: readonly string[] } {
  const isGated = (name: string): boolean =>
    known.gated.includes(name) ||
    input.mcpConfig?.[name]?.approvalRequired === true ||
    input.apiConfig?.[name]?.approvalRequired === true;
  const names = (input.tool_calls ?? []).map(({ name }) => name ?? "").filter(isGated);
  return { needs_approval: names.length > 0, gated_tools: names };
}

/** What a person said beside yes, as a message to the model; empty when they said nothing. */
export function formatFeedback(input: { readonly extra: Maybe<JsonObject>; readonly reason: Maybe<Json> }): string {
  const asText = (value: Json): string => (typeof value === "object" ? JSON.stringify(value) : String(value));
  const lines = Object.entries({ reason: input.reason ?? "", ...(input.extra ?? {}) })
    .filter(([, value]) => value !== null && value !== "")
    .map(([key, value]) => `${key}: ${asText(value)}`);
  return lines.length === 0 ? "" : `Human feedback on the approved tool call:\n${lines.join("\n")}`;
}
