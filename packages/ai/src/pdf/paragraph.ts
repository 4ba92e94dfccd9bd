import createBidi, { type Bidi } from "bidi-js";
import LineBreaker from "linebreak";
import type { FontStyle, Fonts, Piece } from "./fonts.ts";
import { clustersOf, hasRightToLeft } from "./letters.ts";

/** A stretch of a paragraph that looks the same. */
export type Span = FontStyle & { readonly text: string };

/** What is drawn in one go: letters of one face, one direction and one span. */
export type Drawn<S> = Piece & { readonly span: S; readonly isRightToLeft: boolean; readonly width: number };

/** One line, in the order in which it is seen. */
export type Line<S> = { readonly pieces: readonly Drawn<S>[]; readonly width: number; readonly isRightToLeft: boolean };

type Options = {
  readonly fonts: Fonts;
  readonly widthOf: (piece: Piece) => number;
  readonly width: number;
  /** Between any two letters, as code is broken; blanks are kept. Otherwise where the language allows it. */
  readonly breaksAnywhere?: boolean;
};

/** `from`: where it begins in the text as it is read. */
type Placed<S> = Piece & { readonly span: S; readonly from: number };

// Its types put the function one level too deep for a module that Node takes as CommonJS.
const bidi = (createBidi as unknown as () => Bidi)();

/** Breaks text into lines, one at a time; an end of line in the text is one. */
export function* breakLines<S extends Span>(spans: readonly S[], options: Options): Generator<Line<S>> {
  for (const line of hardLines(spans)) yield* softLines(line, options);
}

/** More letters than fit on a line of any page. */
const LONGEST_LINE = 2000;

/** What fits on one line, with dots where something had to go. */
export function fitLine<S extends Span>(whole: S, options: Options): Line<S> {
  const span = { ...whole, text: whole.text.slice(0, LONGEST_LINE).toWellFormed() };
  const [first, ...others] = [...breakLines([span], { ...options, breaksAnywhere: true })];
  if (first === undefined || others.length === 0) return first ?? { pieces: [], width: 0, isRightToLeft: false };
  const dots = options.fonts.split("…", span).reduce((sum, piece) => sum + options.widthOf(piece), 0);
  const narrower = { ...options, width: Math.max(0, options.width - dots), breaksAnywhere: true };
  const kept = [...breakLines([span], narrower)][0]?.pieces.map(({ text }) => text) ?? [];
  const text = kept.length === 0 ? "…" : `${span.text.slice(0, kept.join("").length)}…`;
  return [...breakLines([{ ...span, text }], { ...options, width: Number.POSITIVE_INFINITY })][0] ?? first;
}

function hardLines<S extends Span>(spans: readonly S[]): readonly (readonly S[])[] {
  const lines: S[][] = [[]];
  for (const span of spans) {
    for (const [at, text] of span.text.split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (text !== "") lines.at(-1)?.push({ ...span, text });
    }
  }
  return lines;
}

function* softLines<S extends Span>(spans: readonly S[], options: Options): Generator<Line<S>> {
  const pieces = place(spans, options.fonts);
  const text = pieces.map((piece) => piece.text).join("");
  const levels = hasRightToLeft(text) ? bidi.getEmbeddingLevels(text) : undefined;
  const isRightToLeft = ((levels?.paragraphs[0]?.level ?? 0) & 1) === 1;
  for (const [from, to] of rangesOf(text, pieces, options)) {
    const ordered = levels === undefined ? cut(pieces, from, to) : reorder(pieces, text, levels.levels, from, to);
    const drawn = ordered.map((piece) => ({ isRightToLeft: false, ...piece, width: options.widthOf(piece) }));
    yield { pieces: drawn, width: drawn.reduce((sum, { width }) => sum + width, 0), isRightToLeft };
  }
}

function place<S extends Span>(spans: readonly S[], fonts: Fonts): readonly Placed<S>[] {
  let from = 0;
  return spans.flatMap((span) =>
    fonts.split(span.text, span).map((piece) => {
      const placed = { ...piece, span, from };
      from += piece.text.length;
      return placed;
    }),
  );
}

type Range = readonly [from: number, to: number];

/** Where lines begin and end: as many words on each as fit, and a longer word in parts. */
function rangesOf<S>(text: string, pieces: readonly Placed<S>[], options: Options): readonly Range[] {
  const { width, widthOf, breaksAnywhere = false } = options;
  const measure = measurer(pieces, widthOf);
  const lines: Range[] = [];
  let [from, to, used] = [0, 0, 0];
  const end = (): void => {
    if (to > from) lines.push([from, breaksAnywhere ? to : from + text.slice(from, to).trimEnd().length]);
    [from, used] = [to, 0];
  };
  const add = (unit: string): void => {
    const wide = measure(to, to + unit.length);
    const seen = breaksAnywhere ? wide : measure(to, to + unit.trimEnd().length);
    if (used > 0 && used + seen > width) end();
    if (seen > width && unit.trimEnd().length > 1 && !isOneCluster(unit)) {
      for (const cluster of clustersOf(unit)) add(cluster);
      return;
    }
    used += wide;
    to += unit.length;
  };
  for (const unit of breaksAnywhere ? clustersOf(text) : words(text)) add(unit);
  end();
  return lines.length === 0 ? [[0, 0]] : lines;
}

const isOneCluster = (text: string): boolean => clustersOf(text).length === 1;

function* words(text: string): Generator<string> {
  const breaker = new LineBreaker(text);
  let from = 0;
  for (let at = breaker.nextBreak(); at !== null; at = breaker.nextBreak()) {
    if (at.position > from) yield text.slice(from, at.position);
    from = at.position;
  }
}

function measurer<S>(pieces: readonly Placed<S>[], widthOf: (piece: Piece) => number) {
  return (from: number, to: number): number => cut(pieces, from, to).reduce((sum, piece) => sum + widthOf(piece), 0);
}

function cut<S>(pieces: readonly Placed<S>[], from: number, to: number): readonly Placed<S>[] {
  const found: Placed<S>[] = [];
  for (let at = firstAt(pieces, from); at < pieces.length; at += 1) {
    const piece = pieces[at];
    if (piece === undefined || piece.from >= to) break;
    const text = piece.text.slice(Math.max(0, from - piece.from), to - piece.from);
    if (text !== "") found.push({ ...piece, text, from: Math.max(from, piece.from) });
  }
  return found;
}

/** The piece in which a place of the text lies: there may be as many as letters, and as many lines to ask for it. */
function firstAt<S>(pieces: readonly Placed<S>[], place: number): number {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const { from, text } = pieces[middle] ?? { from: 0, text: "" };
    if (from + text.length <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The pieces of a line as they are seen from left to right, by rule L2 of the Unicode bidirectional algorithm. */
function reorder<S>(
  pieces: readonly Placed<S>[],
  whole: string,
  levels: Uint8Array,
  from: number,
  to: number,
): readonly (Placed<S> & { readonly isRightToLeft: boolean })[] {
  const ofLine = cut(pieces, from, to).flatMap((piece) => splitByLevel(piece, whole, levels));
  const highest = Math.max(0, ...ofLine.map(({ level }) => level));
  for (let level = highest; level >= 1; level -= 1) {
    for (let start = 0; start < ofLine.length; start += 1) {
      let end = start;
      while ((ofLine[end]?.level ?? -1) >= level) end += 1;
      if (end - start > 1) ofLine.splice(start, end - start, ...ofLine.slice(start, end).reverse());
      start = Math.max(start, end - 1);
    }
  }
  return ofLine;
}

function splitByLevel<S>(piece: Placed<S>, whole: string, levels: Uint8Array) {
  const parts: (Placed<S> & { readonly level: number; readonly isRightToLeft: boolean })[] = [];
  for (let start = piece.from, end = start; start < piece.from + piece.text.length; start = end) {
    const level = levels[start] ?? 0;
    while (end < piece.from + piece.text.length && (levels[end] ?? 0) === level) end += 1;
    const isRightToLeft = (level & 1) === 1;
    const text = whole.slice(start, end);
    parts.push({ ...piece, from: start, level, isRightToLeft, text: isRightToLeft ? mirrored(text) : text });
  }
  return parts;
}

/** Brackets open the other way round. What holds no letter of its own direction is not turned by its font. */
function mirrored(text: string): string {
  const turned = [...text].map((letter) => bidi.getMirroredCharacter(letter) ?? letter).join("");
  return hasRightToLeft(turned) ? turned : clustersOf(turned).toReversed().join("");
}
