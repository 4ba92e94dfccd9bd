import type { Word } from "../sqlite/search-text.ts";
import type { Values } from "./search-clause.ts";

/** Where a text is looked for by the database itself. */
export type ProbedColumns = {
  readonly shown: readonly string[];
  /** Those of them that callers chose: a quote in one is not part of what is looked for. */
  readonly chosen: readonly string[];
  readonly payloads: readonly string[];
  /** Holds for rows whose payloads are not at hand. */
  readonly undecided: string | undefined;
};

/**
 * Words looked for by the database, which is faster than reading each text. It does not know how texts are folded, so it
 * may leave some undecided.
 */
export type Probe = {
  /** True of texts that surely have the words. */
  readonly isCertain: string;
  /** False of texts that surely do not. */
  readonly where: string;
};

/** Undefined when a word has characters that may look different in the stored text: then every text has to be read. */
export function probeFor(values: Values, words: readonly Word[], columns: ProbedColumns): Probe | undefined {
  if (words.length === 0 || !words.every((word) => word.length > 0 && word.every(isPlain))) return undefined;
  const certain: string[] = [];
  const possible: string[] = [];
  for (const word of words) {
    const pattern = values.add(`%${word.map((piece) => piece.replaceAll("_", "\\_")).join("%")}%`);
    const has = (column: string): string => `${column} ilike ${pattern}`;
    const { shown, chosen, payloads, undecided } = columns;
    const isCertain = `(${shown.map(has).join(" or ")} or (not s.masked and (${payloads.map(has).join(" or ")})))`;
    // Pieces may lie in different texts, and escaped characters hide what they stand for.
    const hides = payloads.map((column) => `${column} = '@' or strpos(${column}, '\\') > 0`);
    const others = [
      ...hides,
      `strpos(${chosen.join(" || ")}, '"') > 0`,
      ...(undecided === undefined ? [] : [undecided]),
    ];
    certain.push(isCertain);
    possible.push(word.length > 1 ? "true" : `(${isCertain} or ${others.join(" or ")})`);
  }
  return { isCertain: certain.join(" and "), where: possible.join(" and ") };
}

/** Texts that read the same folded and stored, but for their case. */
const isPlain = (piece: string): boolean => /^[a-z0-9_.@/+#-]+( [a-z0-9_.@/+#-]+)*$/.test(piece);
