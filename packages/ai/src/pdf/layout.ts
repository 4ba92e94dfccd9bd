import type { Token, Tokens } from "marked";
import type PDFDocument from "pdfkit";
import { printable } from "./letters.ts";
import { type Definition, type Footnote, lexMarkdown } from "./markdown.ts";
import { plainStyle, type Run, runsOf } from "./runs.ts";
import type { TextPainter } from "./text-painter.ts";

export type Look = { readonly baseFontSize: number; readonly lineSpacing: number };

/** Where a block stands: its left edge and how wide it may be. */
type Column = { readonly x: number; readonly width: number };

/** With what its published types leave out. */
type Pdf = InstanceType<typeof PDFDocument> & {
  openImage(bytes: Buffer): { readonly width: number; readonly height: number };
};

const headingScales = [2, 1.6, 1.3, 1.15, 1, 0.9] as const;
const GREY = "#f2f2f2";
const RULE = "#c8c8c8";
const POINTS_PER_PIXEL = 0.75;
const DEEPEST = 12;

/** Writes Markdown into a document, page after page. */
export class MarkdownLayout {
  readonly #pdf: Pdf;
  readonly #look: Look;
  readonly #images: ReadonlyMap<string, Uint8Array>;
  readonly #painter: TextPainter;
  #openQuotes = 0;
  readonly #footnotes = new Map<string, Footnote | undefined>();

  constructor(
    pdf: InstanceType<typeof PDFDocument>,
    painter: TextPainter,
    look: Look,
    images: ReadonlyMap<string, Uint8Array>,
  ) {
    this.#pdf = pdf as Pdf;
    this.#painter = painter;
    this.#look = look;
    this.#images = images;
  }

  write(markdown: string): void {
    const tokens = lexMarkdown(markdown);
    for (const token of tokens)
      if (token.type === "footnote") this.#footnotes.set((token as Footnote).id, token as Footnote);
    const { left, right } = this.#pdf.page.margins;
    const column = { x: left, width: this.#pdf.page.width - left - right };
    this.#blocks(tokens, column, 0);
    this.#notes(column);
  }

  #blocks(tokens: readonly Token[], column: Column, depth: number): void {
    for (const token of tokens) this.#block(token, column, depth);
  }

  #block(token: Token, column: Column, depth: number): void {
    switch (token.type) {
      case "heading":
        return this.#heading(token as Tokens.Heading, column);
      case "list":
        return this.#list(token as Tokens.List, column, depth);
      case "code":
        return this.#code(token as Tokens.Code, column);
      case "blockquote":
        return this.#quote(token as Tokens.Blockquote, column, depth);
      case "table":
        return this.#table(token as Tokens.Table, column);
      case "hr":
        return this.#rule(column);
      case "definition":
        return this.#definition(token as Definition, column);
      case "space":
      case "def":
      case "footnote":
        return;
      default:
        return this.#paragraph(this.#runs("tokens" in token && token.tokens ? token.tokens : [token]), column);
    }
  }

  #runs(tokens: readonly Token[], style = plainStyle): readonly Run[] {
    return runsOf(tokens, style, (id) => {
      if (!this.#footnotes.has(id)) this.#footnotes.set(id, undefined);
      return [...this.#footnotes.keys()].indexOf(id) + 1;
    });
  }

  #heading({ depth, tokens }: Tokens.Heading, column: Column): void {
    const size = this.#look.baseFontSize * (headingScales[depth - 1] ?? 1);
    this.#space(size * 0.6);
    // A heading at the foot of a page belongs to the next.
    this.#need(size * 3);
    this.#text(this.#runs(tokens, { ...plainStyle, isBold: true }), column, size);
    if (depth <= 2) this.#line(column, 2);
    this.#space(size * 0.3);
  }

  #paragraph(runs: readonly Run[], column: Column): void {
    this.#text(runs, column);
    this.#space(this.#look.baseFontSize * 0.6);
  }

  #list({ ordered, start, items, loose }: Tokens.List, { x, width }: Column, depth: number): void {
    const indent = this.#look.baseFontSize * (ordered ? 2 : 1.4);
    const inside = depth < DEEPEST ? { x: x + indent, width: width - indent } : { x, width };
    for (const [at, { task, checked, tokens }] of items.entries()) {
      const bullet = ordered ? `${(start === "" ? 1 : start) + at}.` : depth % 2 === 0 ? "•" : "–";
      this.#need(this.#lineHeight());
      const { y } = this.#pdf;
      const size = this.#look.baseFontSize;
      const mark = this.#painter.line({ ...plainStyle, text: bullet }, size, indent * 2);
      this.#painter.draw(mark, size, { x, y, width: indent, align: "left" });
      this.#pdf.y = y;
      const box = task ? [{ kind: "text", text: checked ? "[x] " : "[ ] ", ...plainStyle } as const] : [];
      this.#item(tokens, box, inside, depth);
      if (loose) this.#space(this.#look.baseFontSize * 0.3);
    }
    if (depth === 0) this.#space(this.#look.baseFontSize * 0.6);
  }

  #item(tokens: readonly Token[], box: readonly Run[], column: Column, depth: number): void {
    let lead = box;
    for (const token of tokens) {
      if (token.type === "text" || token.type === "paragraph") {
        const inline = (token as Tokens.Text).tokens ?? [token];
        this.#text([...lead, ...this.#runs(inline)], column);
        lead = [];
      } else if (token.type !== "checkbox") {
        this.#block(token, column, depth + 1);
      }
    }
    if (tokens.length === 0) this.#space(this.#lineHeight());
  }

  /** Line by line, so that the ground under it goes on with it on the next page. */
  #code({ text }: Tokens.Code, { x, width }: Column): void {
    const size = this.#look.baseFontSize * 0.9;
    this.#space(2);
    const height = size * 1.35;
    const span = { ...plainStyle, isCode: true, text: printable(text) };
    for (const line of this.#painter.lines([span], size, width - 12, true)) {
      this.#need(height);
      const { y } = this.#pdf;
      this.#pdf.rect(x, y, width, height).fill(GREY);
      this.#painter.draw(line, size, { x: x + 6, y: y + height * 0.15, width: width - 12 });
      this.#pdf.y = y + height;
    }
    this.#space(this.#look.baseFontSize * 0.8);
  }

  #quote({ tokens }: Tokens.Blockquote, { x, width }: Column, depth: number): void {
    const inside = depth < DEEPEST ? { x: x + 14, width: width - 14 } : { x, width };
    const from = { page: this.#lastPage(), y: this.#pdf.y };
    this.#openQuotes += 1;
    this.#blocks(tokens, inside, depth + 1);
    this.#openQuotes -= 1;
    const to = { page: this.#lastPage(), y: this.#pdf.y - this.#look.baseFontSize * 0.6 };
    for (let page = from.page; page <= to.page; page += 1) {
      this.#pdf.switchToPage(page);
      const { margins, height } = this.#pdf.page;
      const top = page === from.page ? from.y : margins.top;
      const bottom = page === to.page ? to.y : height - margins.bottom;
      if (bottom > top) this.#pdf.rect(x, top, 3, bottom - top).fill(RULE);
    }
    this.#pdf.fillColor("black");
    this.#pdf.y = to.y + this.#look.baseFontSize * 0.6;
  }

  /** Columns of one width; what does not fit a cell is cut. */
  #table({ header, rows, align }: Tokens.Table, { x, width }: Column): void {
    const cellWidth = width / Math.max(1, header.length);
    const height = this.#lineHeight() + 6;
    for (const [at, cells] of [header, ...rows].entries()) {
      this.#need(height);
      const { y } = this.#pdf;
      for (const [column, cell] of cells.entries()) {
        const left = x + column * cellWidth;
        this.#pdf.rect(left, y, cellWidth, height);
        if (at === 0) this.#pdf.fillAndStroke(GREY, RULE);
        else this.#pdf.stroke(RULE);
        const text = this.#runs(cell.tokens).map((run) =>
          run.kind === "text" ? run.text : `[Image: ${printable(run.alt)}]`,
        );
        const span = { ...plainStyle, isBold: at === 0, text: text.join("").replaceAll("\n", " ") };
        const line = this.#painter.line(span, this.#look.baseFontSize, cellWidth - 8);
        const place = { x: left + 4, y: y + 4, width: cellWidth - 8 };
        const aligned = align[column];
        this.#painter.draw(line, this.#look.baseFontSize, aligned ? { ...place, align: aligned } : place);
      }
      this.#pdf.y = y + height;
    }
    this.#space(this.#look.baseFontSize * 0.8);
  }

  #rule(column: Column): void {
    this.#space(4);
    this.#line(column, 4);
  }

  #line({ x, width }: Column, gap: number): void {
    const y = this.#pdf.y + gap;
    this.#pdf
      .moveTo(x, y)
      .lineTo(x + width, y)
      .lineWidth(0.7)
      .stroke(RULE);
    this.#pdf.y = y + gap;
  }

  #definition({ term, meanings }: Definition, column: Column): void {
    this.#text(this.#runs(term, { ...plainStyle, isBold: true }), column);
    const inside = { x: column.x + 18, width: column.width - 18 };
    for (const meaning of meanings) this.#text(this.#runs(meaning), inside);
    this.#space(this.#look.baseFontSize * 0.6);
  }

  #notes(column: Column): void {
    const notes = [...this.#footnotes.values()];
    if (notes.length === 0) return;
    this.#rule(column);
    for (const [at, note] of notes.entries()) {
      const number = { kind: "text", text: `[${at + 1}] `, ...plainStyle } as const;
      this.#text([number, ...this.#runs(note?.tokens ?? [])], column, this.#look.baseFontSize * 0.85);
    }
  }

  /** Runs one after the other; a picture stands on its own between them. */
  #text(runs: readonly Run[], column: Column, size = this.#look.baseFontSize): void {
    let pending: Extract<Run, { kind: "text" }>[] = [];
    const flush = (): void => {
      this.#flow(pending, column, size);
      pending = [];
    };
    for (const run of runs) {
      if (run.kind === "text") {
        pending.push(run);
        continue;
      }
      flush();
      this.#image(run.source, run.alt, column);
    }
    flush();
  }

  #flow(runs: readonly Extract<Run, { kind: "text" }>[], { x, width }: Column, size: number): void {
    if (!runs.some(({ text }) => text.trim() !== "")) return;
    const height = size * this.#look.lineSpacing;
    for (const line of this.#painter.lines(runs, size, width)) {
      this.#need(height);
      const { y } = this.#pdf;
      this.#painter.draw(line, size, { x, y, width });
      this.#pdf.y = y + height;
    }
  }

  #image(source: string, alt: string, { x, width }: Column): void {
    const bytes = this.#images.get(source);
    try {
      if (bytes === undefined) throw new Error("It could not be loaded");
      const picture = Buffer.from(bytes);
      const image = this.#pdf.openImage(picture);
      const { height: pageHeight, margins } = this.#pdf.page;
      const natural = { width: image.width * POINTS_PER_PIXEL, height: image.height * POINTS_PER_PIXEL };
      const scale = Math.min(1, width / natural.width, (pageHeight - margins.top - margins.bottom) / natural.height);
      this.#need(natural.height * scale);
      const { y } = this.#pdf;
      this.#pdf.image(picture, x, y, { width: natural.width * scale });
      this.#pdf.y = y + natural.height * scale + 4;
    } catch {
      // What cannot be loaded or is no picture is named instead.
      this.#flow(
        [{ kind: "text", text: printable(`[Image: ${alt}]`), ...plainStyle }],
        { x, width },
        this.#look.baseFontSize,
      );
    }
  }

  #lineHeight(): number {
    return this.#look.baseFontSize * this.#look.lineSpacing;
  }

  #space(points: number): void {
    this.#pdf.y += points;
  }

  /** Begins a page when so much does not fit on this one. */
  #need(points: number): void {
    const { height, margins } = this.#pdf.page;
    const isFresh = this.#pdf.y <= margins.top;
    if (isFresh || this.#pdf.y + points <= height - margins.bottom) return;
    // A page to which no quote will come back is written out: many would not fit into memory.
    if (this.#openQuotes === 0) this.#pdf.flushPages();
    this.#pdf.addPage();
  }

  #lastPage(): number {
    const { start, count } = this.#pdf.bufferedPageRange();
    return start + count - 1;
  }
}
