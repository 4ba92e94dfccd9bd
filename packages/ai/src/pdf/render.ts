import type { Config } from "@downbeat/server";
import { HelperPool } from "../helpers/helper-pool.ts";
import { inProcess } from "../helpers/process.ts";
import type { Look } from "./layout.ts";

export type PdfSettings = Look & {
  readonly pageSize: "A3" | "A4" | "A5" | "LETTER" | "LEGAL";
  readonly margins: { readonly top: number; readonly right: number; readonly bottom: number; readonly left: number };
  readonly metadata: {
    readonly title?: string;
    readonly author?: string;
    readonly subject?: string;
    readonly keywords?: string;
  };
};

export type PdfQuestion =
  | { readonly kind: "images"; readonly markdown: string }
  | {
      readonly kind: "render";
      readonly markdown: string;
      readonly settings: PdfSettings;
      readonly images: ReadonlyMap<string, Uint8Array>;
    };

/** Gives the bytes of a picture; undefined when there are none to be had. */
type LoadImage = (source: string) => Promise<Uint8Array | undefined>;

export type PdfRenderer = {
  readonly render: (
    markdown: string,
    settings: PdfSettings,
    loadImage: LoadImage,
    signal: AbortSignal,
  ) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
};

const MOST_IMAGES = 200;

const MEMORY_MB = 512;
const AT_ONCE = 2;

/** Lays out in processes of their own: a long text takes its time, and a strange picture may take more. */
export function openPdfRenderer(config: Config): PdfRenderer {
  const script = new URL("./render-process.ts", import.meta.url);
  const helpers = new HelperPool<PdfQuestion, unknown>(inProcess(script, MEMORY_MB), AT_ONCE);
  const timeoutMs = config["service.documents.extract-timeout"];
  return {
    async render(markdown, settings, loadImage, signal) {
      const sources = (await helpers.call({ kind: "images", markdown }, { signal, timeoutMs })) as readonly string[];
      const images = new Map<string, Uint8Array>();
      let left = config["service.documents.max-size"];
      for (const source of sources.slice(0, MOST_IMAGES)) {
        const bytes = await loadImage(source);
        // Together they may be as large as one document; what is beyond that is named instead.
        if (bytes === undefined || bytes.length > left) continue;
        left -= bytes.length;
        images.set(source, Uint8Array.from(bytes));
      }
      return (await helpers.call({ kind: "render", markdown, settings, images }, { signal, timeoutMs })) as Uint8Array;
    },
    close: () => helpers.close(),
  };
}
