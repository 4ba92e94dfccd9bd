import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { deflateSync } from "node:zlib";
import { aFolder } from "@downbeat/server/testing";
import { extractText, getDocumentProxy, getMeta } from "unpdf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aToolServer, hasFixtures, readFixture, startToolServer, type ToolServer } from "../support/tool-server.ts";

const folder = aFolder();
let server: ToolServer;

beforeAll(async () => {
  writeFileSync(join(folder, "dot.png"), png());
  server = await startToolServer({ "service.document-access-policy.allowed-directories": folder });
}, 30_000);
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function pdfOf(input: Record<string, unknown>) {
  const task = await server.runTask("GENERATE_PDF", input);
  expect(task, task.reasonForIncompletion).toMatchObject({
    status: "COMPLETED",
    outputData: { finishReason: "COMPLETED", tokenUsed: 0, promptTokens: 0, completionTokens: 0 },
  });
  return await openPdf(task.outputData as never);
}

async function openPdf({ result, media }: { result: { location: string; sizeBytes: number }; media: unknown }) {
  const bytes = readFileSync(fileURLToPath(result.location));
  expect(result.sizeBytes).toBe(bytes.length);
  expect(media).toEqual([{ location: result.location, mimeType: "application/pdf" }]);
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(pdf, { mergePages: false });
  const page = await pdf.getPage(1);
  const { fnArray } = await page.getOperatorList();
  const { items } = await page.getTextContent();
  const places = items.flatMap((item) =>
    "transform" in item
      ? [{ left: item.transform[4] as number, right: (item.transform[4] as number) + item.width }]
      : [],
  );
  const links = (await page.getAnnotations()).flatMap(({ url }: { url?: string }) => url ?? []);
  return {
    pages: text,
    text: text.join("\n"),
    meta: await getMeta(pdf),
    size: page.view.slice(2),
    drawn: fnArray as number[],
    links,
    bytes,
    places,
    widest: Math.max(...places.map(({ right }) => right)),
    fonts: [...bytes.toString("latin1").matchAll(/\/BaseFont \/(\S+)/g)].map(([, name = ""]) => name),
  };
}

test("every kind of Markdown is on the page", async () => {
  const markdown = `# Title\n\nA paragraph with **bold**, *italic*, ~~struck~~, \`code\` and a [link](https://example.com/x).
Auto: https://auto.example.com

- bullet one\n  - nested bullet\n- [x] done task\n\n3. third\n4. fourth\n
> quoted words\n\n---\n
| Name | Price |\n|---|---:|\n| Rye | 3.50 |\n| ${"very long ".repeat(30)} | 1 |\n
\`\`\`js\nconst answer = 42;\n\`\`\`\n
Term\n: its meaning\n
A note.[^1]\n\n[^1]: The footnote text.\n
Euro € and emoji 😀 and 漢字.`;
  const { text, links, size } = await pdfOf({ markdown });
  for (const words of [
    "Title",
    "bold",
    "italic",
    "struck",
    "code",
    "link",
    "bullet one",
    "nested bullet",
    "[x] done task",
    "3.",
    "third",
    "fourth",
    "quoted words",
    "Rye",
    "3.50",
    "very long",
    "const answer = 42;",
    "Term",
    "its meaning",
    "[1]",
    "The footnote text.",
    "Euro €",
    "emoji 😀",
    "and 漢字.",
  ]) {
    expect(text).toContain(words);
  }
  expect(text).not.toContain("**");
  expect(text).toContain("…");
  expect(links).toEqual(["https://example.com/x", "https://auto.example.com/"]);
  expect(size.map(Math.round)).toEqual([595, 842]);
});

test.each([
  ["Western European", "Größe, café, œuvre, € 5 – “so”", "Helvetica"],
  ["Latin of the East", "Příliš žluťoučký kůň; Łódź, őű, ğışİ, ķļņ, ŵŷ", "DejaVu"],
  ["Vietnamese", "Tiếng Việt có nhiều dấu thanh: ẩ ặ ễ ộ ữ", "DejaVu"],
  ["Greek", "Ελληνικά με τόνους, ἀρχὴ σοφίας", "DejaVu"],
  ["Cyrillic", "Съешь ещё этих мягких булок; їжак, љубав, қазақ", "DejaVu"],
  ["Armenian and Georgian", "Հայերեն ქართული", "DejaVu"],
  ["Hebrew", "שלום עולם, 42 ילדים", "DejaVu"],
  ["Arabic", "مرحبا بالعالم، السلام عليكم", "DejaVu"],
  ["Chinese", "漢字简体中文，測試繁體字。", "noto-sans-sc"],
  ["Japanese", "日本語のテキスト、カタカナ。", "noto-sans-jp"],
  ["Korean", "한국어 텍스트입니다.", "noto-sans-kr"],
  ["signs", "→ ≤ ∑ √ ✓ ☎ ½ № ₽", "DejaVu"],
  ["emoji", "😀 👩‍👧 🇩🇪 🚀", "noto-emoji"],
])("%s is drawn, and can be read again, plain, bold, as a heading and in a table", async (_, words, font) => {
  const markdown = `# ${words}\n\n${words}\n\n**${words}**\n\n*${words}*\n\n| ${words} |\n|---|\n| ${words} |\n\n- ${words}`;
  const { text, fonts } = await pdfOf({ markdown, pageSize: "A3" });
  expect(text.split(words), text).toHaveLength(8);
  expect(text).not.toContain("\ufffd");
  expect(fonts.some((name) => name.includes(font))).toBe(true);
});

test("a text without wider letters carries no font, one with some carries only their shapes", async () => {
  const plain = await pdfOf({ markdown: "Plain words" });
  expect(plain.fonts.every((name) => name.startsWith("Helvetica"))).toBe(true);
  const wide = await pdfOf({ markdown: "слово 字" });
  expect(wide.bytes.length).toBeLessThan(40_000);
});

test("a letter that no font has is a mark, and nothing is left out without one", async () => {
  const { text } = await pdfOf({
    markdown: "Ugaritic \u{10380}, Yi ꀀ; `code \u{10380}`; a\u200bb\u00adc\ufeff; lone \ud800.",
  });
  expect(text).toContain("Ugaritic \ufffd, Yi \ufffd; code \ufffd; abc; lone \ufffd.");
});

test("lines of every script end within the page", async () => {
  const long = [
    "中文没有空格".repeat(60),
    "x".repeat(400),
    "длинноеслово".repeat(40),
    "ภาษาไทย".repeat(60),
    "שלום עולם ".repeat(60),
  ];
  const { widest, text } = await pdfOf({ markdown: long.join("\n\n") });
  expect(widest).toBeLessThanOrEqual(595 - 72 + 1);
  expect(text.replaceAll("\n", "")).toContain(long[0]);
});

test("a text that is long in every way is laid out within its time and memory", async () => {
  const signs = Array.from({ length: 500 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join("");
  const markdown = [
    signs.repeat(2),
    "x".repeat(10_000),
    `e${"\u0301\u0316".repeat(30_000)}`,
    `| ${signs.repeat(4)} |\n|---|`,
  ];
  const { pages } = await pdfOf({ markdown: markdown.join("\n\n") });
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.at(-1)).toContain("…");
});

test("what reads from right to left begins at the right, and numbers in it stay as they are", async () => {
  const { places, text } = await pdfOf({ markdown: "שלום 42 (עולם) English סוף" });
  expect(text).toContain("42");
  expect(text).toContain("English");
  expect(Math.max(...places.map(({ right }) => right))).toBeCloseTo(595.28 - 72, 0);
});

test("page, margins and metadata are as asked for", async () => {
  const pdfMetadata = { title: "Report", author: "Ada", subject: "Sums", keywords: "a,b" };
  const { meta, size } = await pdfOf({
    markdown: "x",
    pageSize: "letter",
    marginTop: 10,
    theme: "compact",
    baseFontSize: "9",
    pdfMetadata,
  });
  expect(size).toEqual([612, 792]);
  expect(meta.info).toMatchObject({ Title: "Report", Author: "Ada", Subject: "Sums", Keywords: "a,b" });
});

test("a long text runs over pages, and all of it is there", async () => {
  const lines = Array.from({ length: 400 }, (_, at) => `${at % 7 === 0 ? "> " : ""}Paragraph number ${at} of many.`);
  const code = `\`\`\`\n${Array.from({ length: 120 }, (_, at) => `line ${at}`).join("\n")}\n\`\`\``;
  const { pages, text } = await pdfOf({ markdown: `${lines.join("\n\n")}\n\n${code}` });
  expect(pages.length).toBeGreaterThan(10);
  for (const at of [0, 7, 199, 399]) expect(text).toContain(`Paragraph number ${at} of many.`);
  for (const at of [0, 60, 119]) expect(text).toContain(`line ${at}`);
});

test("pictures are drawn; what cannot be loaded or is none is named", async () => {
  const OPS_PAINT_IMAGE = 85;
  const inline = `data:image/png;base64,${png().toString("base64")}`;
  const markdown = `![a](${inline})\n\n![b](dot.png)\n\n![gone](nowhere.png)\n\n![secret](/etc/passwd)\n\n![inside](http://127.0.0.1:1/x.png)\n\n![odd](data:image/png;base64,AAAA)`;
  const { drawn, text } = await pdfOf({ markdown, imageBaseUrl: pathToFileURL(folder).href });
  expect(drawn.filter((operator) => operator === OPS_PAINT_IMAGE)).toHaveLength(2);
  for (const name of ["gone", "secret", "inside", "odd"]) expect(text).toContain(`[Image: ${name}]`);
});

test("pictures beyond what one document may be are named", async () => {
  const bytes = png();
  const limited = await aToolServer({ "service.documents.max-size": `${Math.round(bytes.length * 2.5)}B` });
  // The same picture in three spellings.
  const sources = ["", "=", "=="].map((end) => `data:image/png;base64,${bytes.toString("base64")}${end}`);
  const markdown = sources.map((source, at) => `![picture ${at + 1}](${source})`);
  const task = await limited.runTask("GENERATE_PDF", { markdown: markdown.join("\n\n") });
  const { drawn, text } = await openPdf(task.outputData as never);
  expect(drawn.filter((operator) => operator === 85)).toHaveLength(2);
  expect(text).toContain("[Image: picture 3]");
});

test("the file goes where the task says, when documents may lie there", async () => {
  const outputLocation = pathToFileURL(join(folder, "out", "report.pdf")).href;
  const task = await server.runTask("GENERATE_PDF", { markdown: "# here", outputLocation });
  expect(task.outputData["result"]).toMatchObject({ location: outputLocation });
  expect((await openPdf(task.outputData as never)).text).toContain("here");
  expect(await server.runTask("GENERATE_PDF", { markdown: "x", outputLocation: "/etc/ssh/x.pdf" })).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    reasonForIncompletion: "Non-retryable error: Access denied: path matches blocked prefix '/etc/ssh'",
  });
  expect(await server.runTask("GENERATE_PDF", { markdown: "x", outputLocation: "s3://bucket/x.pdf" })).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    reasonForIncompletion: "Non-retryable error: No DocumentLoader supports output location: s3://bucket/x.pdf",
  });
});

test("nothing to write fails the task for good", async () => {
  expect(await server.runTask("GENERATE_PDF", { markdown: "  " })).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    reasonForIncompletion: "Non-retryable error: markdown input is required for GENERATE_PDF task",
  });
});

test("what is generated can be read again by a task", async () => {
  const { outputData } = await server.runTask("GENERATE_PDF", { markdown: "# Round trip\n\nWords." });
  const { location } = outputData["result"] as { location: string };
  const read = await server.runTask("GET_DOCUMENT", { url: location });
  expect(read.outputData["result"]).toMatch(/Round trip\s+Words\./);
});

test("Markdown without an end of nesting is laid out all the same", async () => {
  const { text } = await pdfOf({
    markdown: `${"> ".repeat(60)}deep\n\n${Array.from({ length: 40 }, (_, at) => `${"  ".repeat(at)}- item ${at}`).join("\n")}`,
  });
  expect(text).toContain("deep");
  expect(text).toContain("item 39");
});

test.runIf(hasFixtures)("the fixture that makes a PDF runs", async () => {
  const { status, tasks } = await server.run(readFixture("15-pdf-generation"));
  expect(status).toBe("COMPLETED");
  const { text, meta, size } = await openPdf(tasks[0]?.outputData as never);
  expect(text).toContain("Monthly Sales Report");
  expect(text).toContain("Asia Pacific");
  expect(text).toContain("Expand APAC sales team by Q1 2026");
  expect(meta.info).toMatchObject({ Title: "Monthly Sales Report - Q4 2025", Author: "Conductor Workflow" });
  expect(size).toEqual([612, 792]);
});

/** Two by two, red. */
function png(): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const whole = Buffer.alloc(body.length + 8);
    whole.writeUInt32BE(data.length, 0);
    body.copy(whole, 4);
    whole.writeUInt32BE(crc(body), body.length + 4);
    return whole;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(2, 0);
  head.writeUInt32BE(2, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = [0, 255, 0, 0, 255, 0, 0];
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.from([...row, ...row]))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function crc(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}
