/** A tool call as the text that guardrails look at. */
export function formatCall(
  { argKeys, args }: { argKeys?: readonly string[]; args?: { readonly [name: string]: unknown } },
  { tool }: { tool: string },
): { formatted: string } {
  const shown = Object.fromEntries((argKeys ?? []).map((name) => [name, args?.[name] ?? null]));
  return { formatted: ["Tool: ".concat(tool), "Arguments: ".concat(JSON.stringify(shown)), "---"].join("\n") };
}
