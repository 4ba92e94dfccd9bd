import { unzipSync } from "fflate";
import { Parser } from "htmlparser2";
import { decodeText } from "./decode-text.ts";
import { htmlToText } from "./html-text.ts";
import { TextWriter } from "./text-writer.ts";

/** All that is unpacked of one document: a small file may hold a very large one. */
const MOST_BYTES = 200 * 1024 * 1024;

type Parts = ReadonlyMap<string, string>;

/** The text of a document that is a zip: Word, PowerPoint, Excel, OpenDocument, EPUB. Undefined for any other zip. */
export function officeToText(bytes: Uint8Array): string | undefined {
  const parts = unpack(bytes);
  if (parts.has("word/document.xml")) return wordText(parts);
  if (parts.has("ppt/presentation.xml")) return slidesText(parts);
  if (parts.has("xl/workbook.xml")) return sheetsText(parts);
  const content = parts.get("content.xml");
  if (content !== undefined) return flowText(content, openDocument);
  return parts.has("META-INF/container.xml") ? bookText(parts) : undefined;
}

function unpack(bytes: Uint8Array): Parts {
  let size = 0;
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (!/\.(xml|rels|x?html?)$/i.test(name)) return false;
      size += originalSize;
      if (size > MOST_BYTES) throw new Error(`Expected a document of at most ${MOST_BYTES} bytes unpacked, got more`);
      return true;
    },
  });
  return new Map(Object.entries(files).map(([name, content]) => [name, decodeText(content)]));
}

/** Which elements of a format hold text, and what their ends mean. */
type Flow = {
  /** Undefined: all text counts. */
  readonly text: ReadonlySet<string> | undefined;
  readonly signs: Readonly<Record<string, " " | "\t" | "\n">>;
  readonly paragraphs: ReadonlySet<string>;
  readonly cell: string;
  readonly row: string;
};

const word: Flow = {
  text: new Set(["w:t"]),
  signs: { "w:tab": "\t", "w:br": "\n", "w:cr": "\n" },
  paragraphs: new Set(["w:p"]),
  cell: "w:tc",
  row: "w:tr",
};

const slide: Flow = {
  text: new Set(["a:t"]),
  signs: { "a:br": "\n", "a:tab": "\t" },
  paragraphs: new Set(["a:p"]),
  cell: "a:tc",
  row: "a:tr",
};

const openDocument: Flow = {
  text: undefined,
  signs: { "text:s": " ", "text:tab": "\t", "text:line-break": "\n" },
  paragraphs: new Set(["text:p", "text:h"]),
  cell: "table:table-cell",
  row: "table:table-row",
};

function flowText(xml: string, { text: texts, signs, paragraphs, cell, row }: Flow): string {
  const text = new TextWriter();
  let taking = 0;
  let cells = 0;
  const parser = new Parser(
    {
      onopentag(name) {
        if (texts?.has(name)) taking += 1;
        const sign = signs[name];
        if (sign === "\n") text.addLine();
        else if (sign !== undefined) text.separate(sign);
        if (name === cell) cells += 1;
      },
      ontext(part) {
        if (texts === undefined) text.writeFlowing(part);
        else if (taking > 0) text.write(part);
      },
      onclosetag(name) {
        if (texts?.has(name)) taking -= 1;
        // A cell may hold several paragraphs; its row is one line.
        if (paragraphs.has(name) && cells > 0) text.separate(" ");
        else if (paragraphs.has(name)) text.addLine();
        if (name === cell) {
          cells -= 1;
          text.separate("\t");
        }
        if (name === row) text.breakLine(1);
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return text.toString();
}

const wordText = (parts: Parts): string =>
  ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"]
    .map((name) => flowText(parts.get(name) ?? "", word))
    .filter((text) => text !== "")
    .join("\n\n");

function slidesText(parts: Parts): string {
  return numbered(parts, /^ppt\/slides\/slide(\d+)\.xml$/)
    .map(({ number, content }) => {
      const notes = flowText(parts.get(`ppt/notesSlides/notesSlide${number}.xml`) ?? "", slide);
      return [flowText(content, slide), notes].filter((text) => text !== "").join("\n\n");
    })
    .join("\n\n");
}

function sheetsText(parts: Parts): string {
  const shared = sharedStrings(parts.get("xl/sharedStrings.xml") ?? "");
  const names = sheetNames(parts.get("xl/workbook.xml") ?? "");
  return numbered(parts, /^xl\/worksheets\/sheet(\d+)\.xml$/)
    .map(({ content }, at) => [names[at], sheetText(content, shared)].filter((text) => text).join("\n"))
    .join("\n\n");
}

function sharedStrings(xml: string): readonly string[] {
  const strings: string[] = [];
  let text = "";
  let taking = false;
  const parser = new Parser(
    {
      onopentag(name) {
        if (name === "si") text = "";
        taking = name === "t";
      },
      ontext(part) {
        if (taking) text += part;
      },
      onclosetag(name) {
        if (name === "t") taking = false;
        if (name === "si") strings.push(text);
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return strings;
}

function sheetNames(xml: string): readonly string[] {
  const names: string[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === "sheet") names.push(attributes["name"] ?? "");
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return names;
}

function sheetText(xml: string, shared: readonly string[]): string {
  const rows: string[] = [];
  let cells: string[] = [];
  let type = "";
  let value = "";
  let taking = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === "row") cells = [];
        if (name === "c") {
          type = attributes["t"] ?? "";
          value = "";
        }
        taking = name === "v" || name === "t";
      },
      ontext(part) {
        if (taking) value += part;
      },
      onclosetag(name) {
        if (name === "v" || name === "t") taking = false;
        if (name === "c") cells.push(type === "s" ? (shared[Number(value)] ?? "") : value);
        if (name === "row") rows.push(cells.join("\t").trimEnd());
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return rows.filter((row) => row !== "").join("\n");
}

function bookText(parts: Parts): string {
  return [...parts]
    .filter(([name]) => /\.x?html?$/i.test(name))
    .toSorted(([one], [other]) => one.localeCompare(other, "en", { numeric: true }))
    .map(([, content]) => htmlToText(content))
    .filter((text) => text !== "")
    .join("\n\n");
}

function numbered(parts: Parts, form: RegExp): readonly { readonly number: number; readonly content: string }[] {
  return [...parts]
    .flatMap(([name, content]) => {
      const number = form.exec(name)?.[1];
      return number === undefined ? [] : [{ number: Number(number), content }];
    })
    .toSorted((one, other) => one.number - other.number);
}
