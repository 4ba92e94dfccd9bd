import type { Runtime } from "@downbeat/server";
import { PlannerCache } from "./api-tools/planner-cache.ts";
import { openExtractor, type TextExtractor } from "./documents/extract.ts";
import { type Gate, openGate } from "./outbound/gate.ts";
import { openPdfRenderer, type PdfRenderer } from "./pdf/render.ts";
import { openVectorStores, type VectorStores } from "./vector/stores.ts";

/** What the tasks on documents, vectors and tools use. Each starts with its first use. */
export type ToolServices = {
  /** The way out to targets that a definition chooses. */
  readonly gate: Gate;
  readonly vectors: VectorStores;
  readonly extractor: TextExtractor;
  readonly pdf: PdfRenderer;
  readonly planner: PlannerCache;
  readonly close: () => Promise<void>;
};

export function openTools({ config, log, clock }: Runtime): ToolServices {
  const gate = openGate(config);
  const services = {
    gate,
    vectors: openVectorStores(config, log),
    extractor: openExtractor(config),
    pdf: openPdfRenderer(config),
  };
  return {
    ...services,
    planner: new PlannerCache(gate.fetch, clock),
    async close() {
      await Promise.all(Object.values(services).map((service) => service.close()));
    },
  };
}
