import { buffer } from "node:stream/consumers";
import PDFDocument from "pdfkit";
import { answerQuestions } from "../helpers/answer.ts";
import { openFonts } from "./fonts.ts";
import { MarkdownLayout } from "./layout.ts";
import { imageSources, lettersOf } from "./markdown.ts";
import type { PdfQuestion } from "./render.ts";
import { TextPainter } from "./text-painter.ts";

answerQuestions<PdfQuestion>((question) =>
  question.kind === "images" ? imageSources(question.markdown) : render(question),
);

async function render({ markdown, settings, images }: Extract<PdfQuestion, { kind: "render" }>): Promise<Uint8Array> {
  const fonts = await openFonts(lettersOf(markdown));
  const { title, author, subject, keywords } = settings.metadata;
  const pdf = new PDFDocument({
    size: settings.pageSize,
    margins: settings.margins,
    // A quote draws its bar when it knows where it ends, which may be pages later.
    bufferPages: true,
    info: {
      Creator: "Downbeat",
      ...(title === undefined ? {} : { Title: title }),
      ...(author === undefined ? {} : { Author: author }),
      ...(subject === undefined ? {} : { Subject: subject }),
      ...(keywords === undefined ? {} : { Keywords: keywords }),
    },
  });
  const bytes = buffer(pdf);
  new MarkdownLayout(pdf, new TextPainter(pdf, fonts), settings, images).write(markdown);
  pdf.end();
  return await bytes;
}
