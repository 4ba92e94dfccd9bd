import { Marked, type Token, type Tokens, type TokensList } from "marked";
import type { Letters } from "./fonts.ts";
import { printable } from "./letters.ts";

export type FootnoteRef = Tokens.Generic & { readonly type: "footnoteRef"; readonly id: string };
export type Footnote = Tokens.Generic & { readonly type: "footnote"; readonly id: string; readonly tokens: Token[] };
export type Definition = Tokens.Generic & {
  readonly type: "definition";
  readonly term: Token[];
  readonly meanings: readonly Token[][];
};

/** Markdown as tables, task lists, footnotes and definitions know it. */
export const lexMarkdown = (markdown: string): TokensList => dialect.lexer(markdown);

/** Every picture the text shows, each source once. */
export function imageSources(markdown: string): readonly string[] {
  const sources = new Set<string>();
  void dialect.walkTokens(lexMarkdown(markdown), (token) => {
    if (token.type === "image") sources.add((token as Tokens.Image).href);
  });
  return [...sources];
}

/** What is on the page, and what of it may be bold. */
export function lettersOf(markdown: string): Letters {
  const bold: string[] = [];
  void dialect.walkTokens(lexMarkdown(markdown), (token) => {
    if (token.type === "strong" || token.type === "heading") bold.push(token.raw);
    if (token.type === "table") bold.push(...(token as Tokens.Table).header.map(({ text }) => text));
    if (token.type === "definition") bold.push(token.raw);
  });
  // The dots of what does not fit, and what stands where no font has a letter.
  return { all: printable(`${markdown}…`), bold: printable(bold.join("\n")) };
}

const dialect = new Marked({
  gfm: true,
  extensions: [
    {
      name: "footnoteRef",
      level: "inline",
      start: (text) => text.indexOf("[^"),
      tokenizer(text) {
        const match = /^\[\^([^\]\s]{1,100})\]/.exec(text);
        return match === null ? undefined : { type: "footnoteRef", raw: match[0], id: match[1] };
      },
    },
    {
      name: "footnote",
      level: "block",
      start: (text) => text.match(/^\[\^/m)?.index,
      tokenizer(text) {
        const match = /^\[\^([^\]\s]{1,100})\]:[ \t]*([^\n]*(?:\n(?: {2,}|\t)[^\n]+)*)(?:\n|$)/.exec(text);
        if (match === null) return;
        return { type: "footnote", raw: match[0], id: match[1], tokens: this.lexer.inlineTokens(match[2] ?? "") };
      },
      childTokens: ["tokens"],
    },
    {
      name: "definition",
      level: "block",
      start: (text) => text.match(/^[^\n]+\n:[ \t]/m)?.index,
      tokenizer(text) {
        const match = /^([^\s>#|:*+-][^\n]{0,500})\n((?::[ \t]+[^\n]+(?:\n|$))+)/.exec(text);
        if (match === null) return;
        const lines = (match[2] ?? "").split("\n").filter((line) => line !== "");
        return {
          type: "definition",
          raw: match[0],
          term: this.lexer.inlineTokens(match[1] ?? ""),
          meanings: lines.map((line) => this.lexer.inlineTokens(line.replace(/^:[ \t]+/, ""))),
        };
      },
      childTokens: ["term", "meanings"],
    },
  ],
});
