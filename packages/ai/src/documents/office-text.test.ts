import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { officeToText } from "./office-text.ts";

const zip = (parts: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, content]) => [name, strToU8(content)])));

test("Word: paragraphs, tabs, tables and footnotes", () => {
  const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const cell = (text: string): string => `<w:tc><w:p>${run(text)}</w:p></w:tc>`;
  const document = `<w:document><w:body><w:p>${run("Tide ")}${run("tables &amp; more")}</w:p><w:p/><w:p/><w:p/>
    <w:p>${run("a")}<w:r><w:tab/></w:r>${run("b")}</w:p><w:tbl><w:tr>${cell("Day")}${cell("Time")}</w:tr><w:tr>${cell("Mon")}${cell("10:42")}</w:tr></w:tbl>
    <w:p>${run("End")}<w:r><w:delText>gone</w:delText></w:r></w:p></w:body></w:document>`;
  const footnotes = `<w:footnotes><w:footnote><w:p>${run("A note")}</w:p></w:footnote></w:footnotes>`;
  expect(officeToText(zip({ "word/document.xml": document, "word/footnotes.xml": footnotes }))).toBe(
    "Tide tables & more\n\na\tb\nDay\tTime\nMon\t10:42\nEnd\n\nA note",
  );
});

test("PowerPoint: slides in their order, with their notes", () => {
  const slide = (text: string): string => `<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;
  const parts = {
    "ppt/presentation.xml": "<p/>",
    "ppt/slides/slide10.xml": slide("last"),
    "ppt/slides/slide2.xml": slide("second"),
    "ppt/slides/slide1.xml": slide("first"),
    "ppt/notesSlides/notesSlide1.xml": slide("say hello"),
  };
  expect(officeToText(zip(parts))).toBe("first\n\nsay hello\n\nsecond\n\nlast");
});

test("Excel: sheets by name, rows on lines", () => {
  const parts = {
    "xl/workbook.xml": '<workbook><sheets><sheet name="Prices"/></sheets></workbook>',
    "xl/sharedStrings.xml": "<sst><si><t>Item</t></si><si><r><t>Pri</t></r><r><t>ce</t></r></si></sst>",
    "xl/worksheets/sheet1.xml":
      '<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row><c t="inlineStr"><is><t>Rye</t></is></c><c><v>3.5</v></c></row></sheetData></worksheet>',
  };
  expect(officeToText(zip(parts))).toBe("Prices\nItem\tPrice\nRye\t3.5");
});

test("OpenDocument and EPUB", () => {
  const content =
    "<office:text><text:h>Title</text:h><text:p>One<text:s/>two<text:tab/>three</text:p><table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table></office:text>";
  expect(officeToText(zip({ mimetype: "x", "content.xml": content }))).toBe("Title\nOne two\tthree\na\tb");
  const book = {
    "META-INF/container.xml": "<container/>",
    "OEBPS/ch10.xhtml": "<html><body><p>Ten</p></body></html>",
    "OEBPS/ch2.xhtml": "<html><body><p>Two</p></body></html>",
  };
  expect(officeToText(zip(book))).toBe("Two\n\nTen");
});

test("any other zip is none, and one that unpacks without end is refused", () => {
  expect(officeToText(zip({ "a.txt": "x" }))).toBeUndefined();
  const bomb = Buffer.from(zip({ "word/document.xml": "<w/>" }));
  // What the file says of its size unpacked, in the list at its end.
  bomb.writeUInt32LE(210 * 1024 * 1024, bomb.indexOf("PK\x01\x02", 0, "latin1") + 24);
  expect(() => officeToText(bomb)).toThrow("Expected a document of at most 209715200 bytes unpacked, got more");
});
