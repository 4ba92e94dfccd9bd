/** Names that tasks give a provider, and what lists of prices call it. Others go by their own name. */
const others: ReadonlyMap<string, string> = new Map([
  ["azure_openai", "azure"],
  ["azureopenai", "azure"],
  ["vertex_ai", "google"],
  ["google_gemini", "google"],
  ["gemini", "google"],
  ["aws_bedrock", "aws"],
  ["bedrock", "aws"],
  ["grok", "x-ai"],
  ["xai", "x-ai"],
]);

/** One name for each provider, however a task spells it. */
export function priceProvider(name: string): string {
  const lower = name.trim().toLowerCase();
  return others.get(lower) ?? lower;
}
