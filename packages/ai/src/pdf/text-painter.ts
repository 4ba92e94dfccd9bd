import type PDFDocument from "pdfkit";
import type { Fonts, Piece } from "./fonts.ts";
import { breakLines, type Drawn, fitLine, type Line, type Span } from "./paragraph.ts";

/** Text with what is drawn under, through and around it. */
export type PaintedSpan = Span & { readonly isStruck?: boolean; readonly link?: string | undefined };

export type PaintedLine = Line<PaintedSpan>;

/** Where a line stands. */
export type Place = { readonly x: number; readonly y: number; readonly width: number; readonly align?: Alignment };

type Alignment = "left" | "center" | "right";

const LINK = "#0b57d0";
/** From the top of a line to the foot of its letters, in font sizes. */
const BASELINE = 0.8;

/** Measures and draws text in whatever fonts it needs. */
export class TextPainter {
  readonly #pdf: InstanceType<typeof PDFDocument>;
  readonly #fonts: Fonts;
  readonly #registered = new Set<string>();

  constructor(pdf: InstanceType<typeof PDFDocument>, fonts: Fonts) {
    this.#pdf = pdf;
    this.#fonts = fonts;
  }

  lines(spans: readonly PaintedSpan[], size: number, width: number, breaksAnywhere = false): Iterable<PaintedLine> {
    return breakLines(spans, { ...this.#measure(size), width, breaksAnywhere });
  }

  /** What fits on one line. */
  line(span: PaintedSpan, size: number, width: number): PaintedLine {
    return fitLine(span, { ...this.#measure(size), width });
  }

  /** `y` is the top of the line. A line of a right-to-left text begins at the right. */
  draw(line: PaintedLine, size: number, { x, y, width, align }: Place): void {
    const spare = Math.max(0, width - line.width);
    const alignment = align ?? (line.isRightToLeft ? "right" : "left");
    let left = x + (alignment === "right" ? spare : alignment === "center" ? spare / 2 : 0);
    for (const piece of line.pieces) {
      this.#drawPiece(piece, size, left, y + size * BASELINE);
      left += piece.width;
    }
    this.#pdf.fillColor("black");
  }

  #drawPiece({ text, face, span, isRightToLeft, width }: Drawn<PaintedSpan>, size: number, x: number, y: number): void {
    const { isStruck = false, link } = span;
    const color = link === undefined ? "black" : LINK;
    this.#font({ text, face }, size).fillColor(color);
    this.#pdf.text(text, x, y, {
      lineBreak: false,
      baseline: "alphabetic",
      // Laid out as a whole: word by word, the words would stand in the wrong order.
      ...(isRightToLeft ? { features: [] } : {}),
    });
    if (link !== undefined) {
      this.#pdf.link(x, y - size * BASELINE, width, size * 1.1, link);
      this.#stroke(x, y + size * 0.12, width, color);
    }
    if (isStruck) this.#stroke(x, y - size * 0.26, width, color);
  }

  #stroke(x: number, y: number, width: number, color: string): void {
    this.#pdf
      .moveTo(x, y)
      .lineTo(x + width, y)
      .lineWidth(0.7)
      .stroke(color);
  }

  #measure(size: number) {
    return {
      fonts: this.#fonts,
      widthOf: (piece: Piece) => this.#font(piece, size).widthOfString(piece.text),
    };
  }

  #font({ face: { name, font } }: Piece, size: number): InstanceType<typeof PDFDocument> {
    if (font !== undefined && !this.#registered.has(name)) {
      // The library takes an open font too; its published types do not say so.
      this.#pdf.registerFont(name, font as never);
      this.#registered.add(name);
    }
    return this.#pdf.font(name).fontSize(size);
  }
}
