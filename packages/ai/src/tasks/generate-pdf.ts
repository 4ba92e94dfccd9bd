import type { JsonObject } from "@downbeat/engine";
import type { OutsideCall } from "@downbeat/server";
import type { AiServices, AiTask } from "../ai-task.ts";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import type { PdfSettings } from "../pdf/render.ts";
import { completed } from "../results.ts";

const MARGIN = 72;
const FONT_SIZE = 11;
const PDF = "application/pdf";

/** GENERATE_PDF: Markdown as a PDF. */
export const generatePdf: AiTask = {
  type: "GENERATE_PDF",
  async run(call, services) {
    const { input: from, head, signal } = call;
    const markdown = input.text(from, "markdown") ?? "";
    if (markdown.trim() === "") throw new TerminalError("markdown input is required for GENERATE_PDF task");
    const bytes = await render(markdown, call, services);
    const outputLocation = input.word(from, "outputLocation");
    const location =
      outputLocation === undefined
        ? (await services.media.put(bytes, PDF, head.id)).location
        : await services.documents.store(outputLocation, { bytes, mimeType: PDF }, { signal });
    return completed({
      result: { location, sizeBytes: bytes.length },
      media: [{ location, mimeType: PDF }],
      finishReason: "COMPLETED",
      tokenUsed: 0,
      promptTokens: 0,
      completionTokens: 0,
    });
  },
};

async function render(
  markdown: string,
  { input: from, head, signal }: OutsideCall,
  { tools, documents }: AiServices,
): Promise<Uint8Array> {
  const baseUrl = input.word(from, "imageBaseUrl");
  const loadImage = async (source: string): Promise<Uint8Array | undefined> => {
    const [, inline] = /^data:image\/[\w.+-]+;base64,(.*)$/is.exec(source) ?? [];
    if (inline !== undefined) return Buffer.from(inline, "base64");
    try {
      return (await documents.load(absolute(source, baseUrl), { signal, executionId: head.id })).bytes;
    } catch {
      // Forbidden, gone, or no picture: the text names it instead.
      return;
    }
  };
  try {
    return await tools.pdf.render(markdown, readSettings(from), loadImage, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new Error("Failed to generate PDF from markdown", { cause: error });
  }
}

/** A source without a scheme is looked for under the base, which may be a URL or a folder. */
function absolute(source: string, base: string | undefined): string {
  if (base === undefined || /^[a-z][a-z0-9+.-]+:/i.test(source)) return source;
  if (!/^(https?|file):/i.test(base)) return `${base.replace(/\/+$/, "")}/${source}`;
  return URL.parse(source, base.endsWith("/") ? base : `${base}/`)?.href ?? source;
}

const pageSizes = ["A4", "LETTER", "LEGAL", "A3", "A5"] as const;

function readSettings(from: JsonObject): PdfSettings {
  const size = input.word(from, "pageSize")?.toUpperCase();
  const metadata = input.object(from, "pdfMetadata") ?? {};
  const texts = (["title", "author", "subject", "keywords"] as const).flatMap((name) => {
    const text = input.word(metadata, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  const margin = (name: string): number => Math.min(Math.max(0, input.number(from, name) ?? MARGIN), 200);
  return {
    pageSize: pageSizes.find((one) => one === size) ?? "A4",
    margins: {
      top: margin("marginTop"),
      right: margin("marginRight"),
      bottom: margin("marginBottom"),
      left: margin("marginLeft"),
    },
    baseFontSize: Math.min(Math.max(4, input.number(from, "baseFontSize") ?? FONT_SIZE), 72),
    lineSpacing: input.word(from, "theme")?.toLowerCase() === "compact" ? 1.3 : 1.5,
    metadata: Object.fromEntries(texts),
  };
}
