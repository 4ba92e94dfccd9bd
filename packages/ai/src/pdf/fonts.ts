import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { create, type Font } from "fontkit";
import { clustersOf, isEmoji, isInvisible, isWestern, isWider } from "./letters.ts";
import { listFiles, type NotoFamily, type NotoFile, notoFamilies } from "./noto.ts";

export type FontStyle = { readonly isBold: boolean; readonly isItalic: boolean; readonly isCode: boolean };

/** A font as a PDF uses it: one of the standard ones by its name, or one that goes into the file. */
export type Face = { readonly name: string; readonly font: Font | undefined };

/** Letters in one face. */
export type Piece = { readonly text: string; readonly face: Face };

/** Drawn where no font has a letter. */
const MISSING = "\ufffd";

/** All text of a document, and what of it may be bold. */
export type Letters = { readonly all: string; readonly bold: string };

/**
 * The fonts for a text. Western European alone is written with the standard fonts of PDF, which cost nothing; a text with
 * wider letters is written in DejaVu as a whole, for words in two fonts look torn. What neither has comes from Noto, of
 * which only the letters that occur are taken.
 */
export async function openFonts({ all, bold }: Letters): Promise<Fonts> {
  const dejaVu = new DejaVu();
  if (isWestern(all)) return new Fonts({ isWide: false, dejaVu, noto: [] });
  const isKnown = (cluster: string): boolean =>
    !isEmoji(cluster) && (isWestern(cluster) || dejaVu.find(cluster, plain) !== undefined);
  const unknown = (text: string): ReadonlySet<string> => new Set(clustersOf(text).filter((one) => !isKnown(one)));
  const isJapanese = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(all);
  const noto = [
    { isBold: false, faces: await openNoto(unknown(all), 400, isJapanese) },
    { isBold: true, faces: await openNoto(unknown(bold), 700, isJapanese) },
  ];
  return new Fonts({ isWide: isWider(all), dejaVu, noto });
}

const plain: FontStyle = { isBold: false, isItalic: false, isCode: false };

type OpenFonts = {
  readonly isWide: boolean;
  readonly dejaVu: DejaVu;
  readonly noto: readonly NotoWeight[];
};

type NotoWeight = { readonly isBold: boolean; readonly faces: readonly Face[] };

export class Fonts {
  readonly #isWide: boolean;
  readonly #dejaVu: DejaVu;
  readonly #noto: readonly NotoWeight[];
  readonly #faces = new Map<string, Face | undefined>();

  constructor({ isWide, dejaVu, noto }: OpenFonts) {
    this.#isWide = isWide;
    this.#dejaVu = dejaVu;
    this.#noto = noto;
  }

  /** The text, cut where the face changes. */
  split(text: string, style: FontStyle): readonly Piece[] {
    if (!this.#isWide && isWestern(text)) return text === "" ? [] : [{ text, face: standardFace(style) }];
    const pieces: { text: string; face: Face }[] = [];
    for (const cluster of clustersOf(text)) {
      for (const piece of this.#pieces(cluster, style, pieces.at(-1)?.face)) {
        const last = pieces.at(-1);
        if (last?.face === piece.face) last.text += piece.text;
        else pieces.push({ ...piece });
      }
    }
    return pieces;
  }

  #pieces(cluster: string, style: FontStyle, before: Face | undefined): readonly Piece[] {
    // A blank stays with its neighbour, so that words of one script are laid out together. Among emoji it is too wide.
    if (cluster === " " && before?.name.startsWith("DejaVu")) return [{ text: " ", face: before }];
    const face = this.#faceOf(cluster, style);
    if (face !== undefined) return [{ text: cluster, face }];
    const letters = [...cluster].filter((letter) => !isInvisible(letter));
    if (letters.length > 1) return letters.flatMap((letter) => this.#pieces(letter, style, before));
    const mark = this.#faceOf(MISSING, style);
    return letters.length === 0 || mark === undefined ? [] : [{ text: MISSING, face: mark }];
  }

  #faceOf(cluster: string, style: FontStyle): Face | undefined {
    const key = `${Number(style.isBold)}${Number(style.isItalic)}${Number(style.isCode)}${cluster}`;
    if (!this.#faces.has(key)) this.#faces.set(key, this.#find(cluster, style));
    return this.#faces.get(key);
  }

  #find(cluster: string, style: FontStyle): Face | undefined {
    if (!this.#isWide && isWestern(cluster)) return standardFace(style);
    const ofWeight = this.#noto.filter(({ isBold }) => isBold === style.isBold).flatMap(({ faces }) => faces);
    const noto = [...ofWeight, ...this.#noto.flatMap(({ faces }) => faces)];
    const inNoto = () => noto.find(({ font }) => covers(font, cluster));
    const found = isEmoji(cluster)
      ? (inNoto() ?? this.#dejaVu.find(cluster, style))
      : (this.#dejaVu.find(cluster, style) ?? inNoto());
    return found && this.#kept(found);
  }

  /** One object for each name: pieces are joined where it is the same. */
  #kept(face: Face): Face {
    const kept = this.#byName.get(face.name) ?? face;
    this.#byName.set(face.name, kept);
    return kept;
  }
  readonly #byName = new Map<string, Face>();
}

const covers = (font: Font | undefined, cluster: string): boolean =>
  font !== undefined &&
  [...cluster].every((letter) => isInvisible(letter) || font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0)) &&
  [...cluster].some((letter) => !isInvisible(letter));

const standardFaces = new Map<string, Face>();

function standardFace({ isBold, isItalic, isCode }: FontStyle): Face {
  const style = `${isBold ? "Bold" : ""}${isItalic ? "Oblique" : ""}`;
  const name = `${isCode ? "Courier" : "Helvetica"}${style === "" ? "" : `-${style}`}`;
  const face = standardFaces.get(name) ?? { name, font: undefined };
  standardFaces.set(name, face);
  return face;
}

/** The wanted style first; not every style has every letter. */
function dejaVuNames({ isBold, isItalic, isCode }: FontStyle): readonly string[] {
  const style = (bold: boolean, italic: boolean): string =>
    bold || italic ? `-${bold ? "Bold" : ""}${italic ? "Oblique" : ""}` : "";
  const styles = [style(isBold, isItalic), style(isBold, false), ""];
  const families = isCode ? ["DejaVuSansMono", "DejaVuSansCondensed"] : ["DejaVuSansCondensed"];
  return families.flatMap((family) => styles.map((one) => family + one));
}

const dejaVuFolder = new URL("./ttf/", import.meta.resolve("dejavu-fonts-ttf/package.json"));

/** Styles of DejaVu, opened when a letter is first looked for in one. An open font is good for one document only. */
class DejaVu {
  readonly #open = new Map<string, Font>();

  find(cluster: string, style: FontStyle): Face | undefined {
    const name = dejaVuNames(style).find((one) => covers(this.#font(one), cluster));
    return name === undefined ? undefined : { name, font: this.#font(name) };
  }

  #font(name: string): Font {
    const font = this.#open.get(name) ?? openFont(readFileSync(new URL(`${name}.ttf`, dejaVuFolder)));
    this.#open.set(name, font);
    return font;
  }
}

/** Faces with these letters, each letter in the first family that is meant for it. */
async function openNoto(clusters: ReadonlySet<string>, weight: number, isJapanese: boolean): Promise<readonly Face[]> {
  const wanted = new Map<NotoFile, string[]>();
  for (const cluster of clusters) {
    const file = await findFile(cluster, isJapanese);
    if (file !== undefined) wanted.set(file, [...(wanted.get(file) ?? []), cluster]);
  }
  if (wanted.size === 0) return [];
  const { default: subsetFont } = await import("subset-font");
  const faces: Face[] = [];
  for (const [{ name, url }, letters] of wanted) {
    const bytes = await subsetFont(await readFile(url), ` ${letters.join("")}`, {
      targetFormat: "sfnt",
      variationAxes: { wght: weight },
    });
    const font = openFont(bytes);
    // All files of a family say the same name, and a PDF knows fonts by it.
    Object.defineProperty(font, "postscriptName", { value: `${name}-${weight}` });
    faces.push({ name: `${name}-${weight}`, font });
  }
  return faces;
}

const listed = new Map<string, Promise<readonly NotoFile[]>>();

async function findFile(cluster: string, isJapanese: boolean): Promise<NotoFile | undefined> {
  const codePoint = [...cluster].find((letter) => !isInvisible(letter))?.codePointAt(0);
  if (codePoint === undefined) return undefined;
  for (const family of familiesFor(cluster, isJapanese)) {
    const files = listed.get(family.name) ?? listFiles(family);
    listed.set(family.name, files);
    const file = (await files).find(({ has }) => has(codePoint));
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Its own first. Signs that Chinese and Japanese share look as they do where there are kana. */
function familiesFor(cluster: string, isJapanese: boolean): readonly NotoFamily[] {
  const rank = ({ name, own }: NotoFamily): number => {
    if (isJapanese && name === "noto-sans-jp" && !/\p{Script=Hangul}/u.test(cluster) && !isEmoji(cluster)) return 0;
    return own.test(cluster) ? 1 : 2;
  };
  return notoFamilies.toSorted((one, other) => rank(one) - rank(other));
}

/**
 * Who reads a PDF aloud or copies from it meets the letters of a right-to-left line from left to right, and turns them
 * round: letters that one sign stands for have to be in that order too.
 */
function openFont(bytes: Buffer): Font {
  const font = create(bytes) as Font;
  const turned = new Set<number>();
  const layout = font.layout.bind(font);
  font.layout = (...args: Parameters<Font["layout"]>) => {
    const run = layout(...args);
    for (const glyph of run.direction === "rtl" ? run.glyphs : []) {
      if (glyph.codePoints.length < 2 || turned.has(glyph.id)) continue;
      glyph.codePoints.reverse();
      turned.add(glyph.id);
    }
    return run;
  };
  return font;
}
