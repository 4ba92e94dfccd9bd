/**
 * Text as it is read: blanks, tabs and line ends are remembered and written with what follows them, so that none pile up
 * and none stand at an end. What was written is never looked at again: documents are long.
 */
export class TextWriter {
  readonly #parts: string[] = [];
  #breaks = 0;
  #blank = "";
  #prefix = "";

  /** As it is. */
  write(text: string): void {
    if (text === "") return;
    if (this.#parts.length > 0) this.#parts.push(this.#breaks > 0 ? "\n".repeat(this.#breaks) : this.#blank);
    this.#parts.push(this.#prefix, text);
    this.#breaks = 0;
    this.#blank = "";
    this.#prefix = "";
  }

  /** With every run of blanks as one. */
  writeFlowing(text: string): void {
    if (/^\s/.test(text)) this.#blank ||= " ";
    this.write(text.trim().replace(/\s+/g, " "));
    if (/\S\s+$/.test(text.slice(-100))) this.#blank ||= " ";
  }

  /** At least so many line ends before what comes next. */
  breakLine(count: number): void {
    this.#breaks = Math.max(this.#breaks, count);
  }

  /** One line end more, as long as they do not pile up. */
  addLine(): void {
    this.#breaks = Math.min(2, this.#breaks + 1);
  }

  /** A blank or a tab before what comes next on this line; the last one said counts. */
  separate(blank: " " | "\t"): void {
    if (this.#breaks === 0) this.#blank = blank;
  }

  /** Stands right before what comes next. */
  prefix(text: string): void {
    this.#prefix = text;
  }

  toString(): string {
    return this.#parts.join("").trim();
  }
}
