import type { Maybe, ToolCall } from "./values.ts";

/** The calls of a turn as the text that guardrails of tools look at. */
export function formatToolCalls(input: { readonly tool_calls: Maybe<readonly ToolCall[]> }): {
  readonly formatted: string;
} {
  const lines = (input.tool_calls ?? []).map(({ name, inputParameters = {} }) => {
    const { method, ...rest } = inputParameters;
    const args = method === name ? rest : inputParameters;
    return `Tool: ${name}\nArguments: ${JSON.stringify(args)}\n---`;
  });
  return { formatted: lines.join("\n") };
}
