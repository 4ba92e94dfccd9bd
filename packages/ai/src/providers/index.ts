import { anthropic } from "./anthropic.ts";
import { azureOpenai } from "./azure-openai.ts";
import { bedrock } from "./bedrock.ts";
import { cohere } from "./cohere.ts";
import { gemini } from "./gemini.ts";
import { huggingface } from "./huggingface.ts";
import { mistral } from "./mistral.ts";
import { ollama } from "./ollama.ts";
import { openai } from "./openai.ts";
import { grok, litellm, perplexity } from "./openai-compatible.ts";
import type { ProviderKind } from "./provider.ts";
import { stabilityai } from "./stabilityai.ts";

/** Every provider, in the order of the status route. */
export const providerKinds: readonly ProviderKind[] = [
  openai,
  anthropic,
  gemini,
  azureOpenai,
  bedrock,
  mistral,
  cohere,
  grok,
  perplexity,
  huggingface,
  ollama,
  litellm,
  stabilityai,
];
