import type { Config, GuardedFetch, Logger } from "@downbeat/server";
import { openExtractor, type TextExtractor } from "./documents/extract.ts";
import { openGate } from "./outbound/gate.ts";
import { openPdfRenderer, type PdfRenderer } from "./pdf/render.ts";
import { openVectorStores, type VectorStores } from "./vector/stores.ts";

/** What the tasks on documents, vectors and tools use. Each starts with its first use. */
export type ToolServices = {
  /** The way out to targets that a definition chooses. */
  readonly gate: GuardedFetch;
  readonly vectors: VectorStores;
  readonly extractor: TextExtractor;
  readonly pdf: PdfRenderer;
  readonly close: () => Promise<void>;
};

export function openTools(config: Config, log: Logger): ToolServices {
  const services = {
    gate: openGate(config),
    vectors: openVectorStores(config, log),
    extractor: openExtractor(config),
    pdf: openPdfRenderer(config),
  };
  return {
    ...services,
    async close() {
      await Promise.all(Object.values(services).map((service) => service.close()));
    },
  };
}
