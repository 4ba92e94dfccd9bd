import { TerminalError } from "../errors.ts";
import { callProvider } from "../providers/call.ts";
import type { Providers } from "../providers/providers.ts";

export type EmbedRequest = {
  readonly llmProvider: string | undefined;
  readonly model: string;
  readonly baseUrl?: string | undefined;
  readonly text: string;
  readonly dimensions?: number | undefined;
  readonly signal: AbortSignal;
};

/** The vector of a text. */
export async function embed(providers: Providers, request: EmbedRequest): Promise<readonly number[]> {
  const provider = providers.find(request.llmProvider, request.baseUrl);
  const { embeddings } = provider;
  if (embeddings === undefined) throw new Error(provider.refusals?.embeddings ?? "Not supported");
  if (request.model === "") throw new TerminalError("model not specified: null");
  const { text, dimensions } = request;
  const wanted = dimensions === undefined || dimensions <= 0 ? {} : { dimensions };
  const vectors = await callProvider({
    provider,
    words: embeddings.failure,
    signal: request.signal,
    work: async (abortSignal) => {
      const model = await embeddings.model(request.model);
      const { embeddings: found } = await model.doEmbed({
        values: [text],
        abortSignal,
        ...(embeddings.hasDimensions === true ? wanted : {}),
        ...(embeddings.providerOptions === undefined ? {} : { providerOptions: embeddings.providerOptions(wanted) }),
      });
      return found;
    },
  });
  const [vector] = vectors;
  if (vector === undefined || vector.length === 0) throw new Error("No embeddings returned");
  return vector;
}
