/** What the standard fonts of PDF can write. */
const WESTERN = /^[\n\x20-\x7e\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/u;

/** Letters that stand beside Western European ones in one word, or look odd in another font than their neighbours. */
const WIDER =
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hebrew}\p{Script=Arabic}]/u;

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** What is never drawn by itself: it joins, parts or directs what stands beside it. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

export const isWestern = (text: string): boolean => WESTERN.test(text);

export const isWider = (text: string): boolean => WIDER.test(text) && !isWestern(text);

export const hasRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);

export const isInvisible = (letter: string): boolean => INVISIBLE.test(letter);

export const isEmoji = (cluster: string): boolean =>
  /\p{Emoji_Presentation}/u.test(cluster) || /\p{Emoji}\ufe0f/u.test(cluster);

/** What a reader takes for one letter, with its accents. */
export function clustersOf(text: string): readonly string[] {
  const clusters: string[] = [];
  for (const { segment } of graphemes.segment(text)) clusters.push(segment);
  return clusters;
}

/** Text as it can be laid out: whole letters, no tabs, nothing that controls a terminal. */
export const printable = (text: string): string =>
  text
    .toWellFormed()
    // No script stacks so many, and each costs more than the one before.
    .replaceAll(/(\p{M}{16})\p{M}+/gu, "$1")
    .normalize("NFC")
    .replaceAll("\t", "    ")
    .replaceAll(/[\u2010\u2011]/g, "-")
    .replaceAll(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, "");
