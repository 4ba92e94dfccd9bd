import { Parser } from "htmlparser2";
import { TextWriter } from "./text-writer.ts";

/** Elements that show nothing of their own. */
const silent: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
  "object",
  "select",
]);

/** Elements that stand on lines of their own; those of the second kind with a blank line around. */
const lines: ReadonlySet<string> = new Set([
  "div",
  "dd",
  "dt",
  "li",
  "tr",
  "title",
  "figcaption",
  "option",
  "summary",
  "address",
]);
const blocks: ReadonlySet<string> = new Set([
  "article",
  "aside",
  "blockquote",
  "dl",
  "fieldset",
  "figure",
  "footer",
  "form",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "header",
  "hr",
  "main",
  "nav",
  "ol",
  "p",
  "pre",
  "section",
  "table",
  "ul",
]);

/** The text of a page as one reads it: paragraphs apart, list items and rows on lines, cells by tabs. */
export function htmlToText(html: string): string {
  const text = new TextWriter();
  let hidden = 0;
  let verbatim = 0;
  const breakFor = (name: string): void => {
    if (blocks.has(name)) text.breakLine(2);
    else if (lines.has(name)) text.breakLine(1);
  };
  const parser = new Parser({
    onopentag(name) {
      if (silent.has(name)) hidden += 1;
      if (name === "pre") verbatim += 1;
      if (name === "br") text.addLine();
      else breakFor(name);
      if (name === "li") text.prefix("- ");
    },
    onclosetag(name) {
      if (silent.has(name)) hidden -= 1;
      if (name === "pre") verbatim -= 1;
      breakFor(name);
      if (name === "td" || name === "th") text.separate("\t");
    },
    ontext(part) {
      if (hidden > 0) return;
      if (verbatim > 0) text.write(part);
      else text.writeFlowing(part);
    },
  });
  parser.end(html);
  return text.toString();
}
