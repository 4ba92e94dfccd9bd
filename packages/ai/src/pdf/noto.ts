import { readFile } from "node:fs/promises";

/** A font that comes in files, each for a part of its letters. */
export type NotoFamily = {
  readonly name: string;
  /** Which file has which letters. */
  readonly index: URL;
  /** Letters that are its own; those of others it draws when nobody else does. */
  readonly own: RegExp;
};

/** Fonts for what DejaVu does not have, all of them with a weight that can be chosen. */
export const notoFamilies: readonly NotoFamily[] = [
  {
    name: "noto-emoji",
    index: new URL(import.meta.resolve("@fontsource-variable/noto-emoji/unicode.json")),
    own: /\p{Emoji_Presentation}|\p{Extended_Pictographic}/u,
  },
  {
    name: "noto-sans-kr",
    index: new URL(import.meta.resolve("@fontsource-variable/noto-sans-kr/unicode.json")),
    own: /\p{Script=Hangul}/u,
  },
  {
    name: "noto-sans-jp",
    index: new URL(import.meta.resolve("@fontsource-variable/noto-sans-jp/unicode.json")),
    own: /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  },
  {
    name: "noto-sans-sc",
    index: new URL(import.meta.resolve("@fontsource-variable/noto-sans-sc/unicode.json")),
    own: /\p{Script=Han}/u,
  },
  {
    name: "noto-sans-devanagari",
    index: new URL(import.meta.resolve("@fontsource-variable/noto-sans-devanagari/unicode.json")),
    own: /\p{Script=Devanagari}/u,
  },
  {
    name: "noto-sans-thai",
    index: new URL(import.meta.resolve("@fontsource-variable/noto-sans-thai/unicode.json")),
    own: /\p{Script=Thai}/u,
  },
];

/** One file of a family and what it has. */
export type NotoFile = { readonly name: string; readonly url: URL; readonly has: (codePoint: number) => boolean };

export async function listFiles({ name, index }: NotoFamily): Promise<readonly NotoFile[]> {
  const ranges = JSON.parse(await readFile(index, "utf8")) as Readonly<Record<string, string>>;
  return Object.entries(ranges).map(([key, range]) => {
    const part = key.replaceAll(/[[\]]/g, "");
    const spans = range.split(",").map(readSpan);
    return {
      name: `${name}-${part}`,
      url: new URL(`./files/${name}-${part}-wght-normal.woff2`, index),
      has: (codePoint) => spans.some(([first, last]) => first <= codePoint && codePoint <= last),
    };
  });
}

/** `U+4E00-4E0F`, or one alone. */
function readSpan(text: string): readonly [first: number, last: number] {
  const [first = "", last = first] = text.trim().slice(2).split("-");
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
}
