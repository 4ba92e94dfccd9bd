import type { ModelCall } from "./model-call.ts";
import { priceProvider } from "./provider-names.ts";

/** What a call cost by prices that are publicly known, at the time it was made. */
export type KnownPrices = (call: ModelCall) => number | undefined;

/** Prices that come with the server: nothing is fetched. */
export async function loadKnownPrices(): Promise<KnownPrices> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  return ({ provider, model, promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens, at }) => {
    const usage = {
      input_tokens: promptTokens,
      output_tokens: completionTokens,
      ...(cacheReadTokens > 0 ? { cache_read_tokens: cacheReadTokens } : {}),
      ...(cacheWriteTokens > 0 ? { cache_write_tokens: cacheWriteTokens } : {}),
    };
    try {
      const found = calcPrice(usage, model, { providerId: priceProvider(provider), timestamp: new Date(at) });
      return found?.total_price;
    } catch {
      // The list has no price for some part of such a call, or counts do not add up: then nobody knows.
      return undefined;
    }
  };
}
