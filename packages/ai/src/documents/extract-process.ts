import { answerQuestions } from "../helpers/answer.ts";
import { decodeText } from "./decode-text.ts";
import type { ExtractRequest } from "./extract.ts";
import { htmlToText } from "./html-text.ts";
import { officeToText } from "./office-text.ts";

answerQuestions<ExtractRequest>(({ bytes, mediaType }) => {
  switch (mediaType) {
    case "application/pdf":
      return pdfToText(bytes);
    case "application/zip":
      return officeToText(bytes) ?? unknownType("a zip file of another kind");
    case "text/html":
    case "application/xhtml+xml":
      return htmlToText(decodeText(bytes));
    default:
      return isPlain(mediaType) ? decodeText(bytes) : unknownType(mediaType);
  }
});

async function pdfToText(bytes: Uint8Array): Promise<string> {
  const { extractText, getDocumentProxy } = await import("unpdf");
  const { text } = await extractText(await getDocumentProxy(bytes, { verbosity: 0 }), { mergePages: false });
  return text.join("\n\n").trim();
}

const isPlain = (mediaType: string): boolean =>
  /^text\//.test(mediaType) ||
  /^application\/(json|xml|yaml|x-yaml|javascript|x-ndjson|toml|sql)$/.test(mediaType) ||
  /\+(json|xml|yaml)$/.test(mediaType);

function unknownType(found: string): never {
  throw new Error(
    `Expected a document of HTML, PDF, Word, Excel, PowerPoint, OpenDocument, EPUB or plain text, got ${found}`,
  );
}
